import { type CommandFormatter, type Instruction, type Invocation, renderInstruction } from '../base/invocation.js';
import { isRecord } from '../base/json.js';
import { quoteForShell, renderCommand } from './render.js';

/** The members, at any depth, whose commands are written out (protocol.md, Printed commands). */
const COMMAND_MEMBERS = new Set(['ack', 'poll', 'answer', 'fix', 'instead', 'resume', 'ruling', 'you']);

/**
 * Creates the formatter of a call, whose commands must run where the call was made.
 * @param root `--root` as given, which printed commands repeat
 */
export function createFormatterFor(root: string | undefined): CommandFormatter {
  if (root === undefined) return renderCommand;
  const ending = ` --root ${quoteForShell(root)}`;
  return (command) => renderCommand(command) + ending;
}

/** Creates a replacer for `JSON.stringify` that writes out the commands in a document. */
export function createCommandReplacer(written: CommandFormatter): (key: string, value: unknown) => unknown {
  return (key, value) => {
    if (!COMMAND_MEMBERS.has(key)) return value;
    if (isInvocation(value)) return written(value);
    return isInstruction(value) ? renderInstruction(value, written) : value;
  };
}

function isInvocation(value: unknown): value is Invocation {
  return isRecord(value) && typeof value['command'] === 'string' && isRecord(value['input']);
}

function isInstruction(value: unknown): value is Instruction {
  return Array.isArray(value) && value.every((part) => typeof part === 'string' || isInvocation(part));
}
