import { Argument, type Command, Option } from 'commander';
import { EXIT_MEANINGS } from '../base/error-codes.js';
import type { Registry } from './find.js';
import { GLOBAL_OPTIONS, listGlobalOptions } from './input.js';
import type { Actor, CommandOption, DescribedCommand, Positional } from './spec.js';

const ACTOR_HEADINGS: Readonly<Record<Actor, string>> = {
  agent: 'For agents, one call per step:',
  person: 'For people:',
  author: 'For authors of recipes:',
  harness: 'For harnesses:',
};

const GLOBAL_HEADING = 'Options of every command:';

/**
 * Adds the commands of a registry to commander, which parses command lines (parse.ts) and prints help (cli/help.ts).
 * Commander does not learn the rules about combinations of values: input.ts checks them, for hot commands too.
 */
export function addCommands<Program extends Command>(program: Program, { commands, words }: Registry): Program {
  configure(program).configureHelp({ visibleCommands: listLeaves, subcommandTerm: renderUsage });
  for (const spec of commands) {
    const [first = '', second] = spec.name.split(' ');
    if (second === undefined) addCommand(program, first, spec);
    else addCommand(findOrAddGroup(program, first, words[first]), second, spec);
  }
  return program;
}

/** Lists the words of a command's name. */
export function listPath(command: Command): string[] {
  return command.parent === null ? [] : [...listPath(command.parent), command.name()];
}

/** Renders exit codes with their meanings, one per line. */
export function renderExitCodes(codes: readonly string[]): string {
  return codes
    .map((code) => `  ${code.padEnd(4)}${Object.entries(EXIT_MEANINGS).find(([c]) => c === code)?.[1]}`)
    .join('\n');
}

function findOrAddGroup(program: Command, word: string, description = ''): Command {
  const present = program.commands.find((command) => command.name() === word);
  // The word may itself be a command. It then needs an action, because commander would otherwise demand a further word.
  return present?.action(() => {}) ?? configure(program.command(word)).description(description);
}

function addCommand(parent: Command, word: string, spec: DescribedCommand): void {
  const { summary, description, examples, exits } = spec;
  const command = configure(parent.command(word), listGlobalOptions(spec))
    .summary(summary)
    .helpGroup(ACTOR_HEADINGS[spec.actor]);
  command.description(description === undefined ? summary : `${summary}\n\n${description}`);
  for (const positional of spec.positionals) command.addArgument(createArgument(positional));
  for (const option of spec.options) command.addOption(createOption(option));
  const lines = examples.map(({ command: line, note }) => `  ${line}\n      ${note}`);
  command.addHelpText(
    'after',
    `\nExamples:\n${lines.join('\n')}\n\nExit codes:\n${renderExitCodes(exits.map(String))}`,
  );
}

/**
 * Lists complete commands for help. Leaves out first words that are not commands themselves, which have no summary.
 */
function listLeaves(command: Command): Command[] {
  return command.commands.flatMap((child) => [...(child.summary() === '' ? [] : [child]), ...listLeaves(child)]);
}

function renderUsage(command: Command): string {
  const positionals = command.registeredArguments.map((argument) => {
    const shown = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${shown}>` : `[${shown}]`;
  });
  return [...listPath(command), ...positionals].join(' ');
}

/**
 * Adds the global options to a command or first word, so that they are accepted before and after each word of a name.
 */
function configure(command: Command, globals: readonly CommandOption[] = GLOBAL_OPTIONS): Command {
  const explain = new Option('-h, --help', 'Explain the command.').helpGroup(GLOBAL_HEADING);
  command.enablePositionalOptions().helpCommand(false).addHelpOption(explain);
  for (const option of globals) {
    if (option.key !== 'help') command.addOption(createOption(option).helpGroup(GLOBAL_HEADING));
  }
  return command;
}

function createArgument({ key, description, choices, required, variadic }: Positional): Argument {
  const name = variadic ? `${key}...` : key;
  const argument = new Argument(required ? `<${name}>` : `[${name}]`, description);
  return choices ? argument.choices([...choices]).argParser((text) => text) : argument;
}

function createOption({ key, flag, form, placeholder = key, description, hidden = false }: CommandOption): Option {
  const value = form === 'flag' ? '' : ` <${placeholder}>`;
  return new Option(`--${flag}${value}`, description).hideHelp(hidden);
}
