import { omitUndefined } from '../base/defined.js';
import type { Instruction } from '../base/invocation.js';
import { joinFirst } from '../base/words.js';
import { toBoundedLine } from '../documents/foreign.js';
import type { PendingState, RunState } from '../run/state.js';
import type { SignName } from './signs.js';
import { describeOngoingWork, describeWaiting } from './status.js';

/** A run in one of the repository's work trees; it may be unreadable. */
export type FoundRun = RunLocation & ({ state: RunState } | { code: string });

/** The location of a run or a plan. */
export interface RunLocation {
  name: string;
  /** The absolute root, if it is not the call's own root. */
  root?: string;
}

/** A row of home: a run, or a plan without a run. */
export interface HomeRow extends RunLocation {
  sign: SignName;
  /** Progress, such as `12/40`. */
  progress?: string;
  /** The question, the work in progress, why the run is not moving, or how it ended. */
  text: string;
  /** When the situation that `text` describes began, in milliseconds. */
  since?: number;
  /** When an agent last gave a sign of life, in milliseconds; set only if that is too long ago. */
  silent?: number;
  /** What the person can do. */
  you?: Instruction;
}

/** The rows under a heading. `more` is the number of rows left out. */
export interface HomeGroup {
  title: string;
  rows: HomeRow[];
  more: number;
}

/** What home shows: a project's runs, in groups such as those that wait for the person (view.md, Home). */
export interface HomeView {
  project: string;
  branch: string | null;
  runs: number;
  /** How many goals wait for the person, with the command that lists them; absent if there are none. */
  goals?: string;
  groups: HomeGroup[];
}

/** How many ended runs are shown by default. */
export const ENDED = 5;

/** Milliseconds without a sign of life after which an agent is called silent. */
const SILENT = 10 * 60_000;

/** The longest question or reason, and the longest description of an end, in characters. */
const TEXT_CAP = 300;
const ENDING_CAP = 160;

type Kind = 'waiting' | 'working' | 'held' | 'halted' | 'ended';

/**
 * Builds home: runs that wait for the person, longest first; runs on which agents are working; held and halted runs;
 * unreadable ones; ended runs, newest first; and plans without a run.
 * @param now the current time in milliseconds
 * @param most how many ended runs become rows; the others are counted
 */
export function buildHome(
  project: Pick<HomeView, 'project' | 'branch'>,
  runs: readonly FoundRun[],
  plans: readonly RunLocation[],
  now: number,
  most: number = ENDED,
): HomeView {
  const rows: Record<Kind, HomeRow[]> = { waiting: [], working: [], held: [], halted: [], ended: [] };
  const unreadable: HomeRow[] = [];
  for (const run of runs) {
    const located = { name: run.name, ...omitUndefined({ root: run.root }) };
    if ('code' in run) {
      const you: Instruction = [{ command: 'status', input: { name: run.name } }];
      unreadable.push({ ...located, sign: 'failed', text: run.code, you });
    } else {
      const kind = findKind(run.state);
      rows[kind].push({ ...located, ...BUILDERS[kind](run.state, now) });
    }
  }
  const oldest = (one: HomeRow, other: HomeRow) => (one.since ?? 0) - (other.since ?? 0);
  const newest = (one: HomeRow, other: HomeRow) => oldest(other, one);
  const ended = rows.ended.sort(newest);
  const toBegin = plans.map((located): HomeRow => {
    const you: Instruction = [{ command: 'init', input: { name: located.name, execute: true } }];
    return { ...located, sign: 'pending', text: '', you };
  });
  const groups: HomeGroup[] = [
    { title: 'Waiting for you', rows: rows.waiting.sort(oldest), more: 0 },
    { title: 'Agents at work', rows: rows.working.sort(oldest), more: 0 },
    { title: 'Held', rows: rows.held.sort(oldest), more: 0 },
    { title: 'Halted', rows: rows.halted.sort(newest), more: 0 },
    { title: 'Cannot be read', rows: unreadable, more: 0 },
    { title: 'Ended', rows: ended.slice(0, most), more: Math.max(0, ended.length - most) },
    { title: 'Plans without a run', rows: toBegin, more: 0 },
  ];
  return { ...project, runs: runs.length, groups: groups.filter((group) => group.rows.length > 0) };
}

