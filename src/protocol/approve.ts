import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { checkedName } from '../base/name.js';
import { choicesOf } from '../run/acknowledgements.js';
import { stepComplete } from './complete.js';
import type { Context } from './context.js';
import { readRun } from './running.js';

/**
 * `approve <name>`: a person on a terminal answers the gate that is pending; without a choice it is
 * shown and asked (protocol.md §5; harness.md, Human gates).
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
      fix: ['Ask the user to type it in a terminal: ', { command: 'approve', input: { name } }],
    });
  }
  const action = (await readRun(context, name)).snapshot.pendingAction?.action;
  if (action?.action !== 'wait-for-user') {
    throw new DevCliError('DATA_UNEXPECTED', `No gate of "${name}" waits for a person.`, {
      run: name,
      fix: { command: 'status', input: { name } },
    });
  }
  const { actionId } = action;
  if (input.choice !== undefined) {
    return answered(name, await stepComplete(context, name, { action: actionId, ...input }));
  }
  const choices = choicesOf(action) ?? [];
  const listed = choices.map(({ id, label }, index) => `  ${index + 1}  ${id}: ${label}`);
  const artifact = action.artifact === undefined ? [] : [`Read first: ${action.artifact.path}`];
  const typed = await context.ask(
    [
      action.message,
      ...artifact,
      '',
      ...listed,
      '',
      `Your choice, 1 to ${choices.length}, or nothing to leave it: `,
    ].join('\n'),
  );
  const chosen = choices.find(({ id }, index) => typed === id || typed === String(index + 1));
  if (chosen === undefined) {
    throw new DevCliError('UNKNOWN_CHOICE', typed === '' ? 'Nothing was chosen.' : 'There is no such choice.', {
      run: name,
      fix: { command: 'approve', input: { name } },
    });
  }
  const note = input.note ?? (chosen.reason === 'required' ? await context.ask('Why? ') : undefined);
  const answer = await stepComplete(context, name, {
    action: actionId,
    choice: chosen.id,
    ...(note === undefined ? {} : { note }),
  });
  return answered(name, answer);
}

/** For the person: the answer is the agent's to read. */
function answered(name: string, answer: Answer): Answer {
  return {
    ...answer,
    text: (written) => `Taken. Tell the agent to go on; it asks: ${written({ command: 'next', input: { name } })}`,
  };
}
