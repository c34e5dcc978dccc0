import { isAbsolute, posix, relative } from 'node:path';
import { DevCliError } from '../../base/errors.js';
import { foldName } from '../../base/reserved.js';
import { maskSecrets, toBoundedLine } from '../../documents/foreign.js';
import { requireInside } from '../../project/own-places.js';
import { isIgnored } from '../../work/ignored.js';

/** Maximum length of a path in characters. */
const LONGEST = 200;

/** Directories with files that memory must not name. */
const CLOSED = ['.git', '.dev', 'node_modules'];

/**
 * Checks and normalizes a path that memory may name (memory.md, Entries).
 * @param given relative to `cwd` if that is in the work tree, else to the work tree
 * @returns the path relative to the work tree, with `/`
 * @throws DevCliError `DATA_MISSING` for a blank path, `PATH_UNSAFE`
 */
export function keepPath(given: string, { workTree, cwd }: { workTree: string; cwd: string }): string {
  if (given.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'The path is blank.', { fix: 'Name a file of the project.' });
  }
  const problem = judgeText(given);
  if (problem !== null) throw unsafe(given, problem);
  const base = relative(workTree, cwd);
  const inside = base === '..' || base.startsWith('../') || isAbsolute(base) ? '' : base;
  const path = posix.join(inside, given).replace(/(?<=.)\/+$/, '');
  const fault = judgePath(path) ?? judgePlace(workTree, path);
  if (fault !== null) throw unsafe(given, fault);
  return path;
}

function judgeText(given: string): string | null {
  if (/\p{Cc}/u.test(given)) return 'it has control characters';
  if (isAbsolute(given) || given.startsWith('\\')) return 'it is absolute';
  if (/^[A-Za-z]:/.test(given)) return 'it names a drive';
  if (given.startsWith('~')) return 'it begins with ~';
  // Checked before normalizing, which would disguise a secret in a URL.
  if (maskSecrets(given) !== given) return 'it contains what looks like a secret';
  return given.split('/').includes('..') ? 'it contains ..' : null;
}

function judgePath(path: string): string | null {
  if (path === '.') return 'it is the project itself';
  if (path.length > LONGEST) return `it has ${path.length} characters, at most ${LONGEST}`;
  if (toBoundedLine(path, LONGEST) !== path) return 'it contains invisible characters or a secret';
  const closed = CLOSED.find((name) => path.split('/').some((part) => foldName(part) === name));
  return closed === undefined ? null : `it is in ${closed}`;
}

function judgePlace(workTree: string, path: string): string | null {
  try {
    requireInside(workTree, path);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return error.details[0]?.problem ?? error.message;
  }
  return isIgnored(workTree, `./${path}`) ? 'git ignores it' : null;
}

function unsafe(given: string, problem: string): DevCliError {
  const target = toBoundedLine(given, LONGEST);
  return new DevCliError('PATH_UNSAFE', `${JSON.stringify(target)} cannot be recorded as a path: ${problem}.`, {
    details: [{ target, problem }],
    fix: 'Name a file of the project that git does not ignore, relative to the current directory.',
  });
}
