import type { StageResult } from '../../engine/core/events.js';
import type { EnginePolicies, EngineProgram, TodoStage } from '../../machine/engine-program.js';
import type { ResolvedEngine, ResolvedRecipe } from '../../recipe/resolved.js';

/** How the stages of an execution may end: the one source for coverage, pictures and verification (authoring.md, Coverage). */

/** The kind of a stage's verdict (engine.md, Triage). */
export type StageEnd = StageResult['kind'];

/** Lists how a stage of a todo can end; that its condition passes it over is not among them. */
export function listTodoStageEnds({ id, actor }: TodoStage, policies: EnginePolicies): readonly StageEnd[] {
  if (id === 'wrapUp') return ['pass'];
  if (id === 'commit') return ['pass', 'deferred', 'fail'];
  // A worker asks, gets more files, or is BLOCKED; the todo is given up or tried again by the answer.
  if (id === 'worker') return ['pass', 'fail', 'halt', 'widen', 'ask', 'again'];
  switch (actor) {
    case 'human':
      return ['pass', 'fail'];
    case 'cli':
      // A command that cannot be started is no finding: the todo halts.
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
      // A reviewer who gives up halts the run.
      return ['pass', 'fixes', 'fail'];
    case 'finalVerify':
      return ['pass', 'fixes'];
    default:
      // What a forge refuses is told, and the run goes on.
      return ['pass'];
  }
}

/** A stage as its recipe's author calls it: an own handler by its key, a shipped one by its id. */
export function nameStage({ handlers }: Pick<ResolvedEngine, 'handlers'>, stage: string): string {
  const own = handlers[stage];
  return own === undefined || own.shipped !== null ? stage : own.key;
}

/**
 * Lists what coverage counts, by name: what a todo's stages can come to, whether it is attempted again or given up, and the
 * final stages.
 * @returns none for a recipe that carries out no plan
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

/** What a deferred commit, an added todo or a halt leads to is the same in every recipe; a worker's BLOCKED is its own word. */
function isCounted(stage: string, end: StageEnd): boolean {
  if (stage === 'residualCommit') return end === 'pass';
  return end === 'pass' || end === 'fail' || end === 'fixes' || (stage === 'worker' && end === 'halt');
}

/** Without a pull request there is nothing to hand in. */
const listCountedFinals = ({ finalize }: EngineProgram) => finalize.filter((stage) => stage !== 'stateComplete');
