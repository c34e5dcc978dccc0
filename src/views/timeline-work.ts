import type { JsonObject } from '../base/json.js';
import { toCommandName } from '../documents/command-words.js';
import type { EntryData, EntryType } from '../run/entries.js';
import type { PendingState, RunState } from '../run/state.js';
import { applyEntries } from '../store/snapshot.js';
import type { Entry } from '../store/store.js';

/** A stretch of a row's time, in milliseconds of the run's clock (`createClock`). */
export interface Segment {
  from: number;
  /** Null as long as it goes on. */
  to: number | null;
  /** `you` at a gate and where the agent asks you; `commands` is what dev-cli does itself, whoever called it. */
  who: 'agent' | 'you' | 'commands';
  /** The stage of a todo, the command, or which action of a step. */
  what: string;
  /** Null while it goes on, and for what became void. */
  ok: boolean | null;
  /** The entry that began it. */
  seq: number;
  /** What it was given and what came of it, each with the entry that names it. */
  documents: { seq: number; path: string }[];
}

/** A segment with its row, and why it did not end well. */
export interface Work extends Segment {
  row: string;
  attempt?: number;
  why?: string;
}

/** What the state says of an action when it was issued. */
interface Asked {
  /** The question of a gate, or the command that runs. */
  text: string | undefined;
  isYours: boolean;
  /** The todo or stage of an execution that it is about. */
  row: string | undefined;
  documents: Segment['documents'];
}

/** What the entries of a run tell beside its history. */
export interface Told {
  /** Of agents' tasks and of what dev-cli did itself, in the order in which they began. */
  work: Work[];
  /** By the id of the action. */
  asked: ReadonlyMap<string, Asked>;
  /** The phases of a workflow, each with the entry that began it. */
  phases: { seq: number; phase: string }[];
  /** The state after the last entry; null where the entries do not give one. */
  state: RunState | null;
}

/** With these an agent says that its task is not done, or that the work is not good. */
const BAD = ['BLOCKED', 'FAILED', 'NEEDS_FIXES'];

/** The key of what dev-cli does itself without a command, of which there is one at a time. */
const JOB = 'job';

/**
 * The instant of each entry in milliseconds: it begins with the first one's and goes on by the difference of two in a row. A
 * clock that was put back takes no time away, and one that was put forward adds it once.
 */
export function createClock(entries: readonly Entry[]): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  let now = Date.parse(entries[0]?.at ?? '') || 0;
  let before = now;
  for (const { seq, at } of entries) {
    const instant = Date.parse(at) || before;
    now += Math.max(0, instant - before);
    before = instant;
    times.set(seq, now);
  }
  return times;
}

/**
 * Follows a run through its entries.
 * @param entries whole commits from the beginning of the journal, oldest first
 * @param clock of the run's entries; those without a time are of other runs
 */
