import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { Json } from '../base/json.js';
import { VERSION } from '../base/version.js';
import { COMMANDS, GLOBAL_OPTIONS, GROUPS } from '../registry/find.js';
import type { Actor, CommandSpec, OptionSpec, PositionalSpec, ValueSpec } from '../registry/spec.js';
import { readValue } from '../registry/value.js';
import { EXIT_MEANINGS } from './exit-codes.js';

const ACTOR_HEADINGS: Readonly<Record<Actor, string>> = {
  agent: 'For agents, one call per step:',
  person: 'For people:',
  author: 'For authors of recipes:',
  harness: 'For harnesses:',
};

const GLOBAL_HEADING = 'Options of every command:';

const EXITS = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `  ${code.padEnd(4)}${meaning}`);

/**
 * The whole command line as a commander program, built from the registry. It writes help; the registry's own parser does
 * the work at every call, because loading commander takes longer. A test proves that the two understand the same.
 */
export function commanderProgram(): Command {
  const program = new Command('dev-cli')
    .description(
      'The durable, checked state machine underneath a coding agent. An agent runs init, does what the action says, and acknowledges it with the command the action prints, until the action is done.',
    )
    .version(VERSION, '-V, --version', 'Print the version.')
    .addHelpText('after', `\nExit codes:\n${EXITS.join('\n')}\n\nMore: dev-cli help <command>`);
  prepared(program).configureHelp({ visibleCommands: leaves, subcommandTerm: usageOf });
  for (const spec of COMMANDS) {
    const words = spec.name.split(' ');
    const last = words.pop() ?? spec.name;
    addCommand(words[0] === undefined ? program : groupOf(program, words[0]), last, spec);
  }
  return program;
}

function groupOf(program: Command, word: string): Command {
  const present = program.commands.find((command) => command.name() === word);
  if (present) return present;
  return prepared(program.command(word)).description(GROUPS[word] ?? '');
}

function addCommand(parent: Command, word: string, spec: CommandSpec): void {
  const command = parent.command(word).summary(spec.summary).description(descriptionOf(spec));
  command.helpGroup(ACTOR_HEADINGS[spec.actor]);
  for (const positional of spec.positionals) command.addArgument(argumentOf(positional));
  for (const option of spec.options) command.addOption(optionOf(option, spec));
  prepared(command);
  const examples = spec.examples.map(({ command: line, note }) => `  ${line}\n      ${note}`);
  const exits = spec.exits.map((code) => `  ${String(code).padEnd(4)}${EXIT_MEANINGS[code]}`);
  command.addHelpText('after', `\nExamples:\n${examples.join('\n')}\n\nExit codes:\n${exits.join('\n')}`);
}

/** Help lists whole commands, never a first word that does nothing alone. */
function leaves(command: Command): Command[] {
  return command.commands.flatMap((child) => (child.commands.length > 0 ? leaves(child) : [child]));
}

function usageOf(command: Command): string {
  const words = command.parent?.parent ? [command.parent.name(), command.name()] : [command.name()];
  const positionals = command.registeredArguments.map((argument) => {
    const shown = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${shown}>` : `[${shown}]`;
  });
  return [...words, ...positionals].join(' ');
}

function descriptionOf(spec: CommandSpec): string {
  return spec.description === undefined ? spec.summary : `${spec.summary}\n\n${spec.description}`;
}

/** Every level takes the global options, before and behind the words of a command. */
function prepared(command: Command): Command {
  const explain = new Option('-h, --help', 'Explain the command.').helpGroup(GLOBAL_HEADING);
  command.enablePositionalOptions().allowExcessArguments(false).helpCommand(false).exitOverride();
  for (const option of GLOBAL_OPTIONS) {
    if (option.key !== 'help') command.addOption(optionOf(option).helpGroup(GLOBAL_HEADING));
  }
  return command.addHelpOption(explain);
}

function argumentOf(positional: PositionalSpec): Argument {
  const name = positional.variadic ? `${positional.key}...` : positional.key;
  const argument = new Argument(positional.required ? `<${name}>` : `[${name}]`, positional.description);
  if (positional.choices) argument.choices([...positional.choices]);
  return argument.argParser((text: string, before: unknown) => {
    const value = converted(positional, text);
    return positional.variadic ? [...(Array.isArray(before) ? before : []), value] : value;
  });
}

function optionOf(option: OptionSpec, spec?: CommandSpec): Option {
  const value = option.form === 'flag' ? '' : ` <${option.placeholder ?? option.key}>`;
  const made = new Option(`--${option.flag}${value}`, option.description);
  if (option.choices) made.choices([...option.choices]);
  if (option.form !== 'flag')
    made.argParser((text: string, before: Json | undefined) => converted(option, text, before));
  const groups = [...(spec?.exclusive ?? []), spec?.oneOf ?? []].filter((group) => group.includes(option.key));
  const flags = groups.flat().filter((key) => key !== option.key);
  return made
    .makeOptionMandatory(option.required === true)
    .hideHelp(option.hidden === true)
    .conflicts(flags);
}

function converted(value: ValueSpec, text: string, before?: Json): Json {
  const read = readValue(value, text, before);
  if ('problem' in read) throw new InvalidArgumentError(read.problem);
  return read.value;
}
