import { LIMITS } from '../../../base/limits.js';
import { holdsMask, maskSecrets } from '../../../documents/foreign.js';
import type { SourceLocation } from '../../../plan/markdown/place.js';
import { parseCommandLine } from '../../../plan/model/command-line.js';
import { findReferences } from '../../../plan/model/graph.js';
import { findPathProblem } from '../../../plan/model/paths.js';
import type { ImportNotes } from '../notes.js';
import type { SourceDocument } from '../read-source.js';
import type { SourceCommand } from '../source-plan.js';
import { findProseProblem, type OrderedCommands, type ProseCommand } from './command-prose.js';
import { dropViewers, type Expectation, readExpectation, toExpectedResult } from './expectations.js';
import { findOrder } from './orders.js';
import { splitShell } from './split-shell.js';

/** Reads the commands that check a task. Nothing is invented; a doubtful command becomes a note. */

/** Facts about a command: how the source presents it, where it runs, and its expected result. */
interface Reading {
  how: OrderedCommands['how'];
  /** Relative to the project; null if the source does not name a directory. */
  cwd: string | null;
  expected?: Expectation | undefined;
}

/**
 * Reads one line as a command. A line that needs a shell is wrapped in `sh -c`, but only if the source presents it as a
 * check.
 * @returns null if the command is refused; a note says why
 */
export function readCommand(
  line: string,
  { how, cwd: given, expected: told }: Reading,
  at: SourceLocation,
  { document, notes }: { document: SourceDocument; notes: ImportNotes },
): SourceCommand | null {
  const { typed, cwd, said } = splitLine(line, given === null ? null : joinDirectory(null, given));
  const expected = said ?? told ?? null;
  const shown = expected?.kind === 'prints' ? typed : dropViewers(typed);
  const refuse = (problem: string): null => {
    notes.refuse(at, line.trim(), problem);
    return null;
  };
  const problem = findProblem(typed, cwd, at, document);
  if (problem !== null) return refuse(problem);
  const expect = how === 'fails' ? HAS_TO_FAIL : toExpectedResult(shown, expected);
  if (typeof expect === 'string') return refuse(expect);
  const doubt = how === 'told' ? findProseProblem(shown) : null;
  if (doubt !== null) return refuse(doubt);
  const read = parseCommandLine(shown);
  const [only, ...others] = splitShell(shown);
  // For `! grep …`, the shell's first command is `grep`, not `!`: such a line needs a shell.
  const isPlain = read.kind === 'words' && others.length === 0 && only?.words[0] === read.argv[0];
  const words = isPlain ? read.argv : ['sh', '-c', shown];
  return {
    argv: words,
    ...(cwd === null ? {} : { cwd }),
    ...(Object.keys(expect).length === 0 ? {} : { expect }),
    isShell: !isPlain,
    isTold: how === 'told',
    isCut: shown !== typed,
    at,
  };
}

