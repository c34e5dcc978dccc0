import { Command, CommanderError, type Option } from 'commander';
import { DevCliError, type ErrorDetail } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { renderSuggestion } from '../base/suggest.js';
import { findCommand, listNextWords, REGISTRY, RESERVED_WORDS } from './find.js';
import { buildParsedCommand, type ParsedCommand } from './hot.js';
import { GLOBAL_OPTIONS, listBrokenInputRules, quoteArgument, readValue, renderName } from './input.js';
import type { CommandOption, DescribedCommand, Positional } from './spec.js';
import { addCommands, listPath } from './tree.js';

const HELP = requireCommand('help');

/**
 * An invalid command line, with the parts that could be read, which decide whether the error is printed as JSON or
 * text.
 */
interface FaultyCommand extends Pick<ParsedCommand, 'globals'> {
  form: DescribedCommand | undefined;
  fault: DevCliError;
}

/**
 * Parses the words of a command line. `--help` after any command, or no words at all, yields the command `help`. Reads
 * neither files nor standard input and does not check names of runs, because it also parses the commands in recipes,
 * which may contain placeholders.
 * @param words with or without a leading `dev-cli`
 * @throws DevCliError `UNKNOWN_COMMAND`; `USAGE` with every problem in `details` (protocol.md §1; protocol.md §5)
 */
export function parseCommand(words: readonly string[]): ParsedCommand<DescribedCommand> {
  const read = readCommandLine(words);
  if ('fault' in read) throw read.fault;
  return read;
}

/**
 * Like `parseCommand`, but returns an error instead of throwing it, so that the caller can print it in the requested
 * format.
 */
export function readCommandLine(words: readonly string[]): ParsedCommand<DescribedCommand> | FaultyCommand {
  const reading = new ArgumentReader();
  // Adds only commands that the words may mean: setting up one command takes commander a third of a millisecond.
  const near = REGISTRY.commands.filter(({ name }) => words.includes(name.split(' ')[0] ?? ''));
  const program = addCommands(new Level('dev-cli', reading), { ...REGISTRY, commands: near });
  try {
    program.parse(words.slice(words[0] === 'dev-cli' ? 1 : 0), { from: 'user' });
  } catch (error) {
    if (error instanceof DevCliError) reading.fault = error;
    else if (!(error instanceof CommanderError)) throw error;
  }
  return reading.result();
}

type Leftover = ReturnType<Command['parseOptions']>;

/** A node of commander's tree. Passes the options and words it finds to the reader, which alone decides on validity. */
class Level extends Command {
  constructor(
    name: string,
    private readonly reading: ArgumentReader,
  ) {
    super(name);
    this.exitOverride().allowExcessArguments();
  }

  override createCommand(name: string): Command {
    return new Level(name, this.reading);
  }

  override addOption(option: Option): this {
    this.on(`option:${option.name()}`, (text?: string) => this.reading.option(option.name(), text));
    return super.addOption(option);
  }

  override parseOptions(args: string[]): Leftover {
    this.reading.path = listPath(this);
    const read = super.parseOptions(args);
    const goesOn = this.commands.some((command) => command.name() === read.operands[0]);
    return goesOn || this.reading.form() === undefined ? this.next(args, read) : this.reading.arguments(read);
  }

  /** Only notes that help was asked for, and of which command; cli/help.ts prints it. */
  override outputHelp(): void {
    this.reading.helpFor = listPath(this);
  }

  /** Ignores commander's error for a missing value, since input.ts reports missing values. */
  override error(): never {
    return undefined as never;
  }

  /** Handles the next word, which must continue the command's name. */
  private next(args: string[], read: Leftover): Leftover {
    const words = [...read.operands, ...read.unknown];
    const [word] = words;
    const path = listPath(this);
    if (args[0] === '--') throw unknownCommandError(path, args);
    if (word !== undefined && isHelp(word)) {
      // `--help` was typed before the command's name, so it is moved behind the other words.
      const rest = words.filter((other) => !isHelp(other));
      return rest.length > 0 ? this.parseOptions([...rest, word]) : read;
    }
    if (word === undefined && path.length === 0) this.reading.helpFor = path;
    else if (!this.commands.some((command) => command.name() === word)) throw unknownCommandError(path, words);
    return read;
  }
}

/** Collects the arguments of one command, both values and problems, so that all problems are reported at once. */
class ArgumentReader {
  path: string[] = [];
  helpFor: string[] | undefined;
  fault: DevCliError | undefined;
  private readonly values: JsonObject = {};
  /** The given keys, including those with an invalid value, which must not be reported as missing. */
  private readonly seen = new Set<string>();
  private readonly problems: ErrorDetail[] = [];

  /** Returns the command that the words name so far. */
  form(): DescribedCommand | undefined {
    return findCommand(this.path.join(' '));
  }

  /** Reads an option. @param text absent if the option is the last word and has no value */
  option(flag: string, text: string | undefined): void {
    const option = this.options().find((known) => known.flag === flag);
    if (!option) return;
    const again = this.seen.has(option.key) && option.form !== 'pair' && option.form !== 'texts';
    this.seen.add(option.key);
    if (again) this.problem(renderName(option), `${renderName(option)} is given twice.`);
    else if (option.form === 'flag') this.values[option.key] = true;
    else if (text === undefined) this.problem(renderName(option), `${renderName(option)} needs a value.`);
    else this.value(option, text);
  }

