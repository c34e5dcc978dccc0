import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buildUserEnvironment, type GitOptions, git, nullIfRefused } from './git-command.js';
import { moveHead } from './move-head.js';
import { type Change, placeFiles } from './place-files.js';
import { splitNames } from './status.js';
import { listAbove, readLine, type UndoPlan } from './undo.js';
import { type TodoCommit, UNDO_TRAILER } from './undo-search.js';

/** Where `makeUndo` keeps what it needs, in the git directory of the work tree. */
const STORE = 'dev-cli-undo';

/**
 * Finds where `makeUndo` keeps what it needs; null outside a repository.
 * @returns absolute path
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function findUndoStore(workTree: string, options: GitOptions): Promise<string | null> {
  const path = await nullIfRefused(readLine(workTree, ['rev-parse', '--git-path', STORE], options));
  return path === null ? null : resolve(workTree, path);
}

/**
 * Makes the commit: first its files, in work tree and index, then HEAD, which nobody else can move meanwhile. A call that was cut
 * off may be repeated; one that fails leaves all as it was. As with `git revert`, no hook judges it.
 * @param plan as just computed
 * @param store as `findUndoStore` gives it; no other call may use it
 * @returns the sha
 * @throws DevCliError `GIT_FAILED`, also where HEAD has moved since; `IO`, `INTERRUPTED`
 */
export async function makeUndo(
  top: string,
  { head, tree, changes }: Extract<UndoPlan, { kind: 'clean' }>,
  {
    commits,
    keys,
    signs,
    note,
    store,
  }: { commits: readonly TodoCommit[]; keys: readonly string[]; signs: boolean; note: string | null; store: string },
  given: GitOptions,
): Promise<string> {
  const options = { ...given, env: buildUserEnvironment(given.env ?? process.env) };
  // What a signal has ended is put back all the same.
  const { signal: _, ...unhurried } = options;
  const message = { ...options, input: renderMessage(commits, keys, note) };
  const sign = signs ? ['-S'] : [];
  const sha = await readLine(top, ['commit-tree', ...sign, tree, '-p', head, '-F', '-'], message);
  let goBack = async (): Promise<void> => {};
  try {
    await moveHead(top, { from: head, to: sha, reason: `dev-cli: undo ${keys.join(', ')}` }, options, async () => {
      const staged = await listUnlike(top, sha, changes, ['--cached'], options);
      const putBack = await placeFiles(top, store, await listUnlike(top, sha, changes, [], options), options);
      goBack = putBack;
      await setIndex(top, sha, staged, options);
      goBack = async () => {
        await putBack();
        await setIndex(top, head, staged, unhurried);
      };
    });
  } catch (error) {
    const now = await nullIfRefused(readLine(top, ['rev-parse', '--verify', 'HEAD'], unhurried));
    if (now !== sha) {
      await goBack();
      throw error;
    }
  }
  await rm(store, { recursive: true, force: true });
  return sha;
}

/** Lists those of the paths that are not as a commit has them, in the work tree or, with `--cached`, the index. */
async function listUnlike(
  top: string,
  sha: string,
  changes: readonly Change[],
  where: string[],
  options: GitOptions,
): Promise<Change[]> {
  const names = ['--name-only', '--no-renames', '--no-ext-diff', '-z'];
  const unlike = new Set(splitNames(await git(top, ['diff', ...where, ...names, sha], options)));
  return changes.filter(({ path }) => unlike.has(path));
}

/**
 * Has the index hold these paths as a commit does. Where a file takes the place of a directory, or the other way round, the one
 * above stands for what is below: git refuses to be told of both.
 */
async function setIndex(top: string, sha: string, changes: readonly Change[], options: GitOptions): Promise<void> {
  const own = new Set(changes.map(({ path }) => path));
  const input = [...own].filter((path) => !listAbove(path).some((above) => own.has(above)));
  if (input.length === 0) return;
  const asked = ['restore', `--source=${sha}`, '--staged', '--pathspec-from-file=-', '--pathspec-file-nul'];
  await git(top, ['--literal-pathspecs', ...asked], { ...options, input: input.map((path) => `${path}\0`).join('') });
}

/** @param note in one line, so that none is taken for a trailer */
function renderMessage(commits: readonly TodoCommit[], keys: readonly string[], note: string | null): string {
  const [first] = commits;
  const more = commits.length > 1 ? ` and ${commits.length - 1} more` : '';
  const reverted = commits.map(({ sha }) => `This reverts commit ${sha}.`);
  const trailers = keys.map((key) => `${UNDO_TRAILER}: ${key}`);
  const why = note === null ? '' : `Why: ${note}\n\n`;
  return `Revert "${first?.subject ?? ''}"${more}\n\n${why}${reverted.join('\n')}\n\n${trailers.join('\n')}\n`;
}
