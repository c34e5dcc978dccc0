import type { Invocation } from '../base/invocation.js';
import { isRecord } from '../base/json.js';
import { renderCommand } from './render.js';

/** The members that hold commands; wherever they stand, they are written out (protocol.md §2, `ack`). */
const COMMAND_MEMBERS = new Set(['ack', 'poll', 'fix', 'instead', 'resume']);

/** A replacer for `JSON.stringify` that writes every invocation out as a command line. */
export function writtenOut(key: string, value: unknown): unknown {
  return COMMAND_MEMBERS.has(key) && isInvocation(value) ? renderCommand(value) : value;
}

function isInvocation(value: unknown): value is Invocation {
  return isRecord(value) && typeof value['command'] === 'string' && isRecord(value['input']);
}
