import { lstatSync } from 'node:fs';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { DevCliError, getSystemCode } from '../base/errors.js';

const CAUSES: Record<string, { problem: string; fix: string }> = {
  EACCES: { problem: 'permission denied', fix: 'Give the current user access to it' },
  EPERM: { problem: 'operation not permitted', fix: 'Give the current user access to it' },
  EROFS: { problem: 'the file system is read-only', fix: 'Make the file system writable' },
  ENOSPC: { problem: 'no space is left on the disk', fix: 'Free some space on that disk' },
  EDQUOT: { problem: 'the disk quota is used up', fix: 'Free some space on that disk' },
  EFBIG: {
    problem: 'a file cannot be this large here',
    fix: 'Raise the limit (ulimit -f), or continue under a new name: dev-cli fork',
  },
  ENOTDIR: { problem: 'a file stands where a directory is needed', fix: 'Move that file away' },
  EEXIST: { problem: 'a file stands where a directory is needed', fix: 'Move that file away' },
  EISDIR: { problem: 'a directory stands where a file is needed', fix: 'Move that directory away' },
  ENOTEMPTY: { problem: 'a directory stands where a file is needed', fix: 'Move that directory away' },
  ENOENT: { problem: 'it, or the directory it belongs in, is gone', fix: 'Restore the directory' },
  ELOOP: { problem: 'it is a symbolic link', fix: 'Replace the link with its target' },
};

/** Returns a path for display: relative to the root if it lies inside, absolute otherwise. */
export function renderPath(path: string, root: string | null): string {
  if (root === null) return path;
  const inside = relative(root, path);
  if (inside === '') return '.';
  return isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`) ? path : inside.split(sep).join('/');
}

/** Creates the error for a path that cannot be used; `problem` is shown verbatim after the path. */
export function pathError(
  path: string,
  root: string | null,
  problem: string,
  fix: string,
  cause?: unknown,
): DevCliError {
  const target = renderPath(path, root);
  return new DevCliError('IO', `${target}: ${problem}.`, { details: [{ target, problem }], fix, cause });
}

/**
 * Runs `work` and turns an error of the operating system into DevCliError `IO`, with the path relative to `root`.
 * @param path used in the message if the failed system call names no path (write, fsync)
 * @param root null to show absolute paths
 */
export function withIoErrors<T>(path: string, root: string | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toIoError(error, path, root);
  }
}

/** Converts an error of the operating system to DevCliError `IO`; returns any other error unchanged. */
export function toIoError(error: unknown, path: string, root: string | null): unknown {
  const code = getSystemCode(error);
  if (code === undefined || !(error instanceof Error) || !('syscall' in error)) return error;
  const named = 'path' in error && typeof error.path === 'string' ? error.path : path;
  const at = code === 'ENOTDIR' || code === 'EEXIST' ? (findBlockingFile(named) ?? named) : named;
  const cause = CAUSES[code];
  const fix = `${cause?.fix ?? 'Correct it'} (${renderPath(at, root)}), then repeat the same call.`;
  return pathError(at, root, cause === undefined ? error.message : `${cause.problem} (${code})`, fix, error);
}

/**
 * Replaces the path in an operating-system error by `path`, since a temporary file's name means nothing to the user.
 */
export function replaceErrorPath(error: unknown, path: string): unknown {
  return error instanceof Error && 'path' in error ? Object.assign(error, { path }) : error;
}

/** Returns the ancestor of `path` that is not a directory and therefore blocks it. */
function findBlockingFile(path: string): string | undefined {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    try {
      const stats = lstatSync(at);
      return stats.isDirectory() ? undefined : at;
    } catch {
      // Nothing can be read at `at`: the file that blocks the path must be one of its ancestors.
    }
  }
  return undefined;
}

/**
 * Runs a cleanup step and ignores its failure, which must hide neither a success nor an earlier error. The next call
 * recognises and removes leftovers.
 */
export function ignoreFailure(step: () => void): void {
  try {
    step();
  } catch {
    // Ignored on purpose.
  }
}
