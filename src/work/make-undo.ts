import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buildUserEnvironment, executeGit, type GitOptions, nullIfRefused } from './git-command.js';
import { listParents } from './paths.js';
import { placeFiles, type TreeChange } from './place-files.js';
import { splitNames } from './status.js';
import { readLine, type UndoPlan } from './undo.js';
import { type TodoCommit, UNDO_TRAILER } from './undo-search.js';

/** Name, in the git directory of the work tree, of the directory where `makeUndoCommit` keeps its files. */
const STORE = 'dev-cli-undo';

/**
 * Finds the directory where `makeUndoCommit` keeps its files; null outside a repository.
 * @returns absolute path
 * @throws DevCliError `IO`, `INTERRUPTED`
 */
export async function findUndoStore(workTree: string, options: GitOptions): Promise<string | null> {
  const path = await nullIfRefused(readLine(workTree, ['rev-parse', '--git-path', STORE], options));
  return path === null ? null : resolve(workTree, path);
}

/**
 * Makes the undo commit: locks HEAD, updates the files in work tree and index, then moves HEAD. An interrupted call may
 * be repeated; a failed one leaves everything as it was. As with `git revert`, no commit hook runs.
 * @param store the path from `findUndoStore`; no other call may use it
 * @returns the sha
 * @throws DevCliError `GIT_FAILED`, also if HEAD has moved since; `IO`, `INTERRUPTED`
 */
export async function makeUndoCommit(
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
  // Without the abort signal: even after an interruption, everything is put back.
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

/** Returns the changes whose path differs from a commit: in the work tree or, with `--cached`, in the index. */
async function listUnlike(
  top: string,
  sha: string,
  changes: readonly TreeChange[],
  where: string[],
  options: GitOptions,
): Promise<TreeChange[]> {
  const names = ['--name-only', '--no-renames', '--no-ext-diff', '-z'];
  const unlike = new Set(splitNames(await executeGit(top, ['diff', ...where, ...names, sha], options)));
  return changes.filter(({ path }) => unlike.has(path));
}

/**
 * Sets these paths in the index to the state of a commit. If a file replaces a directory, or the other way round, names
 * only the upper path, since git refuses both in one call.
 */
async function setIndex(top: string, sha: string, changes: readonly TreeChange[], options: GitOptions): Promise<void> {
  const own = new Set(changes.map(({ path }) => path));
  const input = [...own].filter((path) => !listParents(path).some((above) => own.has(above)));
  if (input.length === 0) return;
  const asked = ['restore', `--source=${sha}`, '--staged', '--pathspec-from-file=-', '--pathspec-file-nul'];
  await executeGit(top, ['--literal-pathspecs', ...asked], {
    ...options,
    input: input.map((path) => `${path}\0`).join(''),
  });
}

/** @param note must be a single line, so that git takes none of it for a trailer */
function renderMessage(commits: readonly TodoCommit[], keys: readonly string[], note: string | null): string {
  const [first] = commits;
  const more = commits.length > 1 ? ` and ${commits.length - 1} more` : '';
  const reverted = commits.map(({ sha }) => `This reverts commit ${sha}.`);
  const trailers = keys.map((key) => `${UNDO_TRAILER}: ${key}`);
  const why = note === null ? '' : `Why: ${note}\n\n`;
  return `Revert "${first?.subject ?? ''}"${more}\n\n${why}${reverted.join('\n')}\n\n${trailers.join('\n')}\n`;
}

/** Seconds that `moveHead` may take, including its callback. */
const TIMEOUT = 600;
/** Milliseconds that git waits if another process has locked HEAD. */
const LOCK_WAIT = 10_000;

/**
 * Moves HEAD from one commit to another once `work` is done. Git keeps HEAD and its branch locked meanwhile, so that
 * nobody commits in between; if this process ends early, git releases the lock and HEAD stays.
 * @param options.reason for the reflog
 * @throws DevCliError `GIT_FAILED`, before `work` runs, if HEAD is no longer `from` or is locked; `IO`, `INTERRUPTED`;
 * any error of `work`
 */
async function moveHead(
  top: string,
  { from, to, reason }: { from: string; to: string; reason: string },
  options: GitOptions,
  work: () => Promise<void>,
): Promise<void> {
  let end = (_word: 'commit' | 'abort'): void => {};
  let hold = (): void => {};
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  const ended = executeGit(
    top,
    ['-c', `core.filesRefLockTimeout=${LOCK_WAIT}`, 'update-ref', '-m', reason, '--stdin'],
    {
      ...options,
      timeoutSeconds: TIMEOUT,
      converse: ({ stdin, stdout }) => {
        let said = '';
        stdout.on('data', (part: Buffer) => {
          said += part.toString('latin1');
          if (said.includes('prepare: ok')) hold();
        });
        stdin.write(`start\nupdate HEAD ${to} ${from}\nprepare\n`);
        end = (word) => stdin.end(`${word}\n`);
      },
    },
  );
  // `held` resolves once git has locked HEAD. If git cannot lock it, git exits and `ended` rejects.
  await Promise.race([held, ended]);
  try {
    await work();
  } catch (error) {
    end('abort');
    await ended.catch(() => {});
    throw error;
  }
  end('commit');
  await ended;
}
