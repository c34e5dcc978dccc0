import { removeUsedGoal } from '../protocol/init/existing-work.js';
import type { readGoalFrom } from '../protocol/init/goal-from.js';
import { init } from '../protocol/init/init.js';
import type { ACKNOWLEDGING_USE_CASES } from './acting.js';
import type { Bindings } from './bindings.js';
import { createEditor } from './editor.js';
import type { QUERY_USE_CASES } from './reading.js';

const readGoal: typeof readGoalFrom = async (...given) =>
  (await import('../protocol/init/goal-from.js')).readGoalFrom(...given);

/** Commands that compile recipes or read what ships; each but `init` is loaded when it is called. */
export const STARTING_USE_CASES: Omit<Bindings, keyof typeof ACKNOWLEDGING_USE_CASES | keyof typeof QUERY_USE_CASES> = {
  init: async (context, { name, from, ...input }, { cwd, given }) => {
    const goal = from === undefined ? null : await readGoal(context, name, { from, force: input.force, cwd });
    const begin = () => init(context, name, goal === null ? input : { ...input, goal });
    const answer = await begin().catch(async (refusal) => {
      const { takeUpEditedPlan } = await import('../protocol/plan/apply.js');
      await takeUpEditedPlan(context, name, refusal);
      return begin();
    });
    await removeUsedGoal(context, name, input.goal, { cwd, typed: given['goal'] });
    return answer;
  },
  fork: async (context, { name, ...input }) => (await import('../protocol/control/fork.js')).fork(context, name, input),
  approve: async (context, { name, ...input }, call) =>
    (await import('../protocol/approve/approve.js')).approve(context, name, input, createEditor(context, call)),
  'plan edit': async (context, { name, ...input }, environment) =>
    (await import('../protocol/plan/edit.js')).editPlan(context, name, input, createEditor(context, environment)),
  'plan add': async (context, { name, ...input }) =>
    (await import('../protocol/plan/change.js')).addTodoToPlan(context, name, input),
  'plan drop': async (context, { name, ...input }) =>
    (await import('../protocol/plan/change.js')).dropTodoFromPlan(context, name, input),
  'plan move': async (context, { name, ...input }) =>
    (await import('../protocol/plan/change.js')).moveTodoInPlan(context, name, input),
  trust: async (context, { recipe }) => (await import('../protocol/trust/trust.js')).trustNamed(context, recipe),
  'pull-request branch': async (context, { name }) =>
    (await import('../protocol/pull-request.js')).ensurePullRequestBranch(context, name),
  'pull-request open': async (context, { name }) =>
    (await import('../protocol/pull-request.js')).openPullRequest(context, name),
  completion: async (context, { candidates: kind = 'name' }) =>
    (await import('../protocol/candidates.js')).listCandidates(context, kind),
};
