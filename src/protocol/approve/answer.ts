import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import type { GateAction } from '../../run/action.js';
import type { Context } from '../../run/context.js';
import { findChoices } from '../../run/pending-action.js';
import { stepComplete } from '../acknowledge/complete.js';
import { toPersonContext } from '../trust/person.js';
import { explainRefusal, type OpenGate, requireNoLateText } from './plan-at-gate.js';

/** Answering a gate as a person, at a terminal or on the page. */

/** A choice that a gate offers. */
export type GateChoice = NonNullable<GateAction['choices']>[number];

/**
 * Finds a choice that a gate offers.
 * @param otherwise the error message if it does not offer `id`
 * @throws DevCliError `UNKNOWN_CHOICE`
 */
export function requireOffered(gate: OpenGate, id: string | null, otherwise: string): GateChoice {
  const choice = findChoices(gate.action)?.find((one) => one.id === id);
  if (choice === undefined) throw unknownChoiceError(gate, otherwise);
  return choice;
}

/** Builds the error for an answer that the gate does not offer, or for no answer. */
export function unknownChoiceError({ action }: OpenGate, message: string): DevCliError {
  const { run: name } = action;
  return new DevCliError('UNKNOWN_CHOICE', message, {
    run: name,
    fix: `Nothing changed. Choose one of: ${(findChoices(action) ?? []).map(({ id }) => id).join(', ')}.`,
    answer: { command: 'approve', input: { name } },
  });
}

/**
 * Answers a gate as a person (protocol.md, A person's word).
 * @throws DevCliError any refusal of the acknowledgement, worded for a person; `STALE_ACTION` if the gate was answered
 * meanwhile
 */
export async function answerOpenGate(
  context: Context,
  gate: OpenGate,
  input: { choice: string; note?: string },
): Promise<Answer> {
  const { run: name, actionId: action } = gate.action;
  try {
    requireNoLateText(context, gate, input.choice);
    const answer = await stepComplete(toPersonContext(context), name, { action, ...input });
    if ('duplicate' in answer.json) throw gateAnsweredError(name, action);
    return answer;
  } catch (error) {
    throw explainRefusal(context, gate, error);
  }
}

/** Builds the error for a gate that was answered while this person was deciding. */
export function gateAnsweredError(name: string, actionId: string): DevCliError {
  return new DevCliError(
    'STALE_ACTION',
    `The gate ${actionId} has already been answered; this answer changed nothing.`,
    {
      run: name,
      fix: { command: 'status', input: { name } },
    },
  );
}
