import { DevCliError } from '../../../base/errors.js';
import type { Context } from '../../../run/context.js';
import { executeGit, nullIfRefused } from '../../../work/git-command.js';

/** The files that have changed since a commit, and that commit. */
export interface Changes {
  /** The commit with which HEAD was compared; null if nothing was compared. */
  since: string | null;
  /** Relative to the root. */
  files: ReadonlySet<string>;
  warning?: string;
}

const NONE: Changes = { since: null, files: new Set() };

/**
 * Lists the files that changed since a commit, by default since the base of the pull request (view.md, CI).
 * @throws DevCliError `USAGE` for an unknown commit, `GIT_FAILED`, `INTERRUPTED`
 */
export async function listFilesChangedSince(
  { root, signal }: Pick<Context, 'root' | 'signal'>,
  given: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Changes> {
  const branch = env['GITHUB_BASE_REF'] ?? '';
  if (given === undefined && branch === '') return NONE;
  const ask = async (...args: string[]) =>
    (await nullIfRefused(executeGit(root, args, { env, signal })))?.toString('utf8').trim() ?? '';
  const named = given ?? `refs/remotes/origin/${branch}`;
  const found = named.startsWith('-') ? '' : await ask('rev-parse', '--verify', '--quiet', `${named}^{commit}`);
  if (!/^[0-9a-f]{40,64}$/.test(found)) {
    if (given === undefined)
      return {
        ...NONE,
        warning: `The base of the pull request is not in this clone, so its changes are unknown. Check out with fetch-depth: 0.`,
      };
    throw new DevCliError('USAGE', `There is no commit ${JSON.stringify(given)} here.`, {
      details: [{ target: '--since', problem: 'not a commit of this clone' }],
      fix: 'Name a commit, a tag or a branch that git log shows; in CI, fetch it first.',
    });
  }
  const since = (await ask('merge-base', found, 'HEAD')) || found;
  const names = await executeGit(
    root,
    ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--relative', since, 'HEAD'],
    {
      env,
      signal,
    },
  );
  return { since, files: new Set(names.toString('utf8').split('\0').filter(Boolean)) };
}
