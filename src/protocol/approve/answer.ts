import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import type { GateAction } from '../../run/action.js';
import type { Context } from '../../run/context.js';
import { findChoices } from '../../run/pending-action.js';
import { stepComplete } from '../acknowledge/complete.js';
import { asPerson } from '../trust/person.js';
import { explainRefusal, type OpenGate, requireNoLateText } from './plan-at-gate.js';

/** A person's answer to a gate, wherever they gave it. */

/** A choice as a gate offers it. */
export type GateChoice = NonNullable<GateAction['choices']>[number];

/**
 * Finds a choice that a gate offers.
 * @param otherwise what is wrong with any other
 * @throws DevCliError `UNKNOWN_CHOICE`
 */
export function requireOffered(gate: OpenGate, id: string | null, otherwise: string): GateChoice {
  const choice = findChoices(gate.action)?.find((one) => one.id === id);
  if (choice === undefined) throw unknownChoiceError(gate, otherwise);
  return choice;
}

/** Nothing was chosen that the gate offers. */
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
 * @throws DevCliError what the acknowledgement refuses, as a person needs it; `STALE_ACTION` where it was answered meanwhile
 */
export async function answerOpenGate(
  context: Context,
  gate: OpenGate,
  input: { choice: string; note?: string },
): Promise<Answer> {
  const { run: name, actionId: action } = gate.action;
  try {
    requireNoLateText(context, gate, input.choice);
    const answer = await stepComplete(asPerson(context), name, { action, ...input });
    if ('duplicate' in answer.json) throw gateAnsweredError(name, action);
    return answer;
  } catch (error) {
    throw explainRefusal(context, gate, error);
  }
}

/** Somebody else has answered the gate. */
export function gateAnsweredError(name: string, actionId: string): DevCliError {
  return new DevCliError('STALE_ACTION', `The gate ${actionId} was answered meanwhile; this answer changed nothing.`, {
    run: name,
    fix: { command: 'status', input: { name } },
  });
}
