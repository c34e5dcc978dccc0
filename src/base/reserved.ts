import { RESERVED_BY } from '../generated/harnesses.js';

/**
 * Names that steer git and the harnesses, each with whose it is. What lies there runs by itself (hooks, MCP servers, status lines)
 * or tells agents what they are and may do, beyond the run and without a person's yes, so no plan gives it to its workers. Whole
 * directories, since what a harness takes from its own differs by release; wherever they lie, since git has nested repositories,
 * and a harness reads those of the directory that it begins in. What dev-cli has, `.dev`, is at the root alone and has rules of
 * its own (harness.md, Guard).
 */
const OWNERS: Readonly<Record<string, string>> = { '.git': 'git', ...RESERVED_BY };

/** The names that no plan may give to its workers. */
export const RESERVED_NAMES: readonly string[] = Object.keys(OWNERS);

/** A reserved part of a path, and whose it is. */
export interface Reserved {
  name: string;
  owner: string;
}

/**
 * Finds the first part of a path that is reserved; null where none is. Whatever a file system takes for the same name counts, and
 * no harm is done where it does not.
 * @param path with `/` between its parts
 */
export function findReserved(path: string): Reserved | null {
  for (const part of path.split('/')) {
    const name = foldName(part);
    const owner = Object.hasOwn(OWNERS, name) ? OWNERS[name] : undefined;
    if (owner !== undefined) return { name, owner };
  }
  return null;
}

/** Without case, marks that nobody sees, the blanks and points at the end that some file systems drop, and Windows' short name of `.git`. */
export function foldName(name: string): string {
  return name
    .replace(/\p{Cf}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/(?<=.)[. ]+$/, '')
    .replace(/^git~\d$/, '.git');
}
