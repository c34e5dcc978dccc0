import { canonicalJson } from '../base/json.js';
import { sha256 } from '../base/sha256.js';
import { toBoundedLine } from './foreign.js';
import type { PlanAcceptance, PlanContent } from './plan-schema.js';
import { formatPlainCommandLine } from './plan-text.js';

/** The acceptance commands of a plan as somebody approves them. */

export type CommandAcceptance = Extract<PlanAcceptance, { kind: 'command' }>;

/** Seconds a command may take when the plan does not say. */
export const DEFAULT_TIMEOUT = 300;

export function isCommand(item: PlanAcceptance): item is CommandAcceptance {
  return item.kind === 'command';
}

/** All of a command that an approval is about (engine.md, Approvals). */
export interface PlannedCommand {
  run: string[];
  cwd: string;
  /** Seconds. */
  timeout: number;
  /** What it is judged by, the usual exit code filled in. */
  expect: NonNullable<CommandAcceptance['expect']>;
}

/** Every command of a plan, each once. */
export function listCommands({ todos }: Pick<PlanContent, 'todos'>): PlannedCommand[] {
  const known = new Map<string, PlannedCommand>();
  for (const todo of todos) {
    for (const { run, cwd = '.', timeout = DEFAULT_TIMEOUT, expect } of todo.acceptance.filter(isCommand)) {
      const command = { run, cwd, timeout, expect: { exitCode: 0, ...expect } };
      known.set(canonicalJson(command), command);
    }
  }
  return [...known.values()];
}

/** By which an approval of a list of commands is known again. The order of the plan does not matter. */
export function digestCommands(commands: readonly PlannedCommand[]): string {
  return digestLines(commands.map((command) => canonicalJson(command)));
}

/** The same as releases up to 0.1.0 made it, of the argument vectors and where they run alone. */
export function digestCommandsAsOf010(commands: readonly PlannedCommand[]): string {
  return digestLines([...new Set(commands.map(({ run, cwd }) => canonicalJson({ run, cwd })))]);
}

function digestLines(lines: string[]): string {
  return sha256(canonicalJson(lines.sort()));
}

/** Commands in the message of a gate; a document holds them all, and `approve` shows them all. */
const COMMANDS_SHOWN = 12;

/** Characters of one of them. */
const COMMAND_CAP = 160;

/** A command for whoever approves it: whole, each argument quoted where it needs it, and what is unusual about it. */
export function renderCommand({ run, cwd, timeout, expect: { exitCode, stdoutContains } }: PlannedCommand): string {
  const unusual = [
    ...(cwd === '.' ? [] : [`in ${formatPlainCommandLine([cwd])}`]),
    ...(timeout === DEFAULT_TIMEOUT ? [] : [`for up to ${timeout} s`]),
    ...(exitCode === undefined || exitCode === 0 ? [] : [`to exit with ${exitCode}`]),
    ...(stdoutContains === undefined ? [] : [`to print ${formatPlainCommandLine([stdoutContains])}`]),
  ];
  return `${formatPlainCommandLine(run)}${unusual.length === 0 ? '' : ` (${unusual.join(', ')})`}`;
}

/**
 * The commands for the message of a gate, one a line.
 * @param texts of `renderCommand`
 * @param whole where they all stand uncut
 */
export function renderCommandList(texts: readonly string[], whole: string): string {
  const shown = texts.slice(0, COMMANDS_SHOWN).map((text) => `- ${toBoundedLine(text, COMMAND_CAP)}`);
  const more = texts.length > shown.length ? [`- and ${texts.length - shown.length} more: ${whole}`] : [];
  return [...shown, ...more].join('\n');
}
