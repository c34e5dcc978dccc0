import { basename } from 'node:path';
import { boundResult } from './bounds.js';
import { isSecretFile } from './place.js';
import { expandPattern, findGround, renderFoundPath, runGitSearch, type SearchRoot } from './search.js';
import { GREP_MOST } from './specs.js';
import { ToolRefusal, type ToolResult, type ToolScope } from './tool.js';

type GrepInput = {
  pattern: string;
  path?: string;
  glob?: string;
  output_mode?: 'files_with_matches' | 'content' | 'count';
  head_limit?: number;
} & { [flag in '-i' | '-n']?: boolean } & { [around in '-A' | '-B' | '-C']?: number };

/** Maximum characters shown of a line: a minified file may be a single line. */
const LINE = 1_000;

/**
 * Searches the contents of files. Files that may hold secrets are skipped. A file that the input names is searched in
 * any case, because a rule had to allow that call.
 * @param seconds time limit; 10 by default
 * @throws ToolRefusal, DevCliError `INTERRUPTED`, system errors
 */
export async function grepFiles(input: GrepInput, site: ToolScope, seconds?: number): Promise<ToolResult> {
  const { pattern, path = '.', head_limit: most = GREP_MOST } = input;
  // Git treats each line of a pattern as a separate pattern.
  if (pattern === '' || /[\n\0]/.test(pattern)) throw new ToolRefusal('the pattern is empty or has several lines');
  const ground = findGround(path, site);
  const args = ['grep', '-P', '-I', '-z', '--no-color', ...chooseFiles(ground), ...chooseOutput(input), '-e', pattern];
  const specs = listPathspecs(input, ground);
  const { text, isWhole } = await runGitSearch(ground.directory, [...args, '--', ...specs], site.signal, seconds);
  const { lines, occurrences, files } = readFound(text, ground, input);
  const shown = lines.slice(0, most).map((line) => (line.length > LINE ? `${line.slice(0, LINE)}…` : line));
  if (lines.length > most) shown.push(`[the first ${most} of ${lines.length} lines]`);
  const total = `${count(occurrences, 'occurrence')} in ${count(files, 'file')}`;
  const sum = isWhole ? total : `more than ${total}; narrow the search`;
  const bounded = shown.length === 0 ? [] : [boundResult(site.clean(shown.join('\n')), site)];
  return { output: [...bounded, sum].join('\n'), isError: false };
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

function chooseFiles({ hasGit, isFile, place }: SearchRoot): string[] {
  if (hasGit) return ['--untracked', '--no-recurse-submodules', '--no-full-name'];
  return ['--no-index', isFile || place.isHome ? '--no-exclude-standard' : '--exclude-standard'];
}

function chooseOutput({ output_mode: mode, ...input }: GrepInput): string[] {
  const ignore = input['-i'] === true ? ['-i'] : [];
  if (mode !== 'content') return [...ignore, '-c'];
  const around = (['-A', '-B', '-C'] as const).filter((name) => input[name] !== undefined);
  // With `--column`, matching lines have a column and context lines have none; `readLine` tells them apart by that.
  return [...ignore, '-n', '--column', ...around.map((name) => `${name}${input[name]}`)];
}

function listPathspecs({ glob = '**' }: GrepInput, { isFile, place, directory, hasGit }: SearchRoot): string[] {
  if (isFile) return [`:(literal)${basename(place.path)}`];
  const named = expandPattern(glob.includes('/') ? glob : `**/${glob}`, directory);
  return [...named.map((one) => `:(glob)${one}`), ...(hasGit ? [] : [':(exclude,glob)**/node_modules/**'])];
}

/** Parses `name NUL count`, or `name NUL line NUL [column NUL] text`, where context lines have no column. */
function readLine(line: string, ground: SearchRoot, { output_mode: mode, '-n': isNumbered = true }: GrepInput) {
  const [file = '', number = '', ...rest] = line.split('\0');
  const name = renderFoundPath(ground, file);
  if (mode !== 'content') return { name, count: Number(number), shown: mode === 'count' ? `${name}:${number}` : name };
  const fits = rest.length > 1;
  const parts = [name, ...(isNumbered ? [number] : []), rest.slice(fits ? 1 : 0).join('')];
  return { name, count: fits ? 1 : 0, shown: parts.join(fits ? ':' : '-') };
}

function readFound(text: string, ground: SearchRoot, input: GrepInput) {
  const lines: string[] = [];
  const files = new Set<string>();
  let occurrences = 0;
  for (const line of text.split('\n')) {
    if (line === '--' && lines.length > 0 && lines.at(-1) !== '--') lines.push('--');
    const { name, count, shown } = readLine(line, ground, input);
    if (!line.includes('\0') || (!ground.isFile && isSecretFile(name))) continue;
    lines.push(shown);
    occurrences += count;
    if (count > 0) files.add(name);
  }
  if (lines.at(-1) === '--') lines.pop();
  return { lines, occurrences, files: files.size };
}
