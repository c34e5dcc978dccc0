import { RESERVED_BY } from '../generated/harnesses.js';

/**
 * Names that belong to git and the harnesses, with their owners. Such files are executed automatically (hooks, MCP
 * servers, status lines) or tell agents what they may do, even after the run and without a person's consent, so no plan
 * may let its workers change them. Whole directories are reserved, because the files that a harness reads there differ
 * between releases. The names are reserved at any depth, because git repositories can be nested and a harness reads the
 * directory it starts in. dev-cli's own `.dev` exists only at the root and has its own rules (harness.md, Guard).
 */
const OWNERS: Readonly<Record<string, string>> = { '.git': 'git', ...RESERVED_BY };

/** The reserved names, whose files no plan may let its workers change. */
export const RESERVED_NAMES: readonly string[] = Object.keys(OWNERS);

/** A reserved part of a path, and its owner. */
export interface ReservedName {
  name: string;
  owner: string;
}

/**
 * Finds the first reserved part of a path; null if there is none. A spelling such as `.GIT`, which only some file
 * systems take for `.git`, is reserved everywhere, since refusing too much does no harm.
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
 * Normalizes a name: lowercases it, removes invisible characters and trailing spaces and dots (which some file systems
 * drop), and replaces the short name of `.git` on Windows with `.git`.
 */
export function foldName(name: string): string {
  return name
    .replace(/\p{Cf}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replace(/(?<=.)[. ]+$/, '')
    .replace(/^git~\d$/, '.git');
}
