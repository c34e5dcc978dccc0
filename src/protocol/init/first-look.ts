import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { IGNORE_FILE, isOwnIgnoreFile, readIgnoreRules } from '../../project/gitignore.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import type { ResolvedRecipe } from '../../recipe/resolved.js';
import type { Context } from '../../run/context.js';
import { SIMULATED_TREE } from '../../run/simulation.js';
import type { WorkTreeStatus } from '../../work/baseline.js';
import { findIdentityProblem, readPresent } from '../../work/git.js';
import { isNotIgnored } from '../../work/ignored.js';

/** The state of the work tree when a run begins. */
export interface FirstTree {
  /** Null if git cannot read it. */
  tree: WorkTreeStatus | null;
  /** Warnings that changes in the work tree will go unnoticed, or that git sees the runs' files. */
  warnings: string[];
}

/**
 * Reads the work tree with which a new run starts. If git cannot read the repository, only warns, because planning does
 * not need git.
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function readFirstTree(context: Context): Promise<FirstTree> {
  if (context.simulation !== undefined) return { tree: SIMULATED_TREE, warnings: [] };
  try {
    const tree = await readPresent(context.workTree, { signal: context.signal });
    if (tree !== null) return { tree, warnings: findIgnoreRulesWarning(context) };
    return { tree, warnings: ['no git repository here: changes outside .dev/ cannot be detected'] };
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    const reason = error.details[0]?.problem ?? error.message;
    return { tree: null, warnings: [`git cannot be run, so changes outside .dev/ are not detected: ${reason}`] };
  }
}

/** Warns about the user's own ignore file if git sees the runs' files despite it; dev-cli does not change that file. */
function findIgnoreRulesWarning({ root }: Context): string[] {
  const rules = `${IGNORE_FILE} was not written by dev-cli and does not ignore the runs: git clean and git stash -u would remove them`;
  const text = readIgnoreRules(root) ?? null;
  if (text === null || isOwnIgnoreFile(text) || !isNotIgnored(root, '.dev/specs/any/state.json')) return [];
  return [`${rules}; add a line /specs/*/* to it, or move it away and dev-cli writes its own`];
}

const commits = ({ engine }: ResolvedRecipe) => engine?.program.stages.some(({ id }) => id === 'commit') === true;

/**
 * Requires a git identity for a run that will commit; checked now, so that nobody does work that cannot be committed.
 * @throws DevCliError `IDENTITY_MISSING`
 */
export async function requireIdentity(context: Context, { recipe, workflow }: CapturedRecipe): Promise<void> {
  const recipes = workflow === undefined ? [recipe] : workflow.phases.map((phase) => phase.recipe);
  if (context.simulation !== undefined || !recipes.some(commits)) return;
  const problem = await findIdentityProblem(context.workTree, { signal: context.signal });
  if (problem === null) return;
  throw new DevCliError('IDENTITY_MISSING', 'git has no user name and e-mail for the commits of this run.', {
    details: [{ target: 'git', problem: toBoundedLine(problem, 500) }],
    fix: 'Ask the user to set them, `git config user.name "…"` and `git config user.email "…"`; then repeat the same command.',
  });
}
