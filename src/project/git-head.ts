import { join } from 'node:path';
import { readRegularText } from '../store/inside.js';
import { listAncestors } from './root.js';
import { findGitDirectories } from './work-trees.js';

/** The branch and commit of HEAD. */
export interface GitHead {
  /** Null if HEAD is not on a branch. */
  branch: string | null;
  /** The commit; null if there is none yet, or no repository. */
  head: string | null;
}

/** Upper bound in bytes for git's small files and its lists of packed references. */
const LARGEST = 64 * 1024 * 1024;

const COMMIT = /^[0-9a-f]{40,64}$/;

/**
 * Reads HEAD from git's files, without starting a process. Both fields are null if HEAD cannot be read from the files,
 * as in a repository that stores its references in tables.
 * @param directory absolute
 */
export function readGitHead(directory: string): GitHead {
  try {
    const { top } = listAncestors(directory);
    const found = top === null ? null : findGitDirectories(top);
    const text = found === null ? null : readRegularText(join(found.own, 'HEAD'), LARGEST)?.trim();
    if (!found || !text) return NOTHING;
    const name = /^ref: (refs\/.+)$/.exec(text)?.[1];
    if (name === undefined) return { branch: null, head: COMMIT.test(text) ? text : null };
    const branch = name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : null;
    return branch === '.invalid' ? NOTHING : { branch, head: findReference(found.common ?? found.own, name) };
  } catch {
    // Not reported here, since git itself reports a problem with the repository.
    return NOTHING;
  }
}

const NOTHING: GitHead = { branch: null, head: null };

function findReference(common: string, name: string): string | null {
  const loose = readRegularText(join(common, name), LARGEST)?.trim();
  if (loose !== undefined && COMMIT.test(loose)) return loose;
  const packed = readRegularText(join(common, 'packed-refs'), LARGEST) ?? '';
  const line = packed.split('\n').find((one) => one.endsWith(` ${name}`));
  return line?.split(' ')[0] ?? null;
}
