import { type Instruction, type Invocation, sentence, type Written } from '../base/invocation.js';
import { isRecord } from '../base/json.js';
import { renderCommand, shellQuoted } from './render.js';

/** The members that hold commands, alone or in an instruction; wherever they stand, they are written out (protocol.md, Printed commands). */
const COMMAND_MEMBERS = new Set(['ack', 'poll', 'answer', 'fix', 'instead', 'resume', 'ruling', 'you']);

/** Writes commands for a call that named its root, or none: what is printed must run where the call was made. */
export function writtenFor(root: string | undefined): Written {
  if (root === undefined) return renderCommand;
  const ending = ` --root ${shellQuoted(root)}`;
  return (command) => renderCommand(command) + ending;
}

/** A replacer for `JSON.stringify` that writes out every command in a document. */
export function writtenOut(written: Written): (key: string, value: unknown) => unknown {
  return (key, value) => {
    if (!COMMAND_MEMBERS.has(key)) return value;
    if (isInvocation(value)) return written(value);
    return isInstruction(value) ? sentence(value, written) : value;
  };
}

function isInvocation(value: unknown): value is Invocation {
  return isRecord(value) && typeof value['command'] === 'string' && isRecord(value['input']);
}

function isInstruction(value: unknown): value is Instruction {
  return Array.isArray(value) && value.every((part) => typeof part === 'string' || isInvocation(part));
}
