import type { FileFacts } from '../base/files.js';
import type { CapturedRecipe } from '../recipe/resolved.js';
import { createCostCounter, type RunCost } from '../run/cost.js';
import type { Entry } from '../store/store.js';
import { createHistoryBuilder } from './history.js';
import type { RunHistory } from './history-items.js';
import { type Gate, listActions, listGates } from './timeline-actions.js';
import { buildRows, type Row } from './timeline-rows.js';
import { createClock, followRun, type Segment, type Work } from './timeline-work.js';

/** Milliseconds by who was at work; each instant counts once, in this order. */
type Split = Record<Segment['who'] | 'idle', number>;

/** What a person sees of one run (view.md, One model). */
export interface Timeline {
  /** All runs of the name, oldest first. */
  runs: Omit<RunHistory, 'items'>[];
  /** In the order of recipe and plan; `sortRows` has the other one. */
  rows: Row[];
  gates: Gate[];
  split: Split;
  cost: RunCost;
}

/** What a timeline is built from. */
export interface TimelineSource {
  /** The journal, oldest first; a commit whose end is missing does not count. */
  entries: readonly Entry[];
  /** The run to show; left out, the newest of the name. */
  runId?: string;
  /** The recipe that this run captured; null where it cannot be read: then there are no titles. */
  captured: CapturedRecipe | null;
  /** Instant in milliseconds, up to which a live run has lasted. */
  now: number;
  /** Of the run's files: prompts are counted by their size. */
  facts: (path: string) => FileFacts;
}

/**
 * Builds the timeline of a run. Pure, apart from looking at the size of prompts; null for a journal without that run.
 * @throws DevCliError `JOURNAL_CORRUPT` for an intact entry that dev-cli cannot have written
 */
export function buildTimeline({ entries, runId, captured, now, facts }: TimelineSource): Timeline | null {
  const whole = entries.slice(0, entries.findLastIndex(({ more }) => more !== true) + 1);
  const history = createHistoryBuilder();
  for (const entry of whole) history.take(entry);
  const runs = history.runs();
  const run = runId === undefined ? runs.at(-1) : runs.find((one) => one.runId === runId);
  if (run === undefined) return null;
  const own = whole.filter(({ data }) => data['runId'] === run.runId);
  const clock = createClock(own);
  const told = followRun(whole, clock);
  const time = (seq: number) => clock.get(seq) ?? 0;
  const work = [...told.work, ...listActions(run, told, time)].sort((a, b) => a.seq - b.seq);
  const counter = createCostCounter(run.runId);
  for (const entry of own) counter.take(entry);
  const since = run.status === 'live' ? Math.max(0, now - Date.parse(run.lastAt)) || 0 : 0;
  return {
    runs: runs.map(({ items: _, ...head }) => head),
    rows: buildRows(captured, told.state, work),
    gates: listGates(run, told),
    split: splitTime(work, time(own[0]?.seq ?? 0), time(own.at(-1)?.seq ?? 0) + since),
    cost: counter.count(facts),
  };
}

/** The order for a person: what wants attention first, then what is done, the newest before, then the rest. */
export function sortRows(rows: readonly Row[]): Row[] {
  const pending = rows.filter(({ state }) => state === 'pending');
  const of = (...states: Row['state'][]) => states.flatMap((state) => rows.filter((row) => row.state === state));
  const lastAt = ({ segments }: Row) => segments.reduce((last, { to }) => Math.max(last, to ?? 0), 0);
  const done = of('done').sort((a, b) => lastAt(b) - lastAt(a));
  return [
    ...of('failed', 'waiting', 'running', 'stale'),
    ...pending.slice(0, NEXT),
    ...done,
    ...pending.slice(NEXT),
    ...of('skipped'),
  ];
}

/** Rows to come that stand before what is done. */
const NEXT = 5;

function splitTime(work: readonly Work[], from: number, to: number): Split {
  const edges = work.flatMap((one) => [
    { at: one.from, who: one.who, by: 1 },
    { at: one.to ?? to, who: one.who, by: -1 },
  ]);
  const split: Split = { agent: 0, commands: 0, you: 0, idle: 0 };
  const busy = { agent: 0, commands: 0, you: 0 };
  let before = from;
  for (const { at, who, by } of [...edges.sort((a, b) => a.at - b.at), { at: to, who: 'you' as const, by: 0 }]) {
    const counted = (['agent', 'commands', 'you'] as const).find((one) => busy[one] > 0) ?? 'idle';
    split[counted] += at - before;
    before = at;
    busy[who] += by;
  }
  return split;
}
