import { join } from 'node:path';
import type { Defect, Mutation, Position } from './calls.js';
import { Lane, type Told } from './lane.js';
import { breachesOf } from './order.js';
import { changesDisk, type Extent, pointsOf } from './points.js';
import type { Story } from './story.js';
import { type FollowUp, type Point, tryPoint } from './trial.js';

export interface Options {
  story: Story;
  extent: Extent;
  defect?: Defect;
  /** Selects the states of a sample. */
  seed?: number;
  /** How many lanes work in parallel. */
  lanes?: number;
  /** Selects the commands to cut, by title; default: all. The whole story is always run. */
  only?: (title: string) => boolean;
}

/** What was tried for one command. */
interface Row {
  title: string;
  calls: number;
  points: { [position in Position]: number };
  toTheEnd: number;
}

export interface Report {
  rows: Row[];
  problems: string[];
}

/**
 * How much is tried unless the extent is `all`: a sample takes one state in `state`; `next` is called after one cut in
 * `ask`; the story is continued to its end after one cut in `end`.
 */
const SAMPLED = { state: 8, ask: 3, end: 20 };

/** Runs a story undisturbed, then cuts each of its commands wherever it can be cut. */
export async function sweep(options: Options): Promise<Report> {
  const lanes = Array.from({ length: options.lanes ?? 1 }, () => new Lane(options.story, options.defect ?? null));
  try {
    await Promise.all(lanes.map((lane) => lane.tell()));
    return await swept(lanes, options);
  } finally {
    for (const lane of lanes) lane.remove();
  }
}

async function swept(lanes: Lane[], { extent, seed = 0, only = () => true }: Options): Promise<Report> {
  const [first] = lanes as [Lane];
  const rows: Row[] = first.told.map(({ step, mutations }) => ({
    title: step.title,
    calls: mutations.length,
    points: { before: 0, inside: 0, after: 0 },
    toTheEnd: 0,
  }));
  const problems = first.told.flatMap((told) => withoutPoints(told).concat(breaches(told, first.project.root)));
  const queue = first.told.flatMap(({ step: { title }, mutations }, step) => {
    if (!only(title)) return [];
    const points = pointsOf(mutations, extent);
    return (extent === 'sample' ? sampleOf(points, seed) : points).map((point) => ({ step, ...point }));
  });
  let taken = 0;
  const work = async (lane: Lane): Promise<void> => {
    for (let n = taken++; n < queue.length; n = taken++) {
      const point = queue[n] as Point;
      const followUp = followUpOf(n, extent);
      const found = await tryPoint(lane, point, followUp);
      problems.push(...found.map((problem) => `${placeOf(lane, point)}: ${problem}`));
      const row = rows[point.step] as Row;
      row.points[point.position] += 1;
      if (followUp.toTheEnd) row.toTheEnd += 1;
    }
  };
  await Promise.all(lanes.map(work));
  const uncut = rows.filter((row) => only(row.title) && sum(row.points) === 0);
  problems.push(...uncut.map(({ title }) => `${title}: was not cut anywhere`));
  return { rows, problems };
}

/** Chooses a sample of a command's points, at least one; different seeds choose different points. */
function sampleOf<T>(points: readonly T[], seed: number): T[] {
  const every = Math.min(SAMPLED.state, points.length);
  return points.filter((_, n) => (n + seed) % every === 0);
}

function withoutPoints({ step, mutations }: Told): string[] {
  return mutations.some(changesDisk) ? [] : [`${step.title}: changes nothing, so that nothing of it can be cut`];
}

function breaches({ step, before, mutations }: Told, root: string): string[] {
  const present = new Set([...before.keys()].map((path) => join(root, '.dev', path)));
  return breachesOf(mutations, present).map((breach) => `${step.title}: power cut: ${breach}`);
}

function followUpOf(n: number, extent: Extent): FollowUp {
  if (extent === 'all') return { ask: true, toTheEnd: true };
  return { ask: n % SAMPLED.ask === 0, toTheEnd: n % SAMPLED.end === SAMPLED.end - 1 };
}

function placeOf(lane: Lane, { step, call, position }: Point): string {
  const told = lane.told[step] as Told;
  const { op, path, to } = told.mutations[call - 1] as Mutation;
  const shown = [path, ...(to === undefined ? [] : [to])]
    .map((each) => each.replace(`${lane.project.root}/`, ''))
    .join(' to ');
  return `${told.step.title}, ${position} call ${call} (${op} ${shown})`;
}

/** Renders the table of a report: crash points by command. */
export function table({ rows }: Report, extent: Extent): string {
  const cells = rows.map(({ title, calls, points, toTheEnd }) => [
    title,
    ...[calls, points.before, points.inside, points.after, sum(points), toTheEnd].map(String),
  ]);
  const head = ['command', 'calls', 'before', 'inside', 'after', 'cuts', 'to the end'];
  const totals = head.slice(1).map((_, i) => String(cells.reduce((total, row) => total + Number(row[i + 1]), 0)));
  const lines = [head, ...cells, [`${rows.length} commands`, ...totals]];
  const widths = head.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? '').length)));
  const text = lines.map((line) =>
    line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  );
  return [explained(extent), ...text].join('\n');
}

/** Says what a table covers, so that a sample is not mistaken for the whole. */
function explained(extent: Extent): string {
  const rest = `every ${SAMPLED.ask}rd cut asks with next, every ${SAMPLED.end}th goes on to the end`;
  switch (extent) {
    case 'all':
      return 'All: every call cut before, inside and after, every cut gone on with to the end.';
    case 'states':
      return `States: every state that a cut can leave, temporary files in one form in turn; ${rest}.`;
    case 'sample':
      return `A sample: every ${SAMPLED.state}th state that a cut can leave; ${rest}. More: DEV_CLI_CRASH=states, npm run prove:crash.`;
  }
}

function sum(points: Row['points']): number {
  return points.before + points.inside + points.after;
}
