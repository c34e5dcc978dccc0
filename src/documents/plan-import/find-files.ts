import { LIMITS } from '../../base/limits.js';
import { findPathProblem } from '../plan-paths.js';
import type { ImportNotes } from './notes.js';
import type { Place } from './source-plan.js';

/** Finds the paths that a task names. Only what is surely a path counts: a file with its ending, or a directory with its slash. */

/** Endings by which a name without a directory is known as a file. */
const ENDINGS =
  /\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|mdx|txt|html?|css|scss|py|rb|go|rs|java|kt|swift|php|cs|c|h|cc|cpp|hpp|sh|sql|vue|svelte|graphql|proto|xml|ini|cfg|lock)$/i;
const NAMED = /^\.{0,2}[\p{L}\p{N}_@.*/{},[\]-]+$/u;

/** Whether a word in backticks is a path. */
function isPath(word: string): boolean {
  // `/` and `/help` are a route or a command.
  if (!NAMED.test(word) || word.startsWith('@') || word.includes('//') || /^\/[^/]*$/.test(word)) return false;
  if (!word.includes('/')) return ENDINGS.test(word);
  return word.endsWith('/') || word.includes('*') || /\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(word);
}

/** A path that stands in prose without backticks: it has a directory and an ending. */
const BARE =
  /(?<![\p{L}\p{N}_@./:`-])(?:[\p{L}\p{N}_.@-]+\/)+[\p{L}\p{N}_.@-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\p{L}\p{N}_/-])/gu;

/** A name without a directory, or with capitals and no ending: `README.md`, `Makefile`. */
const NAME = /(?<![\p{L}\p{N}_@./:`-])\.?[\p{L}\p{N}_][\p{L}\p{N}_.-]*(?![\p{L}\p{N}_/-])/gu;
/** Endings of files that hold no code: a library may be called `Node.js`. */
const PLAIN_ENDINGS = /\.(?:json|ya?ml|toml|mdx?|txt|html?|s?css|sql|xml|ini|cfg|lock)$/i;

/** Whether a word of prose is the name of a file: by its ending, or because the project has one of this very name. */
function isFileName(word: string, known: ReadonlySet<string>): boolean {
  return PLAIN_ENDINGS.test(word) || (known.has(word) && /^\p{Lu}|\./u.test(word));
}

/**
 * Lists the paths of a line of prose, without what `path:12-40` says of lines.
 * @param known names of files at the root of the project
 */
export function listPaths(text: string, codes: readonly string[], known: ReadonlySet<string>): string[] {
  const inCode = codes.map(dropLines).filter(isPath);
  const prose = text.replace(/`[^`]*`/g, ' ');
  const bare = [...prose.matchAll(BARE)].map(([path]) => path.replace(/^\.\//, ''));
  const names = [...prose.replace(BARE, ' ').matchAll(NAME)].map(([name]) => name.replace(/\.+$/, ''));
  return [...new Set([...inCode, ...bare, ...names.filter((name) => isFileName(name, known))])];
}

/** Takes the lines off a path: `src/a.py:12-40`. */
export function dropLines(path: string): string {
  return path.trim().replace(/(?::L?\d+(?:[-,–]L?\d+)*)+$/, '');
}

/** Keeps the paths that a plan may name; the others are noted. */
export function selectPaths(paths: readonly string[], at: Place, notes: ImportNotes): string[] {
  return [...new Set(paths)].filter((path) => {
    const problem = path.length > LIMITS.path ? `is longer than ${LIMITS.path} characters` : findPathProblem(path);
    if (problem !== null) notes.refuse(at, path, `the path ${problem}`);
    return problem === null;
  });
}
