import type { SignName } from '../../src/views/signs.js';
import { createTimelineBuilder } from '../../src/views/timeline.js';
import type { PageRow, PageSegment, RunPage } from '../../src/wings/page/wire.js';
import { readEntries } from './entries.js';
import { goldenRuns } from './golden.mjs';

/** Data for tests of the page, in the form in which the server sends it. */

/** Builds the page of the golden run with this title, for example `execute-standard.completed`. */
export function goldenPage(title: string): RunPage {
  const run = goldenRuns()
    .find((one) => one.title.endsWith(`/${title}`))
    ?.load();
  if (run === undefined) throw new Error(`no golden run ${title}`);
  const text = (file: string) => run.files[`.dev/specs/${run.name}/${file}`] ?? '';
  const entries = readEntries(Buffer.from(text('events.jsonl')));
  const builder = createTimelineBuilder();
  for (const entry of entries) builder.take(entry);
  const now = Date.parse(entries.at(-1)?.at ?? '');
  const built = builder.build({ captured: JSON.parse(text('recipe.json')), now, facts: () => ({ kind: 'missing' }) });
  if (built === null) throw new Error(`${title} has no run`);
  const runs = built.runs.map(({ runId, recipe, status, at }) => ({ runId, recipe, status, at }));
  const last = runs.at(-1);
  const rows = built.rows.map(
    (row): PageRow => ({
      ...row,
      segments: row.segments.map((one) => ({
        ...one,
        documents: one.documents.map(({ path }) => path.replace(/^.*\//, '')),
      })),
    }),
  );
  const from = Math.min(...rows.flatMap(({ segments }) => segments.map((one) => one.from)));
  const { agent, commands, you, idle } = built.split;
  return {
    ...basicPage(run.name),
    ...{ runId: last?.runId ?? '', recipe: last?.recipe ?? '', status: last?.status ?? '', runs, rows },
    split: built.split,
    gates: built.gates.map((gate) => ({ ...gate, by: gate.by === null ? null : `${gate.by.kind} at a terminal` })),
    clock: { from, to: from + agent + commands + you + idle, isRunning: last?.status === 'live' },
  };
}

/** Builds the page of a run in which nothing has happened yet. */
export function basicPage(name: string): RunPage {
  return {
    ...{ name, runId: 'r1', recipe: 'execute-standard', goal: 'Deleting a todo removes it for good.', status: 'live' },
    held: false,
    waits: { text: '', since: null, command: null },
    runs: [{ runId: 'r1', recipe: 'execute-standard', status: 'live', at: '2026-07-27T09:00:00.000Z' }],
    rows: [],
    split: { agent: 0, commands: 0, you: 0, idle: 0 },
    cost: '18 prompts, 240 kB',
    ...{ gates: [], decision: null, left: [] },
    clock: { from: START, to: START, isRunning: true },
    ...{ fault: null, seq: 1, tabs: ['plan', 'recipe', 'journal', 'report'] },
  };
}

const START = Date.parse('2026-07-27T09:00:00.000Z');
const MINUTE = 60_000;
const TITLES = [
  'Add the route that deletes a todo',
  'Ask before it deletes, and say what goes',
  'Keep the list in order when one leaves it',
  'Migrate todos that have no owner yet, whatever wrote them, without a lock on the table',
  'Show an error that helps',
];

/**
 * Builds the page of a run with that many todos: most done, one failed, two running, one waiting, the rest pending. In
 * the middle nobody works for three hours.
 */
export function syntheticPage(count: number, name = `todos-${count}`): RunPage {
  const done = Math.floor(count * 0.7);
  const at = (index: number) => START + index * 2 * MINUTE + (index > done / 2 ? 180 * MINUTE : 0);
  const rows = Array.from({ length: count }, (_, index): PageRow => {
    const state = stateOf(index, done);
    const id = `todo-${index + 1}`;
    const width = Math.max(3, Math.round(Math.sqrt(count / 3)));
    const wave = Math.floor(index / width);
    const after = wave === 0 ? [] : [`todo-${index + 1 - width}`, `todo-${(wave - 1) * width + 1}`];
    const isBegun = state !== 'pending';
    return {
      ...{ id, title: TITLES[index % TITLES.length] ?? '', kind: 'todo', state, wave, after: [...new Set(after)] },
      attempts: isBegun ? 1 + Number(index % 9 === 4) : 0,
      commit: state === 'done' ? (0xabcdef12 + index * 7919).toString(16).padEnd(40, '0') : null,
      why: state === 'failed' ? 'exit 1: expected 204, got 500' : null,
      segments: isBegun ? listSegments(at(index), index, state) : [],
    };
  });
  const to = at(done + 3) + MINUTE;
  const whole = to - START - 180 * MINUTE;
  return {
    ...basicPage(name),
    rows,
    clock: { from: START, to, isRunning: true },
    split: {
      agent: Math.round(whole * 0.7),
      commands: Math.round(whole * 0.2),
      you: Math.round(whole * 0.1),
      idle: 180 * MINUTE,
    },
    seq: count * 6,
  };
}

function stateOf(index: number, done: number): Exclude<SignName, 'held'> {
  if (index < done) return 'done';
  return (['failed', 'running', 'running', 'waiting'] as const)[index - done] ?? 'pending';
}

function listSegments(from: number, index: number, state: PageRow['state']): PageSegment[] {
  const open = state === 'running' || state === 'waiting';
  const segment = (begin: number, end: number | null, of: Partial<PageSegment>): PageSegment => ({
    ...{ from: from + begin * MINUTE, to: end === null ? null : from + end * MINUTE, who: 'agent', what: 'worker' },
    ...{ ok: end === null ? null : true, seq: index * 6 + Math.round(begin * 2), documents: ['prompt', 'result'] },
    ...of,
  });
  if (state === 'waiting') return [segment(0, null, { who: 'you', what: 'question', documents: [] })];
  if (open) return [segment(0, null, {})];
  const tested: Partial<PageSegment> = { who: 'commands', what: 'npm test -- todos', documents: ['log'] };
  if (state === 'failed') return [segment(0, 1.5, {}), segment(1.5, 2, { ...tested, ok: false })];
  const again = index % 9 === 4 ? [segment(1, 1.2, { ...tested, ok: false }), segment(1.2, 1.6, {})] : [];
  return [
    segment(0, 1, {}),
    ...again,
    segment(1.6, 1.9, tested),
    segment(1.9, 1.95, { who: 'commands', what: 'commit', documents: [] }),
  ];
}
