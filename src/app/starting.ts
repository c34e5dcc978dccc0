import { approve } from '../protocol/approve/approve.js';
import { fork } from '../protocol/fork.js';
import { init } from '../protocol/init/init.js';
import { clearGoal } from '../protocol/init/under-way.js';
import { pullRequestBranch, pullRequestOpen } from '../protocol/pull-request.js';
import { recipeLint, recipeList, recipeShow } from '../protocol/recipes.js';
import { candidates, schema } from '../protocol/schemas.js';
import { trustWord } from '../protocol/trust/trust.js';
import type { ACTING } from './acting.js';
import type { Bindings } from './bindings.js';
import type { READING } from './reading.js';

/** Commands that compile recipes or read what ships. */
export const STARTING: Omit<Bindings, keyof typeof ACTING | keyof typeof READING> = {
  init: async (context, { name, ...input }, { cwd, given }) => {
    const answer = await init(context, name, input);
    await clearGoal(context, name, input.goal, { cwd, typed: given['goal'] });
    return answer;
  },
  fork: (context, { name, ...input }) => fork(context, name, input),
  approve: (context, { name, ...input }) => approve(context, name, input),
  trust: (context, { recipe }) => trustWord(context, recipe),
  'pull-request branch': (context, { name }) => pullRequestBranch(context, name),
  'pull-request open': (context, { name }) => pullRequestOpen(context, name),
  'recipe list': (context) => recipeList(context),
  'recipe show': (context, { recipe }) => recipeShow(context, recipe),
  'recipe lint': (context, { files = [] }, { cwd }) => recipeLint(context, files, cwd),
  'recipe schema': (context) => schema(context, 'recipe'),
  schema: (context, { schema: name }) => schema(context, name),
  completion: (context, { candidates: kind = 'name' }) => candidates(context, kind),
};
