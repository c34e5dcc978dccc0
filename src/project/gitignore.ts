import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import { writeDurably } from '../store/durable.js';
import { readRegular } from '../store/inside.js';
import { pathError } from '../store/io.js';

/** Path relative to the root. */
export const IGNORE_FILE = '.dev/.gitignore';

/** The beginning of every ignore file that dev-cli writes. */
export const WRITTEN_BY = '# Written by dev-cli.';

/**
 * The whitelist in `.dev/.gitignore` (storage.md, Layout). Files that are not deliberately shared stay out of git, so
 * that a checkout never rewinds a live run. The file ignores itself too, because `git clean -fd` and `git stash -u`
 * would otherwise remove it, and without it the next such call would remove the runs.
 */
const GITIGNORE = `${WRITTEN_BY} Runs stay on this machine; only what people share is tracked.
/*
!/preferences.yaml
!/recipes/
!/workflows/
!/agents/
!/specs/
/specs/*
!/specs/*/
/specs/*/*
!/specs/*/PLAN.md
!/specs/*/plan-content.json
!/specs/*/summary.md
!/specs/*/report.md
`;

/** Upper bound in bytes for an ignore file. */
const LARGEST = 64 * 1024;

/** Returns whether dev-cli wrote these ignore rules, even if somebody added lines. */
export function isOwnIgnoreFile(text: string): boolean {
  return text.startsWith(WRITTEN_BY);
}

/**
 * Writes the ignore rules in `directory` if there are none. Rules that somebody else wrote stay as they are.
 * @param made collects the created files, even if the function throws
 * @throws DevCliError `IO`, system errors
 */
export function ensureIgnoreRules(directory: string, { root, made }: { root: string; made: string[] }): void {
  const path = join(directory, '.gitignore');
  if (readUnlinked(path, root) !== undefined) return;
  made.push(path);
  writeDurably(path, GITIGNORE, root);
}

/** Reads the ignore rules of a root, as `readIgnoreFile` does. @throws DevCliError `IO` for a link; system errors */
export function readIgnoreRules(root: string): string | null | undefined {
  return readUnlinked(join(root, IGNORE_FILE), root);
}

function readUnlinked(path: string, root: string): string | null | undefined {
  const text = readIgnoreFile(path);
  if (text !== null || !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return text;
  const fix = 'Remove that link, then repeat the command; dev-cli then writes the rules itself.';
  throw pathError(path, root, 'it is a link, which git does not follow here, so git would see the runs', fix);
}

/** Reads ignore rules: undefined if there are none, null if the path is not a usable file. @throws system errors */
export function readIgnoreFile(path: string): string | null | undefined {
  try {
    return readRegular(path, LARGEST)?.toString('utf8') ?? null;
  } catch (error) {
    const code = getSystemCode(error);
    if (code === 'ENOENT') return undefined;
    // A link, a socket or another user's file was not written by dev-cli, and is no reason to fail.
    if (code === 'ELOOP' || code === 'ENXIO' || code === 'EACCES') return null;
    throw error;
  }
}
