import { join } from 'node:path';
import { readRegularText } from '../store/inside.js';
import { climb } from './root.js';
import { findGitDirectories } from './work-trees.js';

/** What HEAD is. */
export interface Head {
  /** Null where HEAD is no branch. */
  branch: string | null;
  /** The commit; null where there is none yet, or no repository. */
  head: string | null;
}

/** More than git's small files, and lists of packed references, have, in bytes. */
const LARGEST = 64 * 1024 * 1024;

const COMMIT = /^[0-9a-f]{40,64}$/;

/**
 * Reads what HEAD is from git's files; no process is started. Where they cannot tell, as in a repository that keeps its references in
 * tables, both are null.
 * @param directory absolute
 */
export function readHead(directory: string): Head {
  try {
    const { top } = climb(directory);
    const found = top === null ? null : findGitDirectories(top);
    const text = found === null ? null : readRegularText(join(found.own, 'HEAD'), LARGEST)?.trim();
    if (!found || !text) return NOTHING;
    const name = /^ref: (refs\/.+)$/.exec(text)?.[1];
    if (name === undefined) return { branch: null, head: COMMIT.test(text) ? text : null };
    const branch = name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : null;
    return branch === '.invalid' ? NOTHING : { branch, head: findReference(found.common ?? found.own, name) };
  } catch {
    // Not ours to judge: git itself tells what is wrong with a repository.
    return NOTHING;
  }
}

const NOTHING: Head = { branch: null, head: null };

function findReference(common: string, name: string): string | null {
  const loose = readRegularText(join(common, name), LARGEST)?.trim();
  if (loose !== undefined && COMMIT.test(loose)) return loose;
  const packed = readRegularText(join(common, 'packed-refs'), LARGEST) ?? '';
  const line = packed.split('\n').find((one) => one.endsWith(` ${name}`));
  return line?.split(' ')[0] ?? null;
}
