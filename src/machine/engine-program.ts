/**
 * An engine recipe as the machine sees it (engine.md, Shape): plain data, all defaults filled in, no text for an agent.
 * Made by recipe/compile, kept in recipe.json.
 */

/** Who acts in a stage (engine.md, Stages). */
export type StageActor = 'cli' | 'subagent' | 'human';

/** A step of every todo. `id` is the key in `substeps`: `worker`, `verify`, `wrapUp`, `commit`, or the recipe's own. */
export interface TodoStage {
  id: string;
  actor: StageActor;
  /** Source text of the CEL condition of an own handler; the stage is skipped when it is false. */
  when?: string;
}

/** What follows when all todos are done, in this order; those that the recipe switches off are left out. */
export const FINAL_STAGES = ['residualCommit', 'codeReview', 'finalVerify', 'stateComplete', 'report'] as const;
type FinalStage = (typeof FINAL_STAGES)[number];

export type Disposition = 'halt' | 'adapt' | 'retry';

export interface EnginePolicies {
  /** Attempts of a todo after the first. */
  maxRetries: number;
  /** How deep added todos may add todos. */
  adaptDepthLimit: number;
  /** Added todos of a run, at most. */
  maxDynamicTodos: number;
  /** Todos of a wave, at most. */
  parallelLimit: number;
  triagePrecedence: readonly Disposition[];
  /** What a violated must-not leads to: a failed attempt, or the end of its todo. Left out in recipes captured by 0.1.0: retry. */
  mustNot?: 'retry' | 'halt';
  /** Rounds of fixes after a code review or the final verification. */
  maxFixRounds: number;
}

export interface EngineProgram {
  /** In order: `worker` first, `verify` when it is enabled, the recipe's own, `wrapUp`, `commit`. */
  stages: readonly TodoStage[];
  finalize: readonly FinalStage[];
  policies: EnginePolicies;
}
