import type { ResolvedRecipe } from '../recipe/resolved.js';

/** How the stages of an execution may end, for one todo that stands for all (authoring.md, Coverage). */

/**
 * Lists them by name: what a todo's stages can come to, whether it is attempted again or given up, and the final stages.
 * @returns none for a recipe that carries out no plan
 */
export function listStageEdges({ engine }: ResolvedRecipe): string[] {
  if (engine === undefined) return [];
  const { stages, finalize, policies } = engine.program;
  const ofTodo = stages.flatMap(({ id, when, actor }) => {
    const skipped = when === undefined ? [] : [`${id}: skipped`];
    // Only agents and people find fault, and git refuses; a worker may also be BLOCKED, which halts its todo.
    const failed = actor === 'cli' && id !== 'commit' ? [] : [`${id}: fail`];
    return [`${id}: pass`, ...failed, ...(id === 'worker' ? ['worker: halt'] : []), ...skipped];
  });
  const given = [...(policies.maxRetries > 0 ? ['todo: retried'] : []), 'todo: failed'];
  const ofRun = finalize.flatMap((stage) => {
    const judges = stage === 'codeReview' || stage === 'finalVerify';
    // Without a pull request there is nothing to hand in.
    if (stage === 'stateComplete') return [];
    return [`${stage}: pass`, ...(judges ? [`${stage}: fixes`] : [])];
  });
  return [...ofTodo, ...given, ...ofRun];
}
