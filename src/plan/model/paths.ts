// shared: common

import { findReserved, foldName, RESERVED_NAMES, type ReservedName } from '../../base/reserved.js';

/**
 * Decides which paths and globs a plan may name: inside the project and not reserved (documents.md, Semantic checks).
 */

const MAX_LENGTH = 1024;
const MAX_ALTERNATIVES = 256;

/**
 * Describes what is wrong with a path or glob of a plan, or returns null. The path need not exist.
 * @param use `changed` if the plan may change the path. `named` if the plan only mentions it, in a must-not or as a
 * command's directory; such a path may also be in the directory of a harness
 */
export function findPathProblem(path: string, use: 'changed' | 'named' = 'changed'): string | null {
  if (path.trim() === '') return 'is empty';
  if (path.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  if (/\p{Cc}/u.test(path)) return 'holds a control character';
  if (path.includes('\\')) return 'holds a backslash; separate directories by "/"';
  if (path.startsWith('!') || /[@!+*?]\(/.test(path)) return 'is a negated or extended glob; list what may be touched';
  const alternatives = expandBraces(path);
  if (alternatives === null) return `has more than ${MAX_ALTERNATIVES} alternatives in braces`;
  for (const alternative of alternatives) {
    const problem = findSingleProblem(alternative, use);
    if (problem !== null) return problem;
  }
  return null;
}

function findSingleProblem(path: string, use: 'changed' | 'named'): string | null {
  if (/^(?:\/|~|[A-Za-z]:)/.test(path)) return 'is absolute; paths are relative to the project';
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) return 'holds ".."; paths stay inside the project';
  // A leading ** may match no directory, so the first segment after it may name .dev at the top level.
  const first = segments.findIndex((segment) => !/^\*{2,}$/.test(segment));
  const inDev = segments[first] !== undefined && mayMean(segments[first], '.dev');
  if (inDev) return 'reaches into .dev/, which belongs to dev-cli';
  const reserved = segments.map(findReservedBy).find((found) => found !== null) ?? null;
  if (reserved === null || (use === 'named' && reserved.name !== '.git')) return null;
  return `reaches into ${reserved.name}, which belongs to ${reserved.owner}: no plan changes it`;
}

/**
 * Returns the reserved directory that a segment of a glob can match, or null. A segment that consists only of
 * wildcards, such as `*` or `.*`, matches no reserved directory (work/paths.ts).
 */
function findReservedBy(segment: string): ReservedName | null {
  if (/^\.?\*+$/.test(segment)) return null;
  const name = RESERVED_NAMES.find((one) => mayMean(foldName(segment), one));
  return name === undefined ? null : findReserved(name);
}

/** Returns whether a segment of a glob can match `name`, which begins with a dot. No wildcard matches a leading dot. */
function mayMean(segment: string, name: string): boolean {
  if (!/^(?:\.|\[)/.test(segment)) return false;
  const pattern = segment
    .replace(/\[[^\]]*\]/g, '?')
    .replace(/\*+/g, '*')
    .replace(/[.+^$(){}|[\]]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${pattern}$`, 'i').test(name);
}

/** Expands `a{b,c}` to `ab` and `ac`, innermost braces first. Returns null if there are too many alternatives. */
function expandBraces(path: string): string[] | null {
  const done: string[] = [];
  const open = [path];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (braces === null) done.push(next);
    else {
      const [whole, inner = ''] = braces;
      const [before, after] = [next.slice(0, braces.index), next.slice(braces.index + whole.length)];
      open.push(...inner.split(',').map((choice) => `${before}${choice}${after}`));
    }
    if (done.length + open.length > MAX_ALTERNATIVES) return null;
  }
  return done;
}
