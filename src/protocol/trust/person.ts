import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { CommandFormatter, Invocation } from '../../base/invocation.js';
import type { Context } from '../../run/context.js';

/** The `fix` of a refusal that only a person can resolve. */
export const SHOW_ANSWER =
  'Show the user what `answer` says: only the user can run it, in a terminal of their own. Then repeat this call.';

/**
 * Requires that a person can be asked: standard input and output are a terminal, and no harness mark is set
 * (protocol.md §3).
 * @param answer the command for the person to run in a terminal of their own
 * @param run the run that the error names
 * @throws DevCliError `TERMINAL_REQUIRED`, naming the mark if one is set
 */
export function requireTerminal(context: Context, answer: Invocation, run?: string): void {
  if (context.caller.terminal === true) return;
  const why =
    context.mark === null
      ? 'standard input and output must be a terminal'
      : `${context.mark} is set, so an agent is calling, even on a terminal`;
  throw new DevCliError('TERMINAL_REQUIRED', `A person must do this: ${why}.`, {
    ...omitUndefined({ run }),
    fix: 'Show the user what `answer` says: the user runs it in a terminal of their own, outside the harness.',
    answer,
  });
}

/** Returns the context for carrying out a person's decision; its deadline ignores the time that they took to answer. */
export function toPersonContext(context: Context): Context {
  return { ...context, startedAt: context.clock.now(), caller: { ...context.caller, kind: 'human' } };
}

/**
 * Renders one sentence that says how the run continues after a person's decision.
 * @param isHeld whether the run is held, so that its agent has to wait for the release
 */
export function renderContinuation(name: string, isHeld: boolean, format: CommandFormatter): string {
  return isHeld
    ? `The run is held. To release it: ${format({ command: 'release', input: { name } })}`
    : `Tell the agent to continue with: ${format({ command: 'next', input: { name } })}`;
}
