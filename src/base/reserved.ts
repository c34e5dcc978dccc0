import { RESERVED_BY } from '../generated/harnesses.js';

/**
 * Names that belong to git and the harnesses, with their owners. Files there run by themselves (hooks, MCP servers,
 * status lines) or tell agents what they are and may do, even after the run and without a person's yes, so no plan may
 * give them to its workers. Whole directories are reserved, because what a harness reads there differs by release; at
 * any depth, because git repositories can be nested and a harness reads the directory it starts in. dev-cli's own
 * `.dev` exists only at the root and has rules of its own (harness.md, Guard).
 */
const OWNERS: Readonly<Record<string, string>> = { '.git': 'git', ...RESERVED_BY };

/** The reserved names, which no plan may give to its workers. */
export const RESERVED_NAMES: readonly string[] = Object.keys(OWNERS);

/** A reserved part of a path, and its owner. */
export interface ReservedName {
  name: string;
  owner: string;
}

/**
 * Finds the first part of a path that is reserved; null where none is. Spellings that some file system treats as the
 * same name count on every file system, where the extra refusals do no harm.
 * @param path with `/` between its parts
 */
export function findReserved(path: string): ReservedName | null {
  for (const part of path.split('/')) {
    const name = foldName(part);
    const owner = Object.hasOwn(OWNERS, name) ? OWNERS[name] : undefined;
    if (owner !== undefined) return { name, owner };
  }
  return null;
}

/**
 * Normalizes a name: lower case, no invisible characters, no trailing blanks and dots (some file systems drop them),
 * and `.git` for its short name on Windows.
 */
export function foldName(name: string): string {
  return name
    .replace(/\p{Cf}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/(?<=.)[. ]+$/, '')
    .replace(/^git~\d$/, '.git');
}