const CHANGES_PLACE = /^cd\s+(["']?)([\w.@+~/-]+)\1\s*(?:&&|;|\n)\s*([\s\S]+)$/;

/**
 * Removes a `$` prompt from the beginning of a line, `cd DIRECTORY &&`, and a comment at the end. The directory and an
 * expectation in the comment are returned.
 */
function splitLine(
  line: string,
  given: string | null,
): { typed: string; cwd: string | null; said: Expectation | null } {
  const [, text = '', comment = ''] =
    /^([\s\S]*?)(?:\s#\s*([^\n'"`]*))?$/.exec(line.trim().replace(/^\$\s+/, '')) ?? [];
  const noted = readExpectation(comment);
  const said = noted === 'below' ? null : noted;
  // If the text before `#` has an open quote, the `#` is part of a string and does not begin a comment.
  const typed = hasOpenQuote(text) ? line.trim().replace(/^\$\s+/, '') : text;
  const [, , directory = '', rest] = CHANGES_PLACE.exec(typed) ?? [];
  if (rest === undefined) return { typed, cwd: given, said };
  return { typed: rest, cwd: joinDirectory(given, directory), said };
}

/** Returns the directory after `cd directory` in `before`; null for the project's own directory. */
export function joinDirectory(before: string | null, directory: string): string | null {
  if (/^[/~]/.test(directory)) return directory;
  const parts = `${before ?? ''}/${directory}`.split('/').filter((part) => part !== '' && part !== '.');
  if (before?.startsWith('/') === true) return `/${parts.join('/')}`;
  return parts.length === 0 ? null : parts.join('/');
}

const HAS_TO_FAIL = 'it must fail, so it cannot judge anything';

function findProblem(
  typed: string,
  cwd: string | null,
  { line, end = line }: SourceLocation,
  document: SourceDocument,
) {
  const touched = [...document.touched].some((each) => each >= line && each <= end);
  if (touched) return 'a command with invisible characters is not imported';
  if (maskSecrets(typed) !== typed || holdsMask(typed))
    return 'a command with what looks like a secret is not imported';
  if (typed.length > LIMITS.argument) return `a command of more than ${LIMITS.argument} characters is not imported`;
  if (findReferences(typed).length > 0) return 'a command with a value of another todo is not imported';
  if (/^<|<[a-z][\w -]*>|\[[A-Z_ ]{3,}\]/.test(typed)) return 'a command with a placeholder is not imported';
  const order = findOrder(typed);
  if (order !== null) return order;
  const place = cwd === null ? null : findPathProblem(cwd);
  return place === null ? null : `the directory that it runs in ${place}`;
}

const SHELLS = /^(?:bash|sh|shell|zsh|console|terminal)$/i;

/** Returns whether a block of code is marked as shell code. */
export const isShellCode = ({ lang }: { lang?: string | null | undefined }): boolean => SHELLS.test(lang ?? '');

/** A command in a block of code. */
export type CodeBlockCommand = Pick<ProseCommand, 'code' | 'cwd' | 'expected'>;

/**
 * Lists the lines of a block of code as separate commands. A `cd` applies to all lines after it; a comment may state
 * what to expect. A block with a loop or an assignment becomes one shell command.
 */
export function listBlockCommands(block: { lang?: string | null | undefined; value: string }): CodeBlockCommand[] {
  if ((block.lang ?? '') !== '' && !isShellCode(block)) return [];
  const lines = joinLines(block.value);
  if (lines.some((line) => WHOLE.test(line))) return [{ code: lines.filter(isCode).join('\n') }];
  const commands: CodeBlockCommand[] = [];
  let cwd: string | null = null;
  for (const line of lines) {
    const [, directory] = /^\s*(?:\$\s+)?cd\s+([^\s;&|]+)\s*$/.exec(line) ?? [];
    if (directory !== undefined) cwd = joinDirectory(cwd, directory);
    else if (isCode(line)) commands.push({ code: line, ...(cwd === null ? {} : { cwd }) });
    else addExpected(commands, line);
  }
  return commands;
}

/** Applies the expectation in a comment to the command above it. */
function addExpected(commands: CodeBlockCommand[], comment: string): void {
  const expected = readExpectation(comment);
  const last = commands.at(-1);
  if (expected !== null && expected !== 'below' && last !== undefined)
    commands[commands.length - 1] = { ...last, expected };
}

/** Matches lines that make a block one script, such as a loop or an assignment. */
const WHOLE = /<<|^\s*(?:for|while|until|if|case|function)\b|^\s*(?:export\s+)?\w+=\S*\s*$/;

/** Joins the lines of one command: a line continues on the next if it ends in `\\`, `&&` or `|`, or inside quotes. */
function joinLines(text: string): string[] {
  const joined: string[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    if (isOpen) joined[joined.length - 1] += `\n${line}`;
    else if (line.trim() !== '') joined.push(line);
    const last = joined.at(-1) ?? '';
    isOpen = isCode(last) && (/(?:\\|&&|\|)\s*$/.test(last) || hasOpenQuote(last));
  }
  return joined.map((line) => line.replace(/\\\n\s*/g, ''));
}

function hasOpenQuote(text: string): boolean {
  const rest = text.replace(/\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"/g, '');
  return /["']/.test(rest);
}

const isCode = (line: string): boolean => line.trim() !== '' && !/^\s*#/.test(line);
