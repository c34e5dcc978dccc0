import type { Invocation } from '../base/invocation.js';
import { isRecord } from '../base/json.js';
import { renderCommand, shellQuoted } from './render.js';

/** The members that hold commands; wherever they stand, they are written out (protocol.md §2, `ack`). */
const COMMAND_MEMBERS = new Set(['ack', 'poll', 'fix', 'instead', 'resume']);

/** A replacer for `JSON.stringify` that writes every invocation out as a command line. */
export function writtenOut(key: string, value: unknown): unknown {
  return COMMAND_MEMBERS.has(key) && isInvocation(value) ? renderCommand(value) : value;
}

/** The same for a call that named its root: what is printed must run where the call was made. */
export function writtenOutFor(root: string | undefined): (key: string, value: unknown) => unknown {
  if (root === undefined) return writtenOut;
  const ending = ` --root ${shellQuoted(root)}`;
  return (key, value) => (COMMAND_MEMBERS.has(key) && isInvocation(value) ? renderCommand(value) + ending : value);
}

function isInvocation(value: unknown): value is Invocation {
  return isRecord(value) && typeof value['command'] === 'string' && isRecord(value['input']);
}
