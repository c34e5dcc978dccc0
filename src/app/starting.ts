import { type ApproveInput, approve } from '../protocol/approve/approve.js';
import { fork } from '../protocol/fork.js';
import { init } from '../protocol/init/init.js';
import type { InitInput } from '../protocol/init/prepare.js';
import { clearGoal } from '../protocol/init/under-way.js';
import { pullRequestBranch, pullRequestOpen } from '../protocol/pull-request.js';
import { recipeLint, recipeList, recipeShow } from '../protocol/recipes.js';
import { candidates, schema } from '../protocol/schemas.js';
import { trustWord } from '../protocol/trust/trust.js';
import type { UseCases } from './use-case.js';

/** Commands that compile recipes or read what ships. */
export const STARTING: UseCases = {
  init: async (context, { name, ...input }, { cwd, given }) => {
    const answer = await init(context, String(name), input as InitInput);
    await clearGoal(context, String(name), input['goal'], { cwd, typed: given['goal'] });
    return answer;
  },
  fork: (context, { name, at, as }) => fork(context, String(name), { at: Number(at), as: String(as) }),
  approve: (context, { name, ...input }) =>
    approve(context, name === undefined ? undefined : String(name), input as ApproveInput),
  trust: (context, { recipe }) => trustWord(context, String(recipe)),
  'pull-request branch': (context, { name }) => pullRequestBranch(context, name),
  'pull-request open': (context, { name }) => pullRequestOpen(context, name),
  'recipe list': (context) => recipeList(context),
  'recipe show': (context, { recipe }) => recipeShow(context, String(recipe)),
  'recipe lint': (context, { files }, { cwd }) => recipeLint(context, (files ?? []) as string[], cwd),
  'recipe schema': (context) => schema(context, 'recipe'),
  schema: (context, { schema: name }) => schema(context, String(name)),
  completion: (context, { candidates: kind }) => candidates(context, String(kind)),
};
