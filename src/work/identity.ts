import { DevCliError } from '../base/errors.js';
import { git, type Surroundings } from './git-command.js';

/**
 * Why git would refuse a commit for want of a name and an address, in its words; null when it knows both.
 * @param workTree absolute path, in a repository
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function missingIdentity(workTree: string, around: Surroundings = {}): Promise<string | null> {
  const asked = ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].map((one) => refusal(workTree, one, around));
  return (await Promise.all(asked)).find((said) => said !== null) ?? null;
}

async function refusal(workTree: string, variable: string, around: Surroundings): Promise<string | null> {
  try {
    await git(workTree, ['var', variable], around);
    return null;
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'GIT_FAILED') throw error;
    return error.details[0]?.problem ?? error.message;
  }
}