function findKind(state: RunState): Kind {
  const { status, held, engine } = state;
  if (findQuestion(state) !== null || (status !== 'aborted' && engine?.waits?.head === true)) return 'waiting';
  if (status === 'live') return held === undefined ? 'working' : 'held';
  return status === 'halted' ? 'halted' : 'ended';
}

/** Returns the question that a live run asks the person, and since when; null if it asks none. */
function findQuestion({ status, pendingAction: action, sourcesRefused, engine }: RunState) {
  if (status !== 'live') return null;
  const since = action?.issuedAt;
  // The lines after the first only list details: commands, reviews.
  if (action?.action === 'wait-for-user') return { text: action.message.split('\n')[0] ?? '', since };
  if (sourcesRefused !== null) return { text: `files have changed: ${joinFirst(sourcesRefused.paths, 4)}`, since };
  if (engine?.proposed !== undefined) return { text: 'the agent proposes another plan', since: engine.proposed.at };
  if (isTalk(action)) return { text: `the agent asks about "${action.block}"`, since };
  return null;
}

function isTalk(action: PendingState | null): action is Exclude<PendingState, { action: 'done' }> {
  return action !== null && 'asks' in action && action.asks === 'user';
}

const BUILDERS: Record<Kind, (state: RunState, now: number) => Omit<HomeRow, 'name' | 'root'>> = {
  waiting(state) {
    const why = state.engine?.waits?.why ?? 'because of where HEAD is';
    const { text, since = state.updatedAt } = findQuestion(state) ?? { text: `commits wait: ${why}` };
    const isRefused = state.sourcesRefused !== null && state.pendingAction?.action !== 'wait-for-user';
    const approve: Instruction = [{ command: 'approve', input: { name: state.name } }];
    const you = isRefused && state.status === 'live' ? approve : describeWaiting(omitHold(state)).you;
    const hold = state.held === undefined ? '' : ' (held)';
    return { sign: 'waiting', text: `${toBoundedLine(text, TEXT_CAP)}${hold}`, since: Date.parse(since), you };
  },
  working(state, now) {
    const { pendingAction: action } = state;
    if (action === null || action.action === 'done') return { sign: 'running', text: state.status };
    const heard = Date.parse(state.updatedAt);
    const isSilent = action.action !== 'running' && now - heard >= SILENT;
    // A dispatch is issued again whenever one of its tasks ends, so its own time may be recent: the oldest task counts.
    const out = action.action === 'engine-dispatch' ? Object.values(state.engine?.tasks ?? {}) : [];
    return {
      sign: 'running',
      progress: action.progress.replace(/^todos /, ''),
      text: toBoundedLine(describeOngoingWork(action), TEXT_CAP),
      since: Math.min(...[action, ...out].map(({ issuedAt }) => Date.parse(issuedAt))),
      ...(isSilent ? { silent: heard } : {}),
    };
  },
  held(state) {
    const { now: text, since, you } = describeWaiting(state);
    return { sign: 'held', text, since: Date.parse(since), you };
  },
  halted: (state) => ({ sign: 'failed', ...describeEnding(state) }),
  ended(state) {
    const { you: _, ...ending } = describeEnding(state);
    return { sign: state.status === 'completed' ? 'done' : 'skipped', ...ending };
  },
};

function describeEnding(state: RunState): Pick<HomeRow, 'text' | 'since' | 'you'> {
  const { now, you } = describeWaiting(state);
  const text = state.pendingAction?.action === 'done' ? state.pendingAction.summary : now;
  return { text: toBoundedLine(text, ENDING_CAP), since: Date.parse(state.updatedAt), you };
}

/** Removes the hold, so that the row says how to answer the question, which is possible while the run is held. */
function omitHold({ held: _, ...state }: RunState): RunState {
  return state;
}
