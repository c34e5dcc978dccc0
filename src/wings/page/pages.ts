import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { CommandFormatter, Instruction } from '../../base/invocation.js';
import { showOpenGate } from '../../protocol/approve/prepared.js';
import { readHome } from '../../protocol/questions/home.js';
import type { TimelineNow } from '../../protocol/questions/timeline.js';
import { createFormatterFor } from '../../registry/render.js';
import type { Context } from '../../run/context.js';
import { renderCost } from '../../run/cost.js';
import { PLAN, REPORT } from '../../run/paths.js';
import type { RunHead } from '../../run/state.js';
import { renderCaller } from '../../views/caller.js';
import { describeWaiting } from '../../views/status.js';
import type { TimelineRow } from '../../views/timeline-rows.js';
import { listOpenParts } from './ci/report.js';
import { cutDocument } from './clean.js';
import type { PageDecision, PageRow, RunPage, RunsPage, TabName } from './wire.js';

/** Builds the page that lists the runs of all work trees. @throws DevCliError `IO` */
export async function buildRunsPage(context: Context): Promise<RunsPage> {
  const home = await readHome(context);
  const now = context.clock.now();
  const { project, branch, groups } = home;
  const shown = groups.map(({ title, rows, more }) => ({
    title,
    more,
    rows: rows.map(({ root, you, ...row }) => ({
      ...row,
      ...(root !== undefined && { elsewhere: root }),
      ...omitUndefined({ command: findCommand(you ?? [], createFormatterFor(root ?? context.root)) }),
    })),
  }));
  return { project, branch, groups: shown, now };
}

/**
 * Builds the page of a run, as far as its journal can be read.
 * @param wanted the id of the run; without it, the newest of the name
 * @throws DevCliError `STATE_CORRUPT`
 */
export async function buildRunPage(
  context: Context,
  name: string,
  { timeline, head, seq, fault }: TimelineNow,
  wanted: string | undefined,
): Promise<RunPage> {
  const { runs, rows, gates, split, cost } = timeline;
  const run = runs.find(({ runId }) => runId === wanted) ?? runs.at(-1);
  if (run === undefined) throw new DevCliError('NO_SUCH_RUN', `There is no run "${name}".`);
  const now = head?.snapshot.runId === run.runId ? head : null;
  const from = Date.parse(run.at);
  const lasted = split.agent + split.commands + split.you + split.idle;
  return {
    ...{ name, runId: run.runId, recipe: run.recipe, goal: run.goal },
    status: run.status,
    held: now?.snapshot.held !== undefined,
    waits: describeWaits(now, createFormatterFor(context.root)),
    runs: runs.map(({ runId, recipe, status, at }) => ({ runId, recipe, status, at })),
    rows: rows.map(toPageRow),
    split,
    cost: renderCost(cost),
    gates: gates.map(({ by, ...gate }) => ({ ...gate, by: by === null ? null : renderCaller(by) })),
    decision: now === null ? null : await buildDecision(context, now),
    left: now === null ? [] : listOpenParts(readRunText(now, REPORT) ?? ''),
    clock: { from, to: from + lasted, isRunning: run.status === 'live' },
    fault: fault === null ? null : { code: fault.code, message: fault.message },
    seq,
    tabs: listTabs(now),
  };
}

/** Converts a row; its documents are only named, because the page loads each on demand. */
function toPageRow(row: TimelineRow): PageRow {
  const segments = row.segments.map(({ documents, ...segment }) => ({
    ...segment,
    documents: documents.map(({ path }) => path.replace(/^\//, '')),
  }));
  return { ...row, segments };
}

function describeWaits(head: RunHead | null, format: CommandFormatter): RunPage['waits'] {
  if (head === null) return { text: '', since: null, command: null };
  const { now, since, you } = describeWaiting(head.snapshot);
  const isRunning = head.snapshot.status === 'live';
  return { text: now, since: isRunning ? Date.parse(since) : null, command: findCommand(you, format) ?? null };
}

/** Returns only the command of an instruction, so that the person can copy it. */
function findCommand(you: Instruction, format: CommandFormatter): string | undefined {
  const command = you.find((part) => typeof part !== 'string');
  return command === undefined ? undefined : format(command);
}

async function buildDecision(context: Context, head: RunHead): Promise<PageDecision | null> {
  const gate = await showOpenGate(context, head);
  if (gate === null) return null;
  const { actionId, digest, decision } = gate;
  const { title, sections, answers } = decision;
  const seen = await Promise.all(decision.looks.map(async ({ label, look }) => ({ label, text: await look() })));
  const looks = seen.flatMap(({ label, text }) => (typeof text === 'string' ? [{ label, ...cutDocument(text) }] : []));
  const isDeciding = context.caller.terminal === true;
  return { actionId, digest, title, sections: [...sections], answers: isDeciding ? [...answers] : [], looks };
}

/** Lists the available tabs. An earlier run has only its journal. */
function listTabs(head: RunHead | null): TabName[] {
  const has = (path: string) => head?.files.facts(path).kind === 'file';
  return [
    ...(has(PLAN) ? ['plan' as const] : []),
    ...(head === null ? [] : ['recipe' as const]),
    'journal',
    ...(has(REPORT) ? ['report' as const] : []),
  ];
}

/** Reads a document of a run as text; null if it does not exist or cannot be read. */
export function readRunText({ files }: RunHead, path: string): string | null {
  return files.facts(path).kind === 'file' ? (files.read(path)?.toString('utf8') ?? null) : null;
}
