import type { FileFacts } from '../base/files.js';
import type { JsonObject } from '../base/json.js';
import type { CapturedRecipe } from '../recipe/captured.js';
import { createCostCounter, type RunCost } from '../run/cost.js';
import { applyEntries } from '../store/snapshot.js';
import type { Entry } from '../store/store.js';
import { createHistoryBuilder } from './history.js';
import type { RunHistory } from './history-items.js';
import { type Gate, listActions, listGates } from './timeline-actions.js';
import { buildRows, type TimelineRow } from './timeline-rows.js';
import { createClock, createFollower, type RowSegment, type Segment } from './timeline-work.js';

/** For how many milliseconds an agent worked; else a command; else you; else nobody. Each instant counts only once. */
type Split = Record<Segment['who'] | 'idle', number>;

/** What a person sees of a run (view.md, One model). */
export interface Timeline {
  /** All runs of the name, oldest first. */
  runs: Omit<RunHistory, 'items'>[];
  /** In the order of recipe and plan; `sortRows` sorts them by what needs attention. */
  rows: TimelineRow[];
  gates: Gate[];
  split: Split;
  cost: RunCost;
}

/** What a timeline needs besides the run's entries. */
interface Surroundings {
  /** The recipe that the run captured; null if it cannot be read, and then rows have no titles. */
  captured: CapturedRecipe | null;
  /** The current time in milliseconds, up to which a live run is counted as lasting. */
  now: number;
  /** Returns the facts of a file of the run; the cost needs the sizes of prompts. */
  facts: (path: string) => FileFacts;
}

/** Takes the entries of a journal as they are read, so that no entry is read twice. */
export interface TimelineBuilder {
  /**
   * Takes the next entry, oldest first. A commit has an effect only once its last entry has been taken.
   * @throws DevCliError `JOURNAL_CORRUPT` for an intact entry that dev-cli cannot have written
   */
  take(entry: Entry): void;
  /** Returns the id of the run that `build` shows; null until an entry has begun it. */
  runId(): string | null;
  /** Builds the timeline from the entries taken so far; null while `runId` is null. */
  build(surroundings: Surroundings): Timeline | null;
}

/**
 * Creates a builder for the timeline of a run. Pure, except that it looks up the size of prompts.
 * @param wanted the id of the run; by default the newest of the name
 */
export function createTimelineBuilder(wanted?: string): TimelineBuilder {
  const history = createHistoryBuilder();
  let folded: JsonObject | null = null;
  let commit: Entry[] = [];
  let following: ReturnType<typeof followRun> | null = null;
  const takeCommit = (last: Entry): void => {
    folded = applyEntries(folded, [structuredClone(last)]);
    const begun = commit.findLast(({ type, data }) => type === 'init' && isWanted(data['runId'], wanted));
    if (begun !== undefined) following = followRun(String(begun.data['runId']));
    following?.take(commit, folded);
  };
  return {
    take(entry) {
      history.take(entry);
      commit.push(entry);
      if (entry.more === true) return;
      takeCommit(entry);
      commit = [];
    },
    runId: () => following?.runId ?? null,
    build({ captured, now, facts }) {
      const runs = history.runs();
      const run = runs.find(({ runId }) => runId === following?.runId);
      if (following === null || run === undefined) return null;
      const { told, clock, counter } = following;
      const time = (seq: number) => clock.get(seq) ?? 0;
      const work = [...told.work, ...listActions(run, told, time)].sort((a, b) => a.seq - b.seq);
      const since = run.status === 'live' ? Math.max(0, now - Date.parse(run.lastAt)) || 0 : 0;
      return {
        runs: runs.map(({ items: _, ...head }) => head),
        rows: buildRows(captured, told.state, work),
        gates: listGates(run, told),
        split: splitTime(work, time(run.first), time(run.last) + since),
        cost: counter.count(facts),
      };
    },
  };
}

const isWanted = (runId: unknown, wanted: string | undefined) => wanted === undefined || runId === wanted;

/** Follows one run: its clock, its work, its cost. */
function followRun(runId: string) {
  const clock = createClock();
  const follower = createFollower(clock);
  const counter = createCostCounter(runId);
  return {
    runId,
    clock,
    counter,
    told: follower.told,
    take(commit: readonly Entry[], folded: JsonObject | null): void {
      for (const entry of commit) {
        if (entry.data['runId'] === runId) clock.tick(entry);
        counter.take(entry);
      }
      follower.take(commit, folded);
    },
  };
}

/** Sorts rows for a person: what needs attention, then the next ones to come, what is done (newest first), the rest. */
export function sortRows(rows: readonly TimelineRow[]): TimelineRow[] {
  const pending = rows.filter(({ state }) => state === 'pending');
  const of = (...states: TimelineRow['state'][]) =>
    states.flatMap((state) => rows.filter((row) => row.state === state));
  const lastAt = ({ segments }: TimelineRow) => segments.reduce((last, { to }) => Math.max(last, to ?? 0), 0);
  const done = of('done').sort((a, b) => lastAt(b) - lastAt(a));
  return [
    ...of('failed', 'waiting', 'running', 'stale'),
    ...pending.slice(0, NEXT),
    ...done,
    ...pending.slice(NEXT),
    ...of('skipped'),
  ];
}

/** How many pending rows come before those that are done. */
const NEXT = 5;

function splitTime(work: readonly RowSegment[], from: number, to: number): Split {
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
