import type { Command } from 'commander';
import type { Answer } from '../base/answer.js';
import type { Json } from '../base/json.js';
import { COMMANDS, locate } from '../registry/find.js';
import { unknownCommand } from '../registry/parse.js';
import { commanderProgram } from './commander.js';

/** Wide enough for one line per option, the same on every machine. */
const HELP_WIDTH = 100;

/**
 * Explains a command, a group of commands, or all; as JSON the specifications themselves.
 * @param topic the words of the command, as the command line gave them
 * @throws DevCliError `UNKNOWN_COMMAND`
 */
export function helpAnswer(topic: Json | undefined): Answer {
  const words = Array.isArray(topic) ? topic.map(String) : [];
  const { path, rest } = locate(words);
  if (rest.length > 0) throw unknownCommand(path, rest);
  const prefix = path.join(' ');
  const commands = COMMANDS.filter(({ name }) => prefix === '' || name === prefix || name.startsWith(`${prefix} `));
  return { json: { ok: true, commands }, exit: 0, text: () => helpText(path) };
}

/** The help of the command that the words name, as commander writes it. */
export function helpText(path: readonly string[]): string {
  let command: Command | undefined = commanderProgram();
  for (const word of path) command = command?.commands.find((candidate) => candidate.name() === word);
  let text = '';
  command?.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => HELP_WIDTH,
    getOutHasColors: () => false,
  });
  command?.outputHelp();
  return text;
}
