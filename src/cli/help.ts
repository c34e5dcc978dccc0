import { Command } from 'commander';
import { wrapAnsi } from 'fast-wrap-ansi';
import type { Answer } from '../base/answer.js';
import { EXIT_MEANINGS } from '../base/error-codes.js';
import type { Json } from '../base/json.js';
import { VERSION } from '../base/version.js';
import { listNextWords, REGISTRY } from '../registry/find.js';
import { unknownCommandError } from '../registry/parse.js';
import { addCommands, renderExitCodes } from '../registry/tree.js';
import { answerGuide, findGuide, GUIDES } from './guides.js';

/**
 * The width of help in columns: fixed, so that help is the same on every machine, and wide enough for one line per
 * option.
 */
const HELP_WIDTH = 100;

/** A width at which commander wraps nothing, because help-lines.ts wraps for a person's terminal. */
const UNWRAPPED = 10_000;

/**
 * Answers `help`: explains a command, a group of commands or all commands, with their specifications as JSON, or prints
 * a guide.
 * @param topic the words of the command's name, or the name of a guide, as the command line gave them
 * @throws DevCliError `UNKNOWN_COMMAND`
 */
export function answerHelp(topic: Json | undefined): Answer {
  const words = Array.isArray(topic) ? topic.map(String) : [];
  const guide = findGuide(words);
  if (guide !== null) return answerGuide(guide);
  const unknown = words.findIndex((word, at) => !listNextWords(words.slice(0, at)).includes(word));
  if (unknown >= 0) throw unknownCommandError(words.slice(0, unknown), words.slice(unknown));
  const commands = REGISTRY.commands.filter(({ name }) =>
    `${name} `.startsWith(words.map((word) => `${word} `).join('')),
  );
  return {
    json: { ok: true, commands },
    exit: 0,
    text: () => renderHelp(words, HELP_WIDTH),
    lines: async (_format, columns) =>
      (await import('./help-lines.js')).layOutHelp(renderHelp(words, UNWRAPPED), Math.min(columns, HELP_WIDTH)),
  };
}

function renderGuides(width: number): string {
  return wrapAnsi(GUIDES.join(', '), width - 2)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

/** Renders the help of a command with commander. */
function renderHelp(path: readonly string[], width: number): string {
  const program = new Command('dev-cli')
    .description(
      'The durable, checked state machine underneath a coding agent. An agent runs init, does what the action says, and acknowledges it with the command the action prints, until the action is done.',
    )
    .version(VERSION, '-V, --version', 'Print the version.')
    .addHelpText(
      'after',
      `\nExit codes:\n${renderExitCodes(Object.keys(EXIT_MEANINGS))}\n\nGuides:\n${renderGuides(width)}\n\nMore: dev-cli help <command>, dev-cli help <guide>`,
    );
  let command: Command | undefined = addCommands(program, REGISTRY);
  for (const word of path) command = command?.commands.find((candidate) => candidate.name() === word);
  let text = '';
  command?.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => width,
    getOutHasColors: () => false,
  });
  command?.outputHelp();
  return text;
}
