import { removeUsedGoal } from '../protocol/init/existing-work.js';
import { init } from '../protocol/init/init.js';
import type { HandlersOf } from '../protocol/ports.js';
import type { CORE } from '../registry/catalogue.js';

/** `init`, with a goal from elsewhere where one is named, and a plan that was edited taken up first where it has to be. */
export const beginRun: HandlersOf<(typeof CORE)['specs']>['init'] = async (
  context,
  { name, from, ...input },
  { cwd, given },
) => {
  const goal = from === undefined ? null : await readGoal(context, name, { from, force: input.force, cwd });
  const begin = () => init(context, name, goal === null ? input : { ...input, goal });
  const answer = await begin().catch(async (refusal) => {
    const { takeUpEditedPlan } = await import('../protocol/plan/apply.js');
    await takeUpEditedPlan(context, name, refusal);
    return begin();
  });
  await removeUsedGoal(context, name, input.goal, { cwd, typed: given['goal'] });
  return answer;
};

const readGoal: typeof import('../protocol/init/goal-from.js').readGoalFrom = async (...given) =>
  (await import('../protocol/init/goal-from.js')).readGoalFrom(...given);
