import { foreignLine } from '../documents/foreign.js';
import { plainCommandLine } from '../documents/plan-text.js';
import type { PlannedCommand } from './engine/commands.js';

/** Commands in the message of a gate; a document holds them all, and `approve` shows them all. */
const COMMANDS_SHOWN = 12;

/** Characters of one of them. */
const COMMAND_CAP = 160;

/** A command for whoever approves it: whole, each argument quoted where it needs it, and what is unusual about it. */
export function commandText({ run, cwd, timeout, expect: { exitCode, stdoutContains } }: PlannedCommand): string {
  const unusual = [
    ...(cwd === '.' ? [] : [`in ${plainCommandLine([cwd])}`]),
    ...(timeout === 300 ? [] : [`for up to ${timeout} s`]),
    ...(exitCode === undefined || exitCode === 0 ? [] : [`to exit with ${exitCode}`]),
    ...(stdoutContains === undefined ? [] : [`to print ${plainCommandLine([stdoutContains])}`]),
  ];
  return `${plainCommandLine(run)}${unusual.length === 0 ? '' : ` (${unusual.join(', ')})`}`;
}

/**
 * The commands for the message of a gate, one a line.
 * @param texts of `commandText`
 * @param whole where they all stand uncut
 */
export function commandsShown(texts: readonly string[], whole: string): string {
  const shown = texts.slice(0, COMMANDS_SHOWN).map((text) => `- ${foreignLine(text, COMMAND_CAP)}`);
  const more = texts.length > shown.length ? [`- and ${texts.length - shown.length} more: ${whole}`] : [];
  return [...shown, ...more].join('\n');
}
