import { approve } from '../protocol/approve/approve.js';
import { listCandidates } from '../protocol/candidates.js';
import { fork } from '../protocol/control/fork.js';
import { removeUsedGoal } from '../protocol/init/existing-work.js';
import type { readGoalFrom } from '../protocol/init/goal-from.js';
import { init } from '../protocol/init/init.js';
import { ensurePullRequestBranch, openPullRequest } from '../protocol/pull-request.js';
import { trustNamed } from '../protocol/trust/trust.js';
import type { ACKNOWLEDGING_USE_CASES } from './acting.js';
import type { Bindings } from './bindings.js';
import { createEditor } from './editor.js';
import type { QUERY_USE_CASES } from './reading.js';

const readGoal: typeof readGoalFrom = async (...given) =>
  (await import('../protocol/init/goal-from.js')).readGoalFrom(...given);

/** Commands that compile recipes or read what ships. */
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
  fork: (context, { name, ...input }) => fork(context, name, input),
  approve: (context, { name, ...input }, call) => approve(context, name, input, createEditor(context, call)),
  'plan edit': async (context, { name, ...input }, environment) =>
    (await import('../protocol/plan/edit.js')).editPlan(context, name, input, createEditor(context, environment)),
  'plan add': async (context, { name, ...input }) =>
    (await import('../protocol/plan/change.js')).addTodoToPlan(context, name, input),
  'plan drop': async (context, { name, ...input }) =>
    (await import('../protocol/plan/change.js')).dropTodoFromPlan(context, name, input),
  'plan move': async (context, { name, ...input }) =>
    (await import('../protocol/plan/change.js')).moveTodoInPlan(context, name, input),
  trust: (context, { recipe }) => trustNamed(context, recipe),
  'pull-request branch': (context, { name }) => ensurePullRequestBranch(context, name),
  'pull-request open': (context, { name }) => openPullRequest(context, name),
  completion: (context, { candidates: kind = 'name' }) => listCandidates(context, kind),
};
