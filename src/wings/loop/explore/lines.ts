import { DevCliError } from '../../../base/errors.js';
import { executeGit, type GitOptions, type GitQuery, runGitQuery } from '../../../work/git-command.js';
import { ESCAPED_NAME } from '../../../work/paths.js';
import { decodeName, splitNames } from '../../../work/status.js';

/** A line that git found. */
export interface MatchedLine {
  line: number;
  text: string;
}

/** Overrides the user's git configuration, to fix the output format and to exclude submodules. */
const FORM = ['grep.column=false', 'grep.fullName=false', 'color.grep=false', 'submodule.recurse=false'];

/** Goals and handoffs repeat the words of a question, but are not code. */
const isTold = (path: string): boolean => /^\.(?:ai|dev)\//.test(path);

/**
 * Lists the files that git tracks, and others that it does not ignore. @throws DevCliError `GIT_FAILED`, `IO`,
 * `INTERRUPTED`
 */
export async function listFiles(root: string, options: GitOptions) {
  const args = ['ls-files', '-z', '-t', '--cached', '--others', '--exclude-standard'];
  const listed = splitNames(await executeGit(root, args, options)).filter(
    (name) => !name.endsWith('/') && !isTold(name.slice(2)),
  );
  const untracked = listed.filter((name) => name.startsWith('?')).map((name) => name.slice(2));
  return { files: new Set(listed.map((name) => name.slice(2))), untracked };
}

/**
 * Searches the files with one of these endings, as `git grep` does.
 * @returns lines by file
 * @throws DevCliError `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function search(
  { root, options, listing }: { root: string; options: GitOptions; listing: ReturnType<typeof listFiles> },
  words: readonly string[],
  ends: readonly string[] = [''],
): Promise<Map<string, MatchedLine[]>> {
  const form = [...FORM.flatMap((one) => ['-c', one]), 'grep', '-n', '-z', '-I', ...words];
  const grep = (args: readonly string[]) => runGitQuery(askToSearch(root, [...form, ...args]), options);
  const globs = ends.map((end) => `*${end}`);
  const [tracked, { untracked }] = await Promise.all([grep(['--', ...globs]), listing]);
  const named = untracked.filter((path) => ends.some((end) => path.endsWith(end)));
  if (named.length === 0) return readLines(tracked);
  // A single search for tracked and untracked files would omit files that are tracked although they are ignored.
  const fits = named.join('').length < 64 * 1024 && !named.some((path) => ESCAPED_NAME.test(path));
  const others = await grep(['--untracked', '--', ...(fits ? named.map((path) => `:(literal)${path}`) : globs)]);
  return new Map([...readLines(others), ...readLines(tracked)]);
}

function* askToSearch(directory: string, args: string[]): GitQuery<Buffer> {
  const answer = yield { directory, args };
  if (answer !== 'no-git' && answer.exit <= 1) return answer.stdout;
  const problem = answer === 'no-git' ? 'it is not on the PATH' : answer.stderr;
  throw new DevCliError('GIT_FAILED', 'git grep failed.', { details: [{ target: 'git', problem }] });
}

/** Parses `path NUL number NUL line LF`, as Latin-1 for speed: the output is large and mostly ASCII. */
function readLines(output: Buffer): Map<string, MatchedLine[]> {
  const all = output.toString('latin1');
  const decode = /^[\0-\x7f]*$/.test(all) ? String : (text: string) => Buffer.from(text, 'latin1').toString('utf8');
  const found = new Map<string, MatchedLine[]>();
  let last = { name: '', lines: [] as MatchedLine[] };
  for (let at = 0; at < all.length; ) {
    const number = all.indexOf('\0', at) + 1;
    const start = all.indexOf('\0', number) + 1;
    const end = all.indexOf('\n', start);
    const name = all.slice(at, number - 1);
    if (name !== last.name) {
      last = { name, lines: [] };
      if (!isTold(name)) found.set(decodeName(Buffer.from(name, 'latin1')), last.lines);
    }
    last.lines.push({ line: Number(all.slice(number, start - 1)), text: decode(all.slice(start, end)) });
    at = end + 1;
  }
  return found;
}
