import { listGitWrites } from '../../../work/shell/git.js';
import { ProgramArguments } from '../../../work/shell/options.js';
import type { PlainCommand } from './plain-line.js';

/** The built-in rules (runtime.md, Permissions). Pure. */

const SHOWS = ['status', 'diff', 'log', 'show'];
/**
 * Options that make git write, run another program or read any file on the disk. Git also accepts their abbreviations.
 */
const UNSAFE = ['--output', '--ext-diff', '--textconv', '--no-index'];
/** Matches a path outside the work tree: given one, git compares files anywhere, as with `--no-index`. */
const OUTSIDE = /^\/|(?:^|\/)\.\.(?:\/|$)/;
const COUNT = /^[-+]?\d+[a-zA-Z]*$/;
const OPTION = /^-[a-zA-Z0-9]+$|^--(?:bytes|chars|lines|words|quiet)(?:=[-+]?\d+[a-zA-Z]*)?$/;

/** Returns whether a built-in rule allows a command: it must only display something, and have no option to do more. */
export function isShippedAllowed({ words: [program = '', ...given], isPiped }: PlainCommand): boolean {
  const [verb = ''] = given;
  if (program === 'dev-cli') return verb === 'check';
  if (program === 'git') return SHOWS.includes(verb) && !given.some((word) => isUnsafe(word) || OUTSIDE.test(word));
  const isOption = (word: string, at: number) =>
    OPTION.test(word) || (COUNT.test(word) && /^-[nc]$/.test(given[at - 1] ?? ''));
  return isPiped && ['head', 'tail', 'wc'].includes(program) && given.every(isOption);
}

function isUnsafe(word: string): boolean {
  const [name = ''] = word.split('=');
  return name.startsWith('--') && name !== '--' && UNSAFE.some((option) => option.startsWith(name));
}

/** Git verbs that change nothing except a file that they are told to write. */
const READS =
  'annotate blame cat-file check-attr check-ignore cherry count-objects describe diff diff-files diff-index diff-tree for-each-ref grep help log ls-files ls-remote ls-tree merge-base name-rev range-diff rev-list rev-parse shortlog show show-branch show-ref status var verify-commit verify-tag version whatchanged';
/** Git verbs that only show something before a word of `SHOWING`, with an option of `LISTING` or without arguments. */
const MIXED = 'bisect branch config notes reflog remote stash submodule tag worktree';
const SHOWING = 'list show get get-url log status';
const LISTING = ['-l', '--list', '--get', '--get-all', '--get-regexp', '--contains', '--merged', '--points-at'];
/** Options of git itself that take the next word as their value. */
const VALUED = '-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source';

const holds = (list: string, word: string): boolean => list.split(' ').includes(word);

/**
 * Finds the built-in rule that denies a command.
 * @param words the command in one of the forms of `listReadings`
 * @param isDriven whether the command runs in a drive, in which only dev-cli itself commits
 */
export function findShippedDenial([program, ...rest]: readonly string[], isDriven: boolean): string | null {
  if (program === 'dev-cli' && rest[0] !== 'check') return 'bash(dev-cli:*), but for dev-cli check';
  const [verb = '', ...given] = skipGitOptions(rest);
  if (program !== 'git' || verb === '' || !isDriven) return null;
  const told = new ProgramArguments(given, {});
  const [first] = told.operands;
  const shows = first === undefined || holds(SHOWING, first) || told.has(...LISTING);
  const isReading = listGitWrites(rest).length === 0 && (holds(READS, verb) || (holds(MIXED, verb) && shows));
  return isReading ? null : `bash(git ${verb}:*)`;
}

const skipGitOptions = (words: readonly string[]): string[] =>
  new ProgramArguments(words, { valued: VALUED, stops: true }).operands;

/** Programs that start another one, which one of their next words names. */
const STARTERS = /^(?:npx|bunx|pnpx|node|(?:npm|pnpm|yarn|bun) (?:exec|x|dlx))$/;
const OWN = /^dev-cli(?:-agent)?(?:@.*)?(?:\.c?js)?$/;

/**
 * Lists the forms of a command that rules can match: as written, with the program's bare name, without git's own
 * options, and as `dev-cli` if a launcher runs dev-cli.
 */
export function listReadings(words: readonly string[]): string[][] {
  const [first = '', ...rest] = words;
  const name = findName(first);
  const readings = [[...words], [name, ...rest]];
  if (name === 'git') readings.push(['git', ...skipGitOptions(rest)]);
  const isStarter = STARTERS.test(name) || STARTERS.test(`${name} ${rest[0]}`);
  const at = words.findIndex((word, index) => (index === 0 || isStarter) && OWN.test(findName(word)));
  if (at !== -1) readings.push(['dev-cli', ...words.slice(at + 1)]);
  return readings;
}

/** Returns a program's name without directories and in lower case: on some file systems, `GIT` starts git, too. */
const findName = (program: string): string => program.slice(program.lastIndexOf('/') + 1).toLowerCase();
