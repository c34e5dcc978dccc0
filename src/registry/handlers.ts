/** When a shipped handler acts in an execution (engine.md, Shape). */
type HandlerPosition =
  /** Before the first todo. */
  | 'start'
  /** Once for every todo. */
  | 'todo'
  /** After the last todo, in the order of `HANDLERS`. */
  | 'finalize';

/**
 * A shipped handler of an execution; the single source for resolving and linting recipes and for docs (engine.md,
 * Stages).
 */
export interface HandlerSpec {
  id: string;
  /** The handler's key under `config.handlers` in a recipe; a recipe's own handlers may not use it. */
  key: string;
  /** The handler's key in `substeps` or `finalize` of the state, and the `substep` of its actions. */
  stage: string;
  place: HandlerPosition;
  actor: 'cli' | 'subagent';
  /** The subagent's role. In `verify`, the subagent judges only assertions, since dev-cli runs the commands itself. */
  agent?: string;
  /** Path of the subagent's rules, relative to the package. */
  prompt?: string;
  /** The `$id` of the schema of the subagent's result (documents/results.ts). */
  resultSchema?: 'result-worker' | 'result-verify' | 'result-code-review';
  /** The policy that switches the handler off; without one, it cannot be switched off. */
  switch?: 'verify_enabled' | 'commit_enabled' | 'code_review_enabled' | 'final_verify_enabled';
  /** One line that says what the handler does. */
  summary: string;
}

/** The shipped handlers, in the order in which an execution runs them. */
export const HANDLERS = [
  {
    id: 'state-begin',
    key: 'state_begin',
    stage: 'stateBegin',
    place: 'start',
    actor: 'cli',
    summary: 'Only with a pull request: comments on it that the work has begun.',
  },
  {
    id: 'worker',
    key: 'worker',
    stage: 'worker',
    place: 'todo',
    actor: 'subagent',
    agent: 'worker',
    prompt: 'recipes/prompts/worker.md',
    resultSchema: 'result-worker',
    summary: 'Does the todo.',
  },
  {
    id: 'verify',
    key: 'verify',
    stage: 'verify',
    place: 'todo',
    actor: 'subagent',
    agent: 'verifier',
    prompt: 'recipes/prompts/verify.md',
    resultSchema: 'result-verify',
    switch: 'verify_enabled',
    summary:
      'dev-cli runs the command acceptances; a read-only verifier judges the assertions; a person the human ones.',
  },
  {
    id: 'wrap-up',
    key: 'wrap_up',
    stage: 'wrapUp',
    place: 'todo',
    actor: 'cli',
    summary: 'Keeps outputs, learnings and issues, and ticks the box in PLAN.md.',
  },
  {
    id: 'commit',
    key: 'commit',
    stage: 'commit',
    place: 'todo',
    actor: 'cli',
    switch: 'commit_enabled',
    summary: 'Commits what the results of the todo list, inside its files.',
  },
  {
    id: 'residual-commit',
    key: 'residual_commit',
    stage: 'residualCommit',
    place: 'finalize',
    actor: 'cli',
    switch: 'commit_enabled',
    summary: 'Commits what finished todos list and is still uncommitted.',
  },
  {
    id: 'code-review',
    key: 'code_review',
    stage: 'codeReview',
    place: 'finalize',
    actor: 'subagent',
    agent: 'code-reviewer',
    prompt: 'recipes/prompts/code-review.md',
    resultSchema: 'result-code-review',
    switch: 'code_review_enabled',
    summary: "Reviews the run's whole diff: SHIP or NEEDS_FIXES.",
  },
  {
    id: 'final-verify',
    key: 'final_verify',
    stage: 'finalVerify',
    place: 'finalize',
    actor: 'cli',
    switch: 'final_verify_enabled',
    summary: 'Runs every command acceptance once more, on the final tree.',
  },
  {
    id: 'state-complete',
    key: 'state_complete',
    stage: 'stateComplete',
    place: 'finalize',
    actor: 'cli',
    summary:
      'Only with a pull request: pushes the work, updates the text from the report, and then marks it ready for review.',
  },
  {
    id: 'report',
    key: 'report',
    stage: 'report',
    place: 'finalize',
    actor: 'cli',
    summary: 'Writes report.md.',
  },
] as const satisfies readonly HandlerSpec[];

/** The stage of a shipped handler. */
export type HandlerStage = (typeof HANDLERS)[number]['stage'];

/** The id of the only block of an engine recipe. */
export const ENGINE_BLOCK = 'execution-engine';

/**
 * Pattern for the keys of a recipe's own handlers: lower-case words joined by `_`. With it, different keys always have
 * different stage ids.
 */
export const HANDLER_KEY = '^[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*$';

/** Words that an execution's state uses where stage ids may also stand, so no stage id may equal one of them. */
const STATE_WORDS = ['pending', 'running', 'done', 'skipped', 'failed', 'stale', 'deferred', 'todos', 'ended'];
/** Stages without a handler. */
const OTHER_STAGES = ['approvePlan', 'approveCommands', 'triage'];

/** Returns the stage id of a handler's key: `securityScan` for `security_scan`. */
export function toStageId(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns why a recipe's own handler cannot have this key, worded as a predicate; null if it can. */
export function findKeyFault(key: string): string | null {
  const stage = toStageId(key);
  if (HANDLERS.some((handler) => handler.stage === stage)) return 'is a handler that dev-cli ships';
  if (OTHER_STAGES.includes(stage)) return 'is something that dev-cli does itself';
  if (STATE_WORDS.includes(stage)) return 'is a status of a todo';
  return stage in Object.prototype ? 'is a property of every object' : null;
}

/**
 * Whether an execution uses a shipped handler. The handler's policy may switch it off; without that policy, commits are
 * also left out if `config.handlers` exists but has no `commit`.
 * @param config the `config` of an engine recipe, before defaults are applied
 */
export function isEnabled(
  handler: HandlerSpec,
  { handlers, policies = {} }: { handlers?: object; policies?: Readonly<Record<string, unknown>> } = {},
): boolean {
  if (handler.switch === undefined) return true;
  const stated = policies[handler.switch];
  if (handler.switch === 'commit_enabled' && stated === undefined)
    return handlers === undefined || Object.hasOwn(handlers, 'commit');
  return stated !== false;
}
