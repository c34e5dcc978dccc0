import { readStats } from '../../../store/inside.js';
import { createGlobTest } from '../../../work/paths.js';
import { expandPattern, findGround, renderFoundPath, runGitSearch } from './search.js';
import { GLOB_MOST } from './specs.js';
import { ToolRefusal, type ToolResult, type ToolScope } from './tool.js';

// Loaded only when it is called, as in project/find-files.ts: with git, the package is not needed.
const fastGlob = (): typeof import('fast-glob') => require('fast-glob');

/**
 * Maximum number of `*` in one part of a path, and of `**` parts. More would be too slow, because matching without git
 * tries every way to split a name among them.
 */
const MOST_STARS = 3;

type GlobInput = { pattern: string; path?: string };

/**
 * Lists the files that match a pattern, sorted by name. @throws ToolRefusal, DevCliError `INTERRUPTED`, system errors
 */
export async function globFiles({ pattern, path = '.' }: GlobInput, site: ToolScope): Promise<ToolResult> {
  const ground = findGround(path, site);
  const { directory, hasGit } = ground;
  if (ground.isFile) throw new ToolRefusal(`${ground.place.name} is a file, not a directory`);
  const list = hasGit ? listByGit : listAll;
  const found = await list(expandPattern(pattern, directory), directory, site.signal);
  // Git also lists deleted files and nested repositories; these are left out.
  const isThere = (name: string) => readStats(`${directory}/${name}`)?.isDirectory() === false;
  const names: string[] = [];
  for (const name of [...new Set(found)].sort()) {
    if (isThere(name)) names.push(renderFoundPath(ground, name));
    if (names.length > GLOB_MOST) names[GLOB_MOST] = `[the first ${GLOB_MOST}; there are more]`;
    if (names.length > GLOB_MOST) break;
  }
  return { output: site.clean(names.join('\n')) || 'No file matches.', isError: false };
}

async function listByGit(patterns: readonly string[], directory: string, signal: AbortSignal): Promise<string[]> {
  const specs = patterns.map((one) => `:(glob)${one}`);
  const { text } = await runGitSearch(
    directory,
    ['ls-files', '-co', '--exclude-standard', '-z', '--', ...specs],
    signal,
  );
  return text.split('\0').filter((name) => name !== '');
}

async function listAll(patterns: readonly string[], cwd: string, signal: AbortSignal): Promise<string[]> {
  const isHeavy = (part: string) => part !== '**' && part.split('*').length > MOST_STARS + 1;
  if (patterns.some((one) => one.split('/').some(isHeavy) || one.split('**').length > MOST_STARS + 1))
    throw new ToolRefusal(`the pattern has more than ${MOST_STARS} stars in one part, or more than ${MOST_STARS} **`);
  // Escapes characters that have a meaning for `createGlobTest`, but none for git.
  const fits = createGlobTest(patterns.map((one) => one.replace(/[()|+!@{}]/g, '\\$&')));
  const ways = { dot: true, followSymbolicLinks: false, suppressErrors: true };
  const files = fastGlob().stream('**', { ...ways, cwd, ignore: ['**/.git/**', '**/node_modules/**'] });
  const found: string[] = [];
  for await (const file of files) {
    signal.throwIfAborted();
    if (fits(String(file))) found.push(String(file));
  }
  return found;
}
