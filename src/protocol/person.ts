import { defined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import type { Invocation } from '../base/invocation.js';
import type { Context } from '../run/context.js';

/** What an agent does where only a person can go on. */
export const SHOW_ANSWER =
  'Show the user what `answer` says; the user runs it in a terminal of their own, no agent can. Then repeat this call.';

/**
 * Only where a person can be asked: a terminal at both ends, and no harness's mark (protocol.md §3).
 * @param answer the command that a person runs where that is so
 * @throws DevCliError `TERMINAL_REQUIRED`, naming the mark that stands
 */
export function requireTerminal(context: Context, answer: Invocation, run?: string): void {
  if (context.caller.terminal === true) return;
  const why =
    context.mark === null
      ? 'standard input and output must be a terminal'
      : `${context.mark} is set, so an agent is calling, on a terminal too`;
  throw new DevCliError('TERMINAL_REQUIRED', `This is for a person: ${why}.`, {
    ...defined({ run }),
    fix: 'Show the user what `answer` says: the user runs it in a terminal of their own, outside the harness.',
    answer,
  });
}

/** The same call, by a person: what was typed after a question at a terminal is a person's word. */
export function asPerson(context: Context): Context {
  return { ...context, caller: { ...context.caller, kind: 'human' } };
}
