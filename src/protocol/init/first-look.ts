import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { IGNORE_FILE, isOwnIgnoreFile, readRules } from '../../project/gitignore.js';
import type { CapturedRecipe } from '../../recipe/resolved.js';
import type { Context } from '../../run/context.js';
import { findIdentityProblem, readPresent, type WorkTreeStatus } from '../../work/git.js';
import { isSeen } from '../../work/ignored.js';

/** Characters of a run's goal that a warning quotes. */
export const GOAL_SHOWN = 200;

/** The work tree as the run finds it, or why what changes in it cannot be noticed. */
export interface FirstTree {
  tree: WorkTreeStatus | null;
  warnings: string[];
}

export const UNWATCHED_TREE: FirstTree = { tree: null, warnings: [] };

/** A repository that git refuses to read is no reason not to plan; it is one to say so. */
export async function readFirstTree(context: Context): Promise<FirstTree> {
  try {
    const tree = await readPresent(context.workTree, { signal: context.signal });
    if (tree !== null) return { tree, warnings: findIgnoreRulesWarning(context) };
    return { tree, warnings: ['no git repository here: changes outside .dev/ cannot be noticed'] };
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    const reason = error.details[0]?.problem ?? error.message;
    return { tree: null, warnings: [`git cannot be asked, so changes outside .dev/ are not noticed: ${reason}`] };
  }
}

/** Ignore rules of the user's own are left alone; that they do not keep runs from git is said. */
function findIgnoreRulesWarning({ root }: Context): string[] {
  const rules = `${IGNORE_FILE} is not dev-cli's and lets git see the runs: git clean and git stash -u would take them`;
  const text = readRules(root) ?? null;
  if (text === null || isOwnIgnoreFile(text) || !isSeen(root, '.dev/specs/any/state.json')) return [];
  return [`${rules}; add a line /specs/*/* to it, or move it away and dev-cli writes its own`];
}

/**
 * A run that will commit needs a name and an address for its commits: asked for before anybody works.
 * @throws DevCliError `IDENTITY_MISSING`
 */
export async function requireIdentity(context: Context, { recipe, workflow }: CapturedRecipe): Promise<void> {
  const recipes = workflow === undefined ? [recipe] : workflow.phases.map((phase) => phase.recipe);
  if (recipes.every(({ engine }) => engine === undefined)) return;
  const said = await findIdentityProblem(context.workTree, { signal: context.signal });
  if (said === null) return;
  throw new DevCliError('IDENTITY_MISSING', 'git knows no name and address for the commits of this run.', {
    details: [{ target: 'git', problem: toBoundedLine(said, 500) }],
    fix: 'Ask the user to set them, `git config user.name "…"` and `git config user.email "…"`; then repeat the same command.',
  });
}