  /**
   * Reads the words that commander left over. From the first unknown option on, commander lists every word as unknown.
   */
  arguments({ operands, unknown }: Leftover): Leftover {
    const end = unknown.includes('--') ? unknown.indexOf('--') : unknown.length;
    const isOption = (word: string) => word.startsWith('-') && word !== '-';
    const before = unknown.slice(0, end);
    for (const word of before.filter((other) => isOption(other) && !isHelp(other))) this.stray(word);
    const texts = [...operands, ...before.filter((word) => !isOption(word)), ...unknown.slice(end + 1)];
    texts.forEach((text, index) => {
      this.positional(text, index);
    });
    return { operands: texts, unknown: before.filter(isHelp) };
  }

  result(): ParsedCommand<DescribedCommand> | FaultyCommand {
    const form = this.form();
    const { globals } = buildParsedCommand(HELP, this.values);
    if (this.helpFor !== undefined) {
      return buildParsedCommand(HELP, { ...globals, ...(this.helpFor.length > 0 && { command: this.helpFor }) });
    }
    if (form === undefined) return { form, globals, fault: this.fault ?? unknownCommandError(this.path, []) };
    const details = [...this.problems, ...listBrokenInputRules(form, this.seen)];
    return details.length > 0
      ? { form, globals, fault: usageError(form, details) }
      : buildParsedCommand(this.asAnswered(form), this.values);
  }

  /**
   * Returns the form. Its output is `text` if the command answers in text unless a certain key is given
   * (`textWithout`), and that key was not given.
   */
  private asAnswered(form: DescribedCommand): DescribedCommand {
    const { textWithout: key } = form;
    return key === undefined || this.seen.has(key) ? form : { ...form, output: 'text' };
  }

  private positional(text: string, index: number): void {
    const { positionals = [] } = this.form() ?? {};
    const next = positionals[Math.min(index, positionals.length - 1)];
    if (!next || (index >= positionals.length && !next.variadic)) {
      this.problem(
        text.slice(0, 60),
        `${quoteArgument(text)} is one argument too many.${suggest(text, listNextWords(this.path))}`,
      );
      return;
    }
    this.seen.add(next.key);
    this.value(next, text);
  }

  private value(value: CommandOption | Positional, text: string): void {
    const before = this.values[value.key];
    const read = readValue(value, text, before);
    const problem = 'problem' in read ? read.problem : findChoiceProblem(text, value.choices);
    if ('problem' in read || problem !== null) this.problem(renderName(value), `${renderName(value)}: ${problem}`);
    else this.values[value.key] = value.variadic ? [...(Array.isArray(before) ? before : []), read.value] : read.value;
  }

  /** Reports an option that the command does not have, or a value for a flag that takes none. */
  private stray(word: string): void {
    const name = word.split('=')[0] ?? word;
    const flags = this.options().flatMap((option) => (option.hidden ? [] : [renderName(option)]));
    if (flags.includes(name)) this.problem(name, `${name} takes no value.`);
    else this.problem(name, `unknown option ${quoteArgument(name)}.${suggest(name, flags)}`);
  }

  private options(): readonly CommandOption[] {
    return [...(this.form()?.options ?? []), ...GLOBAL_OPTIONS];
  }

  private problem(target: string, problem: string): void {
    this.problems.push({ target, problem });
  }
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

function findChoiceProblem(text: string, choices: readonly string[] | undefined): string | null {
  if (choices === undefined || choices.includes(text)) return null;
  return `${quoteArgument(text)} is not one of ${choices.join(', ')}.${suggest(text, choices)}`;
}

/** Renders `Did you mean "x"?`; empty if no known word is similar. */
function suggest(word: string, known: readonly string[]): string {
  return word.length > 40 ? '' : renderSuggestion(word, known);
}

function usageError(form: DescribedCommand, details: ErrorDetail[]): DevCliError {
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  return new DevCliError('USAGE', `dev-cli ${form.name}: ${details[0]?.problem}${more}`, {
    details,
    fix: { command: 'help', input: { command: form.name.split(' ') } },
  });
}

/**
 * Builds the error for words that do not name a command; suggests the most similar command.
 * @param path the leading words that do begin a command's name
 * @param rest the words after `path`; the first one does not continue the name
 */
export function unknownCommandError(path: readonly string[], rest: readonly string[]): DevCliError {
  const [word] = rest;
  const before = path.join(' ');
  const known = listNextWords(path);
  const fix = { command: 'help', input: path.length > 0 ? { command: [...path] } : {} };
  if (word === undefined) {
    return new DevCliError('UNKNOWN_COMMAND', `"${before}" needs one of: ${known.join(', ')}.`, { fix });
  }
  if (word.startsWith('-')) {
    return new DevCliError('USAGE', `A command is expected instead of ${quoteArgument(word)}.`, { fix });
  }
  const name = [...path, word].join(' ');
  if (path.length === 0 && RESERVED_WORDS.includes(word)) {
    const reserved = `${quoteArgument(name)} is reserved for later; there is no such command yet.`;
    return new DevCliError('UNKNOWN_COMMAND', reserved, { fix });
  }
  const names =
    path.length > 0
      ? known.map((next) => `${before} ${next}`)
      : [...known, ...REGISTRY.commands.map((command) => command.name)];
  const near = suggest(name, names);
  return new DevCliError('UNKNOWN_COMMAND', `Unknown command ${quoteArgument(name)}.${near}`, { fix });
}

function requireCommand(name: string): DescribedCommand {
  const command = findCommand(name);
  if (!command) throw new DevCliError('INTERNAL', `The command ${name} is missing.`);
  return command;
}
