import { DevCliError } from '../../base/errors.js';
import { parseCommandLine } from '../../plan/model/command-line.js';

/** The command line that starts an agent, with placeholders (loop-core.md, Files). No shell parses it. */

const TAKES = ['prompt', 'prompt_file', 'stdin'] as const;

/** A parsed template; `takes` says how the agent gets its prompt. */
export interface Template {
  /** The words of the command line, without `{stdin}`. */
  words: string[];
  takes: (typeof TAKES)[number];
}

/** Values of the placeholders. */
export interface Filling {
  prompt: string;
  /** Absolute path of a file with the prompt. */
  promptFile: string;
  goal: string;
  run: string;
  /** Absolute path of the root. */
  root: string;
}

/** Maximum bytes of an argument: the system's limit, less the terminating NUL. */
const LONGEST_WORD = 128 * 1024 - 1;

/** Parses the command line of a tool. */
export function parseTemplate(line: string): Template | { problem: string } {
  const read = parseCommandLine(line);
  if (read.kind === 'fault') return { problem: read.problem };
  const found = read.argv.flatMap((word) =>
    [...word.matchAll(/\{(prompt|prompt_file|stdin)\}/g)].map(([, name]) => name),
  );
  const takes = TAKES.find((name) => name === found[0]);
  if (takes === undefined) return { problem: 'it does not pass the prompt: write {prompt}, {prompt_file} or {stdin}' };
  if (found.length > 1)
    return { problem: 'it passes the prompt more than once: write only one of {prompt}, {prompt_file} and {stdin}' };
  const [program = ''] = read.argv;
  if (program.includes(`{${takes}}`)) return { problem: `its first word is the program to start, not {${takes}}` };
  const words = takes === 'stdin' ? read.argv.filter((word) => word !== '{stdin}') : read.argv;
  if (takes === 'stdin' && words.length === read.argv.length) return { problem: '{stdin} must be a separate word' };
  return { words, takes };
}

/**
 * Fills in a template.
 * @returns the argument vector, and the absolute path of the file for the command's standard input, or null
 * @throws DevCliError `USAGE` for a prompt that is too long for an argument
 */
export function fillCommandTemplate(
  { words, takes }: Template,
  filling: Filling,
): { argv: string[]; stdin: string | null } {
  const { prompt, promptFile, goal, run, root } = filling;
  const places: Readonly<Record<string, string>> = { prompt, prompt_file: promptFile, goal, run, root };
  const argv = words.map((word) =>
    word.replace(/\{(prompt|prompt_file|goal|run|root)\}/g, (place, name) => places[name] ?? place),
  );
  if (argv.some((word) => Buffer.byteLength(word) > LONGEST_WORD)) {
    throw new DevCliError('USAGE', 'The prompt has more than 128 KiB, too much for a command-line argument.', {
      fix: 'In .ai/config.yaml, use {prompt_file} or {stdin} instead of {prompt} in the command line of the tool.',
    });
  }
  return { argv, stdin: takes === 'stdin' ? promptFile : null };
}
