import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { enumSchema, NullableString, noOtherKeys } from '../base/schema.js';
import { ENTRY_VERSION } from '../store/store.js';

/**
 * All types of journal entries (storage.md, A commit). `data` alone suffices to say what happened: history is rendered
 * from it without the snapshot.
 */

const Str = Type.String();
const Digests = Type.Record(Str, NullableString);
const entryData = <T extends Record<string, TSchema>>(fields: T) => Type.Object({ runId: Str, ...fields }, noOtherKeys);

/** For a command that judges a todo: the todo and the id of the acceptance. */
const ofTodo = { todoId: Type.Optional(NullableString), id: Type.Optional(Str) };
const task = { actionId: Str, todoId: NullableString, substep: Str, attempt: Type.Integer() };

/** The run, and the entry of its journal, from which a fork continues. */
export const ForkedFromSchema = Type.Object({ name: Str, runId: Str, seq: Type.Integer() }, noOtherKeys);

const ENTRY_DATA = {
  /** A run began. */
  init: entryData({
    recipe: Str,
    recipeHash: Str,
    goal: NullableString,
    mode: Type.Record(Str, Str),
    /** The size that the user stated, and `atMost`, the largest size that the user allows. */
    size: Type.Optional(Str),
    atMost: Type.Optional(Str),
    cliVersion: Str,
    /** Only in a fork (storage.md, History). */
    forkedFrom: Type.Optional(ForkedFromSchema),
  }),
  /** An action was issued. */
  issued: entryData({ actionId: Str, block: Str, action: Str, cause: Str, round: Type.Optional(Type.Integer()) }),
  /** An action was acknowledged and its evidence was accepted. */
  acknowledged: entryData({
    actionId: Str,
    block: Str,
    choice: Type.Optional(Str),
    note: Type.Optional(Str),
    digest: Type.Optional(NullableString),
    /** At a gate about the plan: the digest of plan-content.json. */
    plan: Type.Optional(NullableString),
    saved: Type.Optional(Type.Array(Str)),
    evidence: Type.Optional(Digests),
    selfReported: Type.Optional(Type.Boolean()),
    /** The goal, if the run was begun without one and this acknowledgement supplies it. */
    goal: Type.Optional(Str),
    /** At a gate of an execution: which gate, and the todo it was about. */
    gate: Type.Optional(Str),
    todoId: Type.Optional(Str),
  }),
  /** The agent wanted to stop and was asked to continue with the pending action. */
  nudged: entryData({ actionId: Str, times: Type.Integer() }),
  /** A harness reported how many tokens a subagent has used so far; `agent` is the harness's id of that subagent. */
  spent: entryData({ agent: Str, tokens: Type.Integer() }),
  /** Hooks saw which agent wrote the output of a subagent; `agent` is null for the main agent. */
  written: entryData({ path: Str, agent: NullableString, agentType: NullableString }),
  /** Some promised outputs were accepted while others were still missing. */
  accepted: entryData({
    actionId: Str,
    block: Str,
    evidence: Digests,
    /** Agents that promise no output file and have reported. */
    selfReported: Type.Optional(Type.Array(Str)),
  }),
  /** Agents could not deliver their outputs. */
  'given-up': entryData({ actionId: Str, block: Str, agents: Type.Array(Str), reason: Str }),
  /** A round of a loop did not pass. */
  round: entryData({
    actionId: Str,
    block: Str,
    round: Type.Integer(),
    saved: Type.Array(Str),
    missing: Type.Array(Str),
    evidence: Type.Optional(Digests),
  }),
  /** The agent reported that it cannot do the step. */
  failed: entryData({ actionId: Str, block: Str, reason: Str }),
  /** The run's size was set to `size`. `block`: the block that claimed a size; `claimed`: its claim, if it differs. */
  sized: entryData({
    size: Str,
    by: enumSchema('user', 'classified', 'default'),
    block: Type.Optional(Str),
    claimed: Type.Optional(Str),
    why: Type.Optional(Str),
  }),
  /** A CLI block ran inside dev-cli. */
  ran: entryData({ block: Str, command: Str, ok: Type.Boolean(), summary: Str }),
  /** A block was skipped because its condition was false. */
  skipped: entryData({ block: Str }),
  'command-started': entryData({
    key: Str,
    block: Str,
    actionId: Str,
    argv: Type.Array(Str),
    shell: Type.Boolean(),
    ...ofTodo,
  }),
  'command-finished': entryData({
    key: Str,
    block: Str,
    argv: Type.Array(Str),
    exit: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    outcome: Str,
    log: Str,
    reused: Type.Optional(Type.Boolean()),
    ...ofTodo,
  }),
  /** A block or a todo will be redone; `note`: the ruling that came with the command. */
  invalidated: entryData({ block: Str, stale: Type.Array(Str), todoId: Type.Optional(Str), note: Type.Optional(Str) }),
  /** The execution of a plan began; `done`: todos whose boxes were already ticked. */
  'plan-captured': entryData({
    /** Who approved the plan, in words. */
    approved: Type.Optional(Str),
    block: Str,
    todos: Type.Integer(),
    done: Type.Array(Str),
    plan: Str,
  }),
  /** The execution continues with a changed plan; `verdicts` leaves out unchanged todos. */
  'plan-applied': entryData({
    block: Str,
    /** The file that was changed. */
    source: Str,
    verdicts: Type.Array(Type.Object({ todo: Str, verdict: Str }, noOtherKeys)),
    /** The parts of the plan that a person had approved and that have changed. */
    outdated: Type.Optional(Type.Array(Str)),
    /** The digest of plan-content.json. */
    plan: NullableString,
  }),
  /** An agent proposed a changed plan, and a person has to decide about it. */
  'plan-proposed': entryData({
    block: Str,
    verdicts: Type.Array(Type.Object({ todo: Str, verdict: Str }, noOtherKeys)),
  }),
  /** A person turned the proposed plan down by a command rather than at its gate. */
  'plan-rejected': entryData({ block: Str, note: Str }),
  /** Tasks were handed out together. */
  dispatched: entryData({
    actionId: Str,
    block: Str,
    tasks: Type.Array(
      Type.Object(
        { actionId: Str, todoId: NullableString, substep: Str, attempt: Type.Integer(), why: Type.Optional(Str) },
        noOtherKeys,
      ),
    ),
  }),
  /** The result of a task was accepted. */
  'task-done': entryData({
    ...task,
    /** `DONE`, `BLOCKED`, `VERIFIED`, `FAILED`, `SHIP`, `NEEDS_FIXES`. */
    status: Str,
    summary: Str,
    evidence: Digests,
  }),
  /** A task failed: by `step fail`, or after four malformed results. */
  'task-failed': entryData({ ...task, reason: Str }),
  /** A result was refused for its form; the agent keeps the task. */
  'result-refused': entryData({ ...task, times: Type.Integer(), problems: Type.Array(Str) }),
  /** A todo is done or has failed. */
  'todo-settled': entryData({
    todoId: Str,
    status: enumSchema('done', 'failed'),
    attempt: Type.Integer(),
    why: Type.Optional(Str),
  }),
  /** A todo is attempted again. */
  'todo-retried': entryData({ todoId: Str, attempt: Type.Integer(), why: Str }),
  /** Todos were added. `by`: the todo that made them necessary; null for findings of the final stages. */
  'todos-added': entryData({ todos: Type.Array(Str), by: NullableString, why: Type.Optional(Str) }),
  /** A worker's report was stored and its todo's box ticked; `learned` and `left` are the lines added to the notes. */
  'wrapped-up': entryData({
    todoId: Str,
    outputs: Type.Array(Str),
    learnings: Type.Integer(),
    issues: Type.Integer(),
    attempt: Type.Integer(),
    summary: Str,
    learned: Type.Array(Str),
    left: Type.Array(Str),
  }),
  /** A stage without an entry type of its own ended, such as a skipped approval or an update of the pull request. */
  stage: entryData({ todoId: NullableString, stage: Str, outcome: Str, summary: Str }),
  /** A commit was made in the repository, or none was made, and `outcome` and `reason` say why. */
  committed: entryData({
    key: Str,
    todoId: NullableString,
    outcome: enumSchema('made', 'found', 'nothing', 'deferred', 'refused', 'impossible', 'no-repository'),
    commit: NullableString,
    /** The first line of the commit message. */
    subject: Type.Optional(Str),
    paths: Type.Array(Str),
    reason: Type.Optional(Str),
  }),
  /** The execution of the plan ended. */
  executed: entryData({
    block: Str,
    outcome: Str,
    done: Type.Integer(),
    failed: Type.Array(Str),
    why: Type.Optional(Str),
  }),
  /** Documents changed outside an action: `draft update`, `plan generate`, `analysis save`, `cleanup`. */
  document: entryData({ command: Str, paths: Type.Array(Str), summary: Str }),
  /** Sources changed in a phase that may not change them. */
  'sources-refused': entryData({ actionId: Str, paths: Type.Array(Str) }),
  /** A person accepted changes of sources that had been refused; they now belong to the baseline. */
  'sources-taken': entryData({ actionId: Str, paths: Type.Array(Str) }),
  /** A person was present: at a prompt, an answered question or a terminal. */
  human: entryData({ what: Str }),
  /** A phase of a workflow began; `retry`: the number of the retry. */
  'phase-started': entryData({ phase: Str, recipe: Str, retry: Type.Optional(Type.Integer()) }),
  /** A phase ended, or was skipped because its condition was false. */
  'phase-ended': entryData({
    phase: Str,
    recipe: Str,
    status: enumSchema('done', 'skipped', 'failed'),
    summary: Type.Optional(Str),
  }),
  /** Commits of todos were reverted. `commit`: the reverting commit; null if somebody had reverted them earlier. */
  undone: entryData({
    block: Str,
    todos: Type.Array(Str),
    commits: Type.Array(Str),
    commit: NullableString,
  }),
  /** The run was held: from now on, no new work is handed out. */
  held: entryData({ reason: Type.Optional(Str) }),
  /** The run was released and continues. */
  released: entryData({}),
  ended: entryData({ outcome: Str, reason: Type.Optional(Str) }),
  /** Something was repaired when the run was opened. */
  recovered: entryData({ notices: Type.Array(Str) }),
} as const;

