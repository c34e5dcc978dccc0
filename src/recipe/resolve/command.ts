import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { parseCommand } from '../../registry/parse.js';
import { splitCommand } from '../../registry/split.js';
import type { BlockCommand, OwnCommand } from '../resolved.js';
import type { ProblemLog, ProblemOptions } from '../source/report.js';
import type { CommandSource } from '../source/schema-parts.js';
import { quoteWord } from '../source/yaml.js';

/** Default for `timeout`: how many seconds an external command may take. */
const DEFAULT_TIMEOUT = 300;

/** The options with which a block or handler runs its external command. */
export interface ExternalOptions {
  shell?: boolean;
  /** Seconds. Default: 300. */
  timeout?: number;
  /** Relative to the work tree. Default: the work tree. */
  cwd?: string;
}

type SourcePath = readonly (string | number)[];

/**
 * Parses a recipe's command: `dev-cli …` by the command registry, anything else as an external command (recipes.md §2).
 * @returns null for a command that does not parse, which is reported
 */
export function resolveCommand(
  source: CommandSource,
  options: ExternalOptions,
  place: SourcePath,
  report: ProblemLog,
): BlockCommand | null {
  if (options.shell === true) return resolveShellCommand(source, options, place, report);
  const words = splitWords(source, place, report);
  if (words === null) return null;
  if (words[0] !== 'dev-cli') return buildExternal(words, renderSource(source), options);
  const parsed = parseOwnCommand(words, renderSource(source), place, report);
  if (parsed === null) return null;
  const { process, ...command } = parsed;
  for (const key of process ? (['cwd'] as const) : (['timeout', 'cwd'] as const)) {
    if (options[key] === undefined) continue;
    report.error(
      [...place.slice(0, -1), key],
      `${quoteWord(key)} is for external commands; dev-cli runs this one itself.`,
      { at: 'key', fix: `Remove ${quoteWord(key)}.` },
    );
  }
  return process ? buildExternal(words, renderSource(source), options) : { kind: 'own', command };
}

function buildExternal(argv: string[], source: string, options: ExternalOptions): BlockCommand {
  const { shell = false, timeout = DEFAULT_TIMEOUT, cwd = '.' } = options;
  return { kind: 'external', command: { argv, shell, timeout, cwd, source } };
}

/**
 * Parses the command of a field that allows only `dev-cli …`: save, then, onComplete, exitCheck.
 * @returns null for any other command, which is reported
 */
export function resolveOwnCommand(source: CommandSource, place: SourcePath, report: ProblemLog): OwnCommand | null {
  const words = splitWords(source, place, report);
  if (words === null) return null;
  if (words[0] === 'dev-cli') {
    const parsed = parseOwnCommand(words, renderSource(source), place, report);
    if (parsed?.process !== true) return parsed;
    report.error(
      place,
      `${quoteWord(parsed.command)} reaches outside dev-cli and needs a block of its own, of type cli.`,
    );
    return null;
  }
  report.error(place, `${quoteWord(String(place.at(-1)))} must be a \`dev-cli …\` command.`, {
    fix: 'Put an external command into a block of its own, of type cli.',
  });
  return null;
}

function resolveShellCommand(
  source: CommandSource,
  options: ExternalOptions,
  place: SourcePath,
  report: ProblemLog,
): BlockCommand | null {
  if (typeof source !== 'string') {
    report.error(place, 'With `shell: true` the command is one line of text, not a list.');
    return null;
  }
  if (/^\s*dev-cli(\s|$)/.test(source)) {
    report.error(place, 'A `dev-cli …` command is run in-process, never by a shell.', { fix: 'Remove `shell: true`.' });
    return null;
  }
  return buildExternal([source], source, options);
}

function splitWords(source: CommandSource, place: SourcePath, report: ProblemLog): string[] | null {
  if (typeof source !== 'string') return source;
  try {
    const words = splitCommand(source);
    if (words.length > 0 && words[0] !== '') return words;
    report.error(place, 'The command is empty.');
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    const [detail] = error.details;
    report.error(place, error.message, {
      ...omitUndefined({ within: detail?.target }),
      fix: 'If the character is meant literally, quote it; use `shell: true` for an external command that needs a shell.',
    });
  }
  return null;
}

/** Parses a `dev-cli …` command. `process` is set if the command runs as a separate process. */
function parseOwnCommand(
  words: string[],
  source: string,
  place: SourcePath,
  report: ProblemLog,
): (OwnCommand & { process?: true }) | null {
  const refuse = (message: string, options?: ProblemOptions) => {
    report.error(place, message, options);
    return null;
  };
  try {
    const { form, input, globals } = parseCommand(words);
    const { name: command } = form;
    if (form.inRecipe === undefined) {
      return refuse(`\`dev-cli ${command}\` cannot be used in a recipe.`, {
        fix: 'Allowed are init, draft …, plan generate|template|validate|summary, analysis save, check, cleanup and pull-request ….',
      });
    }
    if (Object.keys(globals).length > 0)
      return refuse('Options such as --root and --json are not allowed in a recipe.');
    const { name } = input;
    if (name !== undefined && name !== '{name}') {
      return refuse(`A recipe's commands act on its own run: write {name} instead of ${quoteWord(String(name))}.`, {
        within: String(name),
      });
    }
    if (form.textWithout !== undefined && input[form.textWithout] === undefined) {
      return refuse(`In a recipe \`dev-cli ${command}\` needs {${form.textWithout}}.`);
    }
    if (form.inRecipe === 'process') return { command, input, source, process: true };
    const { data } = input;
    if (typeof data !== 'string') return { command, input, source };
    const file = data.replace(/^@/, '');
    if (file === '-' || file === '' || /^\s*(\[|\{\s*("|\}))/.test(file)) {
      return refuse("In a recipe --data names a file in the run's directory.");
    }
    return { command, input: { ...input, data: file }, source };
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return refuse(describeParseError(error));
  }
}

function describeParseError(error: DevCliError): string {
  const details = error.details.map(({ problem }) => problem).filter((problem) => !error.message.includes(problem));
  return [error.message, ...details].join(' ');
}

function renderSource(source: CommandSource): string {
  if (typeof source === 'string') return source.trim();
  return source.map((word) => (/^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`)).join(' ');
}
