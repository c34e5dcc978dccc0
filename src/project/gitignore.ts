import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { getSystemCode } from '../base/errors.js';
import { writeDurably } from '../store/durable.js';
import { readRegular } from '../store/inside.js';
import { pathError } from '../store/io.js';

/** Relative to the root. */
export const IGNORE_FILE = '.dev/.gitignore';

/** How all ignore rules of ours begin. */
export const WRITTEN_BY = '# Written by dev-cli.';

/**
 * `.dev/.gitignore`: a whitelist (storage.md, Layout). What is not shared on purpose stays out of git, so that a checkout
 * never rewinds a live run. It is not on its own list: a file that git does not ignore is taken by `git clean -fd` and
 * `git stash -u`, and then the next of them takes the runs.
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

/** More than anybody's rules, in bytes. */
const LARGEST = 64 * 1024;

/** Whether ignore rules are ours, perhaps with lines that somebody added. */
export function isOwnIgnoreFile(text: string): boolean {
  return text.startsWith(WRITTEN_BY);
}

/**
 * Writes the ignore rules in `directory` where there are none. Rules that somebody else wrote stay as they are.
 * @param made collects what comes into being, also when it fails
 * @throws DevCliError `IO`, system errors
 */
export function ensureIgnoreRules(directory: string, { root, made }: { root: string; made: string[] }): void {
  const path = join(directory, '.gitignore');
  if (readUnlinked(path, root) !== undefined) return;
  made.push(path);
  writeDurably(path, GITIGNORE, root);
}

/** The ignore rules of a root, as `textAt` gives them. @throws DevCliError `IO` for a link; system errors */
export function readRules(root: string): string | null | undefined {
  return readUnlinked(join(root, IGNORE_FILE), root);
}

function readUnlinked(path: string, root: string): string | null | undefined {
  const text = textAt(path);
  if (text !== null || !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return text;
  const fix = 'Remove that link, then repeat the command: dev-cli writes the rules.';
  throw pathError(path, root, 'it is a link, and git follows none here: it would see the runs', fix);
}

/** Ignore rules: undefined where there are none, null for what is no file of rules. @throws system errors */
export function textAt(path: string): string | null | undefined {
  try {
    return readRegular(path, LARGEST)?.toString('utf8') ?? null;
  } catch (error) {
    const code = getSystemCode(error);
    if (code === 'ENOENT') return undefined;
    // A link, a socket, a file of somebody else's: not made by us, and no reason not to work.
    if (code === 'ELOOP' || code === 'ENXIO' || code === 'EACCES') return null;
    throw error;
  }
}
