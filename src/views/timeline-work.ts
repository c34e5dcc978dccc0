import type { JsonObject } from '../base/json.js';
import { toCommandName } from '../documents/command-words.js';
import type { EntryData, EntryType } from '../run/entries.js';
import type { PendingState, RunState } from '../run/state.js';
import type { Entry } from '../store/store.js';

/** A period in which a row was worked on, in milliseconds on the run's clock (`createClock`). */
export interface Segment {
  from: number;
  /** Null while the work goes on. */
  to: number | null;
  /** `you` at a gate or when the agent asks you; `commands` for what dev-cli itself does, no matter who called it. */
  who: 'agent' | 'you' | 'commands';
  /** The stage of a todo, the command, or the kind of a step's action. */
  what: string;
  /** Whether the work succeeded; null while it continues, and if it became void. */
  ok: boolean | null;
  /** `seq` of the entry that began it. */
  seq: number;
  /** The documents it was given and those it produced, each with `seq` of the entry that names it. */
  documents: { seq: number; path: string }[];
}

/** A segment with its row, and the reason if it did not end well. */
export interface RowSegment extends Segment {
  row: string;
  attempt?: number;
  why?: string;
}

/** What the state said about an action when it was issued. */
interface Asked {
  /** The question of a gate, or the command that runs. */
  text: string | undefined;
  isYours: boolean;
  /** The todo or stage of an execution that the action is about. */
  row: string | undefined;
  documents: Segment['documents'];
}

/** Facts from a run's entries that its history does not contain. */
export interface TimelineFacts {
  /** The tasks of agents and what dev-cli did itself, in the order in which they began. */
  work: RowSegment[];
  /** What the state said about each action when it was issued, by the action's id. */
  asked: ReadonlyMap<string, Asked>;
  /** The phases of a workflow, each with `seq` of the entry that began it. */
  phases: { seq: number; phase: string }[];
  /** The state after the last entry; null if the entries do not give one. */
  state: RunState | null;
}

/** Statuses by which an agent reports that its task is not done, or that the work is not good. */
const BAD = ['BLOCKED', 'FAILED', 'NEEDS_FIXES'];

/** The key for a job that dev-cli does without a command, such as a commit; there is only one at a time. */
const JOB = 'job';

/** Maps the entries of a run to instants in milliseconds. */
export interface RunClock {
  tick(entry: Entry): void;
  /** Returns the instant of an entry; undefined if it is not of this run. */
  get(seq: number): number | undefined;
}

/**
 * Creates the clock of a run. It starts at the time of the first entry and advances by the difference between
 * consecutive entries. Setting the system clock back subtracts nothing; setting it forward adds the difference once.
 */
export function createClock(): RunClock {
  const times = new Map<number, number>();
  let before: number | null = null;
  let now = 0;
  return {
    tick({ seq, at }) {
      const instant = Date.parse(at) || (before ?? 0);
      now = before === null ? instant : now + Math.max(0, instant - before);
      before = instant;
      times.set(seq, now);
    },
    get: (seq) => times.get(seq),
  };
}

/** Follows a run, commit by commit. */
export interface RunFollower {
  told: TimelineFacts;
  /**
   * Takes the next commit.
   * @param commit the commit's entries; the caller has already passed those of this run to the clock's `tick`
   * @param folded the state after the commit
   */
  take(commit: readonly Entry[], folded: JsonObject | null): void;
}