/** The types of journal entries. */
export type EntryType = keyof typeof ENTRY_DATA;

/** The data of a journal entry, by its type. */
export type EntryData<T extends EntryType> = Static<(typeof ENTRY_DATA)[T]>;

/** The shape of `data` by type, for readers of a journal that other programs may have written. */
export const EntryDataCheck = Type.Object(ENTRY_DATA);

/** A journal entry with the shape of `data` for each type; shipped for readers of events.jsonl. */
export const EntrySchema = Type.Object(
  {
    v: Type.Literal(ENTRY_VERSION),
    seq: Type.Integer(),
    at: Type.String({ description: 'UTC with milliseconds.' }),
    type: Type.Unsafe<EntryType>({ type: 'string', enum: Object.keys(ENTRY_DATA) }),
    by: Type.Object({ kind: Str, via: Str }),
    data: Type.Object({ runId: Str }),
    patch: Type.Array(Type.Unknown()),
    files: Type.Array(Type.Object({ path: Str, before: NullableString, after: NullableString }, noOtherKeys)),
    rendered: Type.Optional(
      Type.Array(Str, { description: 'Documents that changed and follow from the entries and the state.' }),
    ),
    boot: Type.Optional(Type.String({ description: 'The boot of the machine that wrote it.' })),
    texts: Type.Optional(
      Type.Record(Str, Type.Union([Str, Type.Object({ deflated: Str, like: Type.Optional(Str) }, noOtherKeys)]), {
        description:
          'Contents by SHA-256: the text, or a zlib stream in base64, like: of which content the dictionary is.',
      }),
    ),
    crc: Str,
  },
  {
    $id: 'entry',
    description: 'A line of events.jsonl: one fact of a run (storage.md, A commit).',
    allOf: Object.entries(ENTRY_DATA).map(([type, data]) => ({
      if: { properties: { type: { const: type } } },
      then: { properties: { data } },
    })),
  },
);