export function followRun(entries: readonly Entry[], clock: ReadonlyMap<number, number>): Told {
  const work: Work[] = [];
  const asked = new Map<string, Asked>();
  const phases: Told['phases'] = [];
  const open = new Map<string, Work>();
  let folded: JsonObject | null = null;
  let state: RunState | null = null;
  let commit: Entry[] = [];

  const begin = (key: string, seq: number, of: Pick<Work, 'row' | 'who' | 'what' | 'attempt'>): void => {
    end(key, seq, null);
    const one: Work = { ...of, from: clock.get(seq) ?? 0, to: null, ok: null, seq, documents: [] };
    open.set(key, one);
    work.push(one);
  };
  const end = (key: string, seq: number, ok: boolean | null, why?: string, paths: readonly string[] = []): void => {
    const one = open.get(key);
    if (one === undefined) return;
    open.delete(key);
    one.documents.push(...paths.map((path) => ({ seq, path })));
    Object.assign(one, { to: clock.get(seq) ?? one.from, ok }, ok === false && why !== undefined ? { why } : {});
  };
  const takers: { [T in EntryType]?: (data: EntryData<T>, seq: number) => void } = {
    'phase-started': ({ phase }, seq) => phases.push({ seq, phase }),
    issued({ cause, block }, seq) {
      end(JOB, seq, null);
      const isCommand = commit.some(({ type, data }) => type === 'command-started' && data['id'] !== undefined);
      if (cause === 'job' && !isCommand)
        begin(JOB, seq, { row: findPlace(state) ?? block, who: 'commands', what: state?.engine?.job?.kind ?? JOB });
    },
    dispatched({ tasks }, seq) {
      for (const { actionId, todoId, substep, attempt } of tasks)
        begin(actionId, seq, { row: todoId ?? substep, who: 'agent', what: substep, attempt });
    },
    'task-done': ({ actionId, status, summary, evidence }, seq) =>
      end(actionId, seq, !BAD.includes(status), summary, Object.keys(evidence)),
    'task-failed': ({ actionId, reason }, seq) => end(actionId, seq, false, reason),
    'command-started'({ key, todoId, id, argv, block }, seq) {
      // One of a block is an action, which the history has.
      if (id === undefined) return;
      const row = findPlace(state) ?? todoId ?? block;
      begin(key, seq, { row, who: 'commands', what: toCommandName(argv, 120) });
    },
    'command-finished': ({ key, exit, outcome, log, todoId }, seq) =>
      end(key, seq, isGreen(state, todoId, log) ?? exit === 0, outcome, [log]),
    committed: ({ outcome, reason }, seq) => end(JOB, seq, !['refused', 'impossible'].includes(outcome), reason),
    stage: ({ outcome, summary }, seq) => end(JOB, seq, outcome === 'done' || outcome === 'skipped', summary),
    executed: (_, seq) => [...open.keys()].forEach((key) => void end(key, seq, null)),
    ended: (_, seq) => [...open.keys()].forEach((key) => void end(key, seq, null)),
  };

  function takeCommit(last: Entry): void {
    folded = applyEntries(folded, [structuredClone(last)]);
    // With `--force` one commit ends a run and begins the next.
    if (clock.has(last.seq)) state = folded as RunState | null;
    for (const { type, data, seq } of commit)
      if (clock.has(seq)) (takers[type as EntryType] as ((data: object, seq: number) => void) | undefined)?.(data, seq);
    if (state !== null && clock.has(last.seq)) compareState(state, last);
  }

  /** Ends what the state knows no more, because it was withdrawn; takes what it says of the action that was issued. */
  function compareState({ engine, commands, pendingAction }: RunState, last: Entry): void {
    const tasks = engine?.tasks ?? {};
    for (const [key, { who, seq, documents }] of open) {
      if (key !== JOB && !Object.hasOwn(who === 'agent' ? tasks : commands, key)) end(key, last.seq, null);
      else if (seq >= (commit[0]?.seq ?? 0)) documents.push(...listHanded(key, last));
    }
    if (pendingAction !== null && pendingAction.action !== 'done' && !asked.has(pendingAction.actionId))
      asked.set(pendingAction.actionId, readAsked(pendingAction, findPlace(state), last));
  }

  for (const entry of entries) {
    commit.push(entry);
    if (entry.more) continue;
    takeCommit(entry);
    commit = [];
  }
  return { work, asked, phases, state };
}

/** What was written for an action: its prompts. */
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

/** The todo, or the stage of the whole, that an execution is at. */
function findPlace(state: RunState | null): string | undefined {
  const at = state?.engine?.at;
  return at === null || at === undefined ? undefined : (at.todo ?? at.stage);
}

/** Whether the command with this log did what its acceptance wants; undefined where the state does not say. */
function isGreen(state: RunState | null, todo: string | null | undefined, log: string): boolean | undefined {
  const engine = state?.engine;
  if (engine === null || engine === undefined) return undefined;
  const known = [...(engine.todos[todo ?? '']?.evidence ?? []), ...engine.evidence, ...(engine.reds ?? [])];
  return known.find((one) => one.log === log)?.ok;
}
