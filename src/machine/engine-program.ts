// shared: common

/**
 * An engine recipe as the machine needs it (engine.md, Shape): plain data with all defaults filled in, without the text
 * for agents. recipe/resolve/engine.ts builds it, and recipe.json stores it.
 */

/** Who acts in a stage (engine.md, Stages). */
export type StageActor = 'cli' | 'subagent' | 'human';

/** A stage through which every todo goes. */
export interface TodoStage {
  /** The key in `substeps`: `worker`, `verify`, `wrapUp`, `commit`, or the key of a handler that the recipe defines. */
  id: string;
  actor: StageActor;
  /** CEL condition of a handler that the recipe defines; if false, the stage is skipped. */
  when?: string;
}

/** The stages after all todos are done, in order; a recipe can switch some of them off. */
export const FINAL_STAGES = ['residualCommit', 'codeReview', 'finalVerify', 'stateComplete', 'report'] as const;
/** The stage at which a person decides on a plan that an agent proposes while another plan runs. */
export const APPLY_PLAN = 'applyPlan';

type FinalStage = (typeof FINAL_STAGES)[number];

/** The decisions that triage can make about a todo that did not pass. */
export type Disposition = 'halt' | 'adapt' | 'retry';

/** The limits of an execution. */
export interface EnginePolicies {
  /** Maximum number of times that a todo is attempted again because an attempt failed. */
  maxRetries: number;
  /** Maximum depth of added todos: a todo added for a todo of the plan has depth 1, one added for that todo depth 2. */
  adaptDepthLimit: number;
  /** Maximum number of todos that may be added in a run. */
  maxDynamicTodos: number;
  /** Maximum number of todos in a wave. */
  parallelLimit: number;
  /** The dispositions in order of precedence: if several apply, the first one decides. */
  triagePrecedence: readonly Disposition[];
  /** Whether violating a must-not fails only the attempt, or halts the todo. */
  mustNot: 'retry' | 'halt';
  /** Who judges assertions: a verifier after each todo, or the code review. If absent, the size of the plan decides. */
  assertionsAt?: 'todo' | 'review';
  /** Maximum number of rounds of fixes after a code review or the final verification. */
  maxFixRounds: number;
}

/** An engine recipe. */
export interface EngineProgram {
  /** In order; the recipe's own handlers follow `worker` or `verify`. */
  stages: readonly TodoStage[];
  /** The final stages that are enabled, in order. */
  finalize: readonly FinalStage[];
  policies: EnginePolicies;
}
