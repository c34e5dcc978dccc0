import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { checkedName } from '../base/name.js';
import { choicesOf } from '../run/acknowledgements.js';
import { stepComplete } from './complete.js';
import type { Context } from './context.js';
import { readRun } from './next.js';

/**
 * `approve <name>`: a person on a terminal answers the gate that is pending; without a choice it is shown
 * (protocol.md §5; harness.md, Human gates).
 * @throws DevCliError `TERMINAL_REQUIRED`, `NO_SUCH_RUN`, `DATA_UNEXPECTED` when no gate is pending, `UNKNOWN_CHOICE`
 */
export async function approve(
  context: Context,
  given: string,
  input: { choice?: string; note?: string },
): Promise<Answer> {
  const name = checkedName(given);
  if (context.caller.terminal !== true) {
    throw new DevCliError('TERMINAL_REQUIRED', 'This is for a person: standard input and output must be a terminal.', {
      run: name,
      fix: `Ask the user to type it in a terminal: dev-cli approve ${name}`,
    });
  }
  const action = (await readRun(context, name)).snapshot.pendingAction?.action;
  if (action?.action !== 'wait-for-user') {
    throw new DevCliError('DATA_UNEXPECTED', `No gate of "${name}" waits for a person.`, {
      run: name,
      fix: { command: 'status', input: { name } },
    });
  }
  if (input.choice !== undefined) return stepComplete(context, name, { action: action.actionId, ...input });
  const choices = choicesOf(action) ?? [];
  const artifact = action.artifact?.path;
  return {
    exit: 0,
    json: { ok: true, run: name, message: action.message, artifact: artifact ?? null, choices },
    text: () =>
      [
        action.message,
        ...(artifact === undefined ? [] : [`Read first: ${artifact}`]),
        '',
        ...choices.map(({ id, label, reason }) => {
          const note = reason === 'required' ? ' --note "why"' : '';
          return `${label}\n  dev-cli approve ${name} --choice ${id}${note}`;
        }),
      ].join('\n'),
  };
}
