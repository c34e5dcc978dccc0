import type { StageResult } from '../../engine/core/events.js';
import type { EnginePolicies, EngineProgram, TodoStage } from '../../machine/engine-program.js';
import type { ResolvedEngine, ResolvedRecipe } from '../../recipe/resolved.js';

/**
 * How the stages of an execution can end; coverage, pictures and verification all use this (authoring.md, Coverage).
 */

/** The kind of a stage's verdict (engine.md, Triage). */
export type StageEnd = StageResult['kind'];

/** Lists how a stage of a todo can end, apart from being skipped by its condition. */
export function listTodoStageEnds({ id, actor }: TodoStage, policies: EnginePolicies): readonly StageEnd[] {
  if (id === 'wrapUp') return ['pass'];
  if (id === 'commit') return ['pass', 'deferred', 'fail'];
  // A worker may also ask a question, request more files, or be BLOCKED; the answer decides whether its todo is retried
  // or given up.
  if (id === 'worker') return ['pass', 'fail', 'halt', 'widen', 'ask', 'again'];
  switch (actor) {
    case 'human':
      return ['pass', 'fail'];
    case 'cli':
      // A command that cannot be started halts the todo; it is not a finding.
      return ['pass', 'fail', 'halt'];
    case 'subagent': {
      const mayAdd = policies.maxDynamicTodos > 0 && policies.adaptDepthLimit > 0;
      return ['pass', 'fail', 'halt', ...(mayAdd ? (['adapt'] as const) : [])];
    }
  }
}

/** Lists how a stage of the whole run can end. */
export function listRunStageEnds(stage: string): readonly StageEnd[] {
  switch (stage) {
    case 'approvePlan':
    case 'approveCommands':
      return ['pass', 'halt'];
    case 'residualCommit':
      return ['pass', 'deferred', 'fail'];
    case 'codeReview':
      // A reviewer that gives up halts the run.
      return ['pass', 'fixes', 'fail'];
    case 'finalVerify':
      return ['pass', 'fixes'];
    default:
      // If the forge refuses, that is only reported, and the run continues.
      return ['pass'];
  }
}

/**
 * Returns the name of a stage for its recipe's author: the key of a handler that the recipe defines, or the id of a
 * shipped one.
 */
export function nameStage({ handlers }: Pick<ResolvedEngine, 'handlers'>, stage: string): string {
  const own = handlers[stage];
  return own === undefined || own.shipped !== null ? stage : own.key;
}

/**
 * Lists the names that coverage counts: the ends of a todo's stages, whether the todo is retried or given up, and the
 * ends of final stages.
 * @returns none for a recipe without an execution
 */
export function listStageEdges({ engine }: ResolvedRecipe): string[] {
  if (engine === undefined) return [];
  const { stages, policies } = engine.program;
  const ofTodo = stages.flatMap((stage) => {
    const name = nameStage(engine, stage.id);
    const ends = listTodoStageEnds(stage, policies).filter((end) => isCounted(stage.id, end));
    return [...ends.map((end) => `${name}: ${end}`), ...(stage.when === undefined ? [] : [`${name}: skipped`])];
  });
  const given = [...(policies.maxRetries > 0 ? ['todo: retried'] : []), 'todo: failed'];
  const ofRun = listCountedFinals(engine.program).flatMap((stage) =>
    listRunStageEnds(stage)
      .filter((end) => isCounted(stage, end))
      .map((end) => `${stage}: ${end}`),
  );
  return [...ofTodo, ...given, ...ofRun];
}

/**
 * Returns whether coverage counts an end. Deferred commits, added todos and halts have the same consequences in every
 * recipe, so they do not count; the exception is the halt of a BLOCKED worker.
 */
function isCounted(stage: string, end: StageEnd): boolean {
  if (stage === 'residualCommit') return end === 'pass';
  return end === 'pass' || end === 'fail' || end === 'fixes' || (stage === 'worker' && end === 'halt');
}

/** Omits `stateComplete`, which only hands in a pull request: a run may have none to hand in. */
const listCountedFinals = ({ finalize }: EngineProgram) => finalize.filter((stage) => stage !== 'stateComplete');