/** Creates a follower that has seen no commit yet. */
export function createFollower(clock: RunClock): RunFollower {
  const asked = new Map<string, Asked>();
  const told: TimelineFacts = { work: [], asked, phases: [], state: null };
  const open = new Map<string, RowSegment>();
  let commit: readonly Entry[] = [];

  const begin = (key: string, seq: number, of: Pick<RowSegment, 'row' | 'who' | 'what' | 'attempt'>): void => {
    end(key, seq, null);
    const one: RowSegment = { ...of, from: clock.get(seq) ?? 0, to: null, ok: null, seq, documents: [] };
    open.set(key, one);
    told.work.push(one);
  };
  const end = (key: string, seq: number, ok: boolean | null, why?: string, paths: readonly string[] = []): void => {
    const one = open.get(key);
    if (one === undefined) return;
    open.delete(key);
    one.documents.push(...paths.map((path) => ({ seq, path })));
    Object.assign(one, { to: clock.get(seq) ?? one.from, ok }, ok === false && why !== undefined ? { why } : {});
  };
  const takers: { [T in EntryType]?: (data: EntryData<T>, seq: number) => void } = {
    'phase-started': ({ phase }, seq) => told.phases.push({ seq, phase }),
    issued({ cause, block }, seq) {
      end(JOB, seq, null);
      const isCommand = commit.some(({ type, data }) => type === 'command-started' && data['id'] !== undefined);
      if (cause === 'job' && !isCommand)
        begin(JOB, seq, {
          row: findPlace(told.state) ?? block,
          who: 'commands',
          what: told.state?.engine?.job?.kind ?? JOB,
        });
    },
    dispatched({ tasks }, seq) {
      for (const { actionId, todoId, substep, attempt } of tasks)
        begin(actionId, seq, { row: todoId ?? substep, who: 'agent', what: substep, attempt });
    },
    'task-done': ({ actionId, status, summary, evidence }, seq) =>
      end(actionId, seq, !BAD.includes(status), summary, Object.keys(evidence)),
    'task-failed': ({ actionId, reason }, seq) => end(actionId, seq, false, reason),
    'command-started'({ key, todoId, id, argv, block }, seq) {
      // Without an acceptance's id, the command is that of a block: an action, which the history already has.
      if (id === undefined) return;
      const row = findPlace(told.state) ?? todoId ?? block;
      begin(key, seq, { row, who: 'commands', what: toCommandName(argv, 120) });
    },
    'command-finished': ({ key, exit, outcome, log, todoId }, seq) =>
      end(key, seq, isGreen(told.state, todoId, log) ?? exit === 0, outcome, [log]),
    committed: ({ outcome, reason }, seq) => end(JOB, seq, !['refused', 'impossible'].includes(outcome), reason),
    stage: ({ outcome, summary }, seq) => end(JOB, seq, outcome === 'done' || outcome === 'skipped', summary),
    executed: (_, seq) => [...open.keys()].forEach((key) => void end(key, seq, null)),
    ended: (_, seq) => [...open.keys()].forEach((key) => void end(key, seq, null)),
  };

  /** Ends work that the state no longer contains, because it was withdrawn, and records the action that was issued. */
  function compareState({ engine, commands, pendingAction }: RunState, last: Entry): void {
    const tasks = engine?.tasks ?? {};
    for (const [key, { who, seq, documents }] of open) {
      if (key !== JOB && !Object.hasOwn(who === 'agent' ? tasks : commands, key)) end(key, last.seq, null);
      else if (seq >= (commit[0]?.seq ?? 0)) documents.push(...listHanded(key, last));
    }
    if (pendingAction !== null && pendingAction.action !== 'done' && !asked.has(pendingAction.actionId))
      asked.set(pendingAction.actionId, readAsked(pendingAction, findPlace(told.state), last));
  }

  return {
    told,
    take(entries, folded) {
      commit = entries;
      const last = commit.at(-1);
      // With `--force` one commit ends a run and begins the next, so the last entry may belong to another run.
      const isOwn = last !== undefined && clock.get(last.seq) !== undefined;
      if (isOwn) told.state = folded as RunState | null;
      for (const { type, data, seq } of commit)
        if (clock.get(seq) !== undefined)
          (takers[type as EntryType] as ((data: object, seq: number) => void) | undefined)?.(data, seq);
      if (isOwn && told.state !== null) compareState(told.state, last);
    },
  };
}

/** Lists the files written for an action: its prompts. */
function listHanded(actionId: string, { seq, files }: Entry): Segment['documents'] {
  const written = files.filter(({ path, after }) => after !== null && path.startsWith(`actions/${actionId}/`));
  return written.map(({ path }) => ({ seq, path }));
}

function readAsked(action: Exclude<PendingState, { action: 'done' }>, place: string | undefined, last: Entry): Asked {
  const isGate = action.action === 'wait-for-user';
  const run = action.action === 'running' ? action.commands[0]?.run : undefined;
  return {
    text: isGate ? action.message : run === undefined ? undefined : toCommandName(run, 120),
    isYours: isGate || ('asks' in action && action.asks === 'user'),
    row: (isGate ? action.todoId : undefined) ?? place,
    documents: listHanded(action.actionId, last),
  };
}

/** Returns the todo or stage that an execution is at. */
function findPlace(state: RunState | null): string | undefined {
  const at = state?.engine?.at;
  return at === null || at === undefined ? undefined : (at.todo ?? at.stage);
}

/** Whether the command with this log met its acceptance; undefined if the state does not say. */
function isGreen(state: RunState | null, todo: string | null | undefined, log: string): boolean | undefined {
  const engine = state?.engine;
  if (engine === null || engine === undefined) return undefined;
  const known = [...(engine.todos[todo ?? '']?.evidence ?? []), ...engine.evidence, ...(engine.reds ?? [])];
  return known.find((one) => one.log === log)?.ok;
}
