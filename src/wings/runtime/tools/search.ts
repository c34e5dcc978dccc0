import { dirname } from 'node:path';
import { getSystemCode } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { revealInvisible } from '../../../documents/plan-text.js';
import { isExistingDirectory, listAncestors } from '../../../project/root.js';
import { readStats } from '../../../store/inside.js';
import { buildUserEnvironment } from '../../../work/git-command.js';
import { executeFile } from '../../../work/processes.js';
import { resolveToolPath, type ToolPath } from './place.js';
import { ToolRefusal, type ToolScope } from './tool.js';

/** The common parts of `glob_search` and `grep_search`. */

/** Time limit of a search in seconds. */
const SECONDS = 10;
const MAX_OUTPUT = 32 * 1024 * 1024;
/** Maximum number of patterns to which braces may expand. */
const MOST_PATTERNS = 64;

/**
 * Makes names and texts UTF-8, and git's messages English. Keeps git from fetching, which a repository's own
 * configuration could use to start any program.
 */
const GIT = { LC_ALL: 'C.UTF-8', LANGUAGE: '', GIT_OPTIONAL_LOCKS: '0', GIT_ALLOW_PROTOCOL: 'none' };

/** Where a search begins. `hasGit`: git lists the files; it does not do so in `.dev` or for a single file. */
export interface SearchRoot {
  place: ToolPath;
  /** The absolute path of the directory that is searched. */
  directory: string;
  isFile: boolean;
  hasGit: boolean;
}

/** Finds where a search begins. @throws ToolRefusal, system errors */
export function findGround(path: string, site: ToolScope): SearchRoot {
  const place = resolveToolPath(path, site);
  const isFile = readStats(place.path)?.isFile() === true;
  if (!isFile && !isExistingDirectory(place.path)) throw new ToolRefusal(`${place.name} does not exist`);
  const directory = isFile ? dirname(place.path) : place.path;
  return { place, directory, isFile, hasGit: !isFile && !place.isHome && listAncestors(directory).top !== null };
}

/** Returns the name of a found file as the other tools accept it, in one line. */
export function renderFoundPath({ place: { name }, isFile }: SearchRoot, found: string): string {
  return revealInvisible(isFile ? name : name === '.' ? found : `${name}/${found}`);
}

/**
 * Runs git in a directory, within the time limit of a search.
 * @returns its output, and whether that is complete
 * @throws ToolRefusal with git's message if it fails; DevCliError `INTERRUPTED`
 */
export async function runGitSearch(
  cwd: string,
  args: readonly string[],
  signal: AbortSignal,
  seconds: number = SECONDS,
) {
  const { error, stdout, stderr } = await executeFile('git', ['-c', 'core.fsmonitor=false', ...args], {
    env: { ...buildUserEnvironment(process.env), ...GIT },
    ...{ cwd, signal, timeoutSeconds: seconds, maxBuffer: MAX_OUTPUT, killSignal: 'SIGKILL' },
  });
  const isCut = getSystemCode(error) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
  // Exit code 1: nothing was found.
  if (error === null || error.code === 1 || isCut) return { text: stdout.toString('utf8'), isWhole: !isCut };
  if (error.killed === true) throw new ToolRefusal(`the search took longer than ${seconds} s; narrow it`);
  if (getSystemCode(error) === 'ENOENT') throw new ToolRefusal('searching needs git, which is not on the PATH');
  throw new ToolRefusal(toBoundedLine(stderr.toString('utf8'), 500) || `git failed with ${error.code}`);
}

/**
 * Expands the braces of a pattern, which git does not support.
 * @throws ToolRefusal for a pattern that leads out of the directory or expands to too many patterns
 */
export function expandPattern(pattern: string, directory: string): string[] {
  const own = pattern.startsWith(`${directory}/`) ? pattern.slice(directory.length + 1) : pattern;
  const shown = toBoundedLine(pattern, 300);
  if (own === '' || /\p{Cc}/u.test(own)) throw new ToolRefusal('the pattern is empty or has control characters');
  if (own.startsWith('/') || own.split('/').includes('..'))
    throw new ToolRefusal(`${shown} leads out of the searched directory; give the other directory as path`);
  const expanded = [own];
  for (let at = 0; at < expanded.length; ) {
    // Expands the innermost braces first, from left to right. Braces without a comma stay as they are.
    const [found, inside = ''] = /\{([^{}]*,[^{}]*)\}/.exec(expanded[at] ?? '') ?? [];
    if (found === undefined) at += 1;
    else expanded.splice(at, 1, ...inside.split(',').map((one) => (expanded[at] ?? '').replace(found, () => one)));
    if (expanded.length > MOST_PATTERNS)
      throw new ToolRefusal(`${shown} expands to more than ${MOST_PATTERNS} patterns`);
  }
  return expanded;
}
