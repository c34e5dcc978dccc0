import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import { cutLine } from '../../documents/foreign.js';
import { formatPlainCommandLine } from '../../documents/plan-text.js';
import type { PlanAcceptance, PlanContent } from './schema.js';

/** The acceptance commands of a plan, which a person approves (engine.md, Approvals). */

/** An acceptance that is judged by running a command. */
export type CommandAcceptance = Extract<PlanAcceptance, { kind: 'command' }>;

/** Seconds that a command may take if the plan gives no `timeout`. */
export const DEFAULT_TIMEOUT = 300;

/** Returns whether an acceptance is judged by running a command. */
export function isCommand(item: PlanAcceptance): item is CommandAcceptance {
  return item.kind === 'command';
}

/** Everything about a command that an approval covers (engine.md, Approvals). */
export interface PlannedCommand {
  /** The argument vector. */
  run: readonly string[];
  /** Relative to the project. */
  cwd: string;
  /** Seconds. */
  timeout: number;
  /** The expected result. `exitCode` is set even if the plan leaves it out. */
  expect: NonNullable<CommandAcceptance['expect']>;
}

/** A command, and the acceptances that it judges, such as `todo-1/ac-1`. */
export interface LocatedCommand {
  command: PlannedCommand;
  places: readonly string[];
}

/** Lists the commands of a plan, each once, with the acceptances that it judges. */
export function locateCommands({ todos }: Pick<PlanContent, 'todos'>): LocatedCommand[] {
  const known = new Map<string, { command: PlannedCommand; places: string[] }>();
  for (const todo of todos) {
    for (const { id, run, cwd = '.', timeout = DEFAULT_TIMEOUT, expect } of todo.acceptance.filter(isCommand)) {
      const command = { run, cwd, timeout, expect: { exitCode: 0, ...expect } };
      const key = canonicalJson(command);
      const located = known.get(key) ?? { command, places: [] };
      located.places.push(`${todo.id}/${id}`);
      known.set(key, located);
    }
  }
  return [...known.values()];
}

/** Lists the commands of a plan, each once. */
export function listCommands(plan: Pick<PlanContent, 'todos'>): PlannedCommand[] {
  return locateCommands(plan).map(({ command }) => command);
}

/** Digests a list of commands regardless of order. Approvals record this digest. */
export function digestCommands(commands: readonly PlannedCommand[]): string {
  return sha256(canonicalJson(commands.map((command) => canonicalJson(command)).sort()));
}

/** Maximum number of commands in the message of a gate; a document and `approve` show them all. */
const COMMANDS_SHOWN = 12;

/** Maximum number of characters of each command in that message. */
const COMMAND_CAP = 160;

/** Renders a command for the person who approves it: uncut, quoted if necessary, with all settings except defaults. */
export function renderPlannedCommand({ run, cwd, timeout, expect }: PlannedCommand): string {
  const { exitCode = 0, stdoutContains, stdoutLacks } = expect;
  const unusual = [
    ...(cwd === '.' ? [] : [`in ${formatPlainCommandLine([cwd])}`]),
    ...(timeout === DEFAULT_TIMEOUT ? [] : [`for up to ${timeout} s`]),
    ...(exitCode === 0 ? [] : [`to exit with ${[exitCode].flat().join(' or ')}`]),
    ...(stdoutContains === undefined ? [] : [`to print ${formatPlainCommandLine([stdoutContains])}`]),
    ...(stdoutLacks === undefined ? [] : [`not to print ${formatPlainCommandLine([stdoutLacks])}`]),
  ];
  return `${formatPlainCommandLine(run)}${unusual.length === 0 ? '' : ` (${unusual.join(', ')})`}`;
}

/**
 * Renders commands for the message of a gate, one per line.
 * @param texts commands as rendered by `renderPlannedCommand`
 * @param whole says where all commands are shown uncut
 */
export function renderCommandList(texts: readonly string[], whole: string): string {
  const shown = texts.slice(0, COMMANDS_SHOWN).map((text) => `- ${cutLine(text, COMMAND_CAP)}`);
  const more = texts.length > shown.length ? [`- and ${texts.length - shown.length} more: ${whole}`] : [];
  return [...shown, ...more].join('\n');
}
