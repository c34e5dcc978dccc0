import { DevCliError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { COMMANDS, findSpec, followers, locate, RESERVED_WORDS } from './find.js';
import { type Globals, Reading } from './reading.js';
import type { CommandSpec } from './spec.js';
import { shownBy, triedVerb } from './tried-verbs.js';
import { didYouMean, quoted } from './value.js';

const HELP = requireSpec('help');

/** A command line understood. */
export interface ParsedCommand {
  spec: CommandSpec;
  /** The same as `spec.name`. */
  command: string;
  /** By the keys of the specification; what was not given is absent. */
  input: JsonObject;
  globals: Globals;
}

/**
 * Parses a command line's words, with or without `dev-cli` in front. `--help` behind any command, and no word at all,
 * give the command `help`. Reads neither files nor standard input and does not check the names of runs: the same function serves recipes, whose
 * words may still hold placeholders.
 * @throws DevCliError `UNKNOWN_COMMAND`; `USAGE` with every problem in `details` (protocol.md §1, §5)
 */
export function parseCommand(words: readonly string[]): ParsedCommand {
  const { path, spec, globals, rest } = locate(words[0] === 'dev-cli' ? words.slice(1) : words);
  if (!spec) {
    const help = new Reading(HELP, [...globals, ...path]);
    if (!help.wantsHelp && (path.length > 0 || rest.length > 0)) throw unknownCommand(path, rest);
    return { spec: HELP, command: HELP.name, input: help.input(), globals: help.globals };
  }
  const reading = new Reading(spec, [...globals, ...rest]);
  if (reading.wantsHelp) return { spec: HELP, command: HELP.name, input: { command: path }, globals: reading.globals };
  return { spec, command: spec.name, input: reading.input(), globals: reading.globals };
}

/**
 * Splits a command line into words as POSIX shells do, knowing only blanks, quotes and backslashes (recipes.md §2).
 * A `{placeholder}` is ordinary text.
 * @throws DevCliError `USAGE` naming the character and its column for all other shell syntax
 */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; ) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(line);
    if (!piece || (word === undefined && /^[~#]/.test(piece[0]))) throw shellSyntax(line, at);
    const [whole, blank, single, double, escaped, plain] = piece;
    if (blank === undefined) {
      word = (word ?? '') + (single ?? double?.replace(QUOTED_ESCAPE, '$1') ?? escaped ?? plain);
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
    at += whole.length;
  }
  return word === undefined ? words : [...words, word];
}

/**
 * Blanks (and line breaks at the very end, as YAML leaves them), '…', "…", a backslash with its character, plain text.
 * `~` and `#` are special only where a word begins.
 */
const PIECE = /([ \t]+|\s+$)|'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([^\n])|([^ \t\r\n'"\\|&;<>()$`*?[]+)/y;
/** In double quotes a backslash escapes only these, and joins lines. */
const QUOTED_ESCAPE = /\\(?:([$`"\\])|\n)/g;

function shellSyntax(line: string, start: number): DevCliError {
  const inQuotes = line[start] === '"' ? /^"(?:[^"\\$`]|\\[\s\S])*(?=[$`])/.exec(line.slice(start)) : null;
  const index = start + (inQuotes?.[0].length ?? 0);
  const char = line.charAt(index);
  const open = char === "'" || char === '"' ? 'a quote that is never closed' : 'shell syntax';
  const problem = `${JSON.stringify(char)} at column ${index + 1} is ${char === '\\' ? 'followed by no character' : open}.`;
  return new DevCliError('USAGE', `The command is split at blanks, quotes and backslashes only: ${problem}`, {
    details: [{ target: char, problem }],
    fix: 'Put the character in single quotes if it is meant as text.',
  });
}

/** The error for words of which `path` begins a command and `rest` does not go on with one. */
export function unknownCommand(path: readonly string[], rest: readonly string[]): DevCliError {
  const [word] = rest;
  const before = path.join(' ');
  const known = followers(path);
  const fix = { command: 'help', input: path.length > 0 ? { command: [...path] } : {} };
  if (word === undefined) {
    return new DevCliError('UNKNOWN_COMMAND', `"${before}" needs one of: ${known.join(', ')}.`, { fix });
  }
  if (word.startsWith('-')) {
    return new DevCliError('USAGE', `${quoted(word)} stands where a command is expected.`, { fix });
  }
  const name = [...path, word].join(' ');
  if (path.length === 0 && RESERVED_WORDS.includes(word)) {
    return new DevCliError('UNKNOWN_COMMAND', `${quoted(name)} is reserved for later; there is no such command yet.`, {
      fix,
    });
  }
  const tried = triedVerb(name, rest.slice(1));
  if (tried !== null) {
    const said = `There is no command ${quoted(name)}. ${tried.says}`;
    return new DevCliError('UNKNOWN_COMMAND', said, { fix: tried.fix });
  }
  const names = path.length > 0 ? known.map((next) => `${before} ${next}`) : [...known, ...COMMANDS.map((s) => s.name)];
  const meant = didYouMean(name, names);
  const shown = meant === '' && path.length === 1 ? shownBy(before, word) : null;
  return new DevCliError('UNKNOWN_COMMAND', `Unknown command ${quoted(name)}.${meant}`, { fix: shown ?? fix });
}

function requireSpec(name: string): CommandSpec {
  const spec = findSpec(name);
  if (!spec) throw new DevCliError('INTERNAL', `The command ${name} is missing.`);
  return spec;
}
