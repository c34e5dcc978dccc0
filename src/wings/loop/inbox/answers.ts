import { DevCliError } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { Context } from '../../../run/context.js';
import { activateGoal, beginAnew, findLastKept } from '../again.js';
import { stepAttempt } from '../core/attempt.js';
import { buildEvent } from '../core/events.js';
import type { InboxAction } from '../core/inbox.js';
import { readLoopFiles } from '../files.js';
import { listGoals, writeOutcome } from '../goals.js';
import { CLOSED_RETENTION_MS, nameAttempt } from '../state.js';
import type { InboxAnswer, LoopState } from '../state-schema.js';
import { LOOP, type Streams } from '../streams.js';

/** People's answers are recorded, then carried out, then logged (loop-operations.md, Inbox). */

export interface InboxContext {
  context: Context;
  streams: Streams;
  /** Whether answers are carried out at this root: in a fleet, only at its desk. */
  isHere: boolean;
}

export type InboxRefusal =
  | 'unknown'
  | 'closed'
  | 'already_answered'
  | 'unauthorized_transition'
  | 'not_answered_here'
  | 'no_such_choice';

/** Builds the refusal of an answer. @param id the item */
export function refuseAnswer(
  code: InboxRefusal,
  id: string,
  problem: string,
  more: ConstructorParameters<typeof DevCliError>[2] = {},
): DevCliError {
  const target = toBoundedLine(id, 160);
  return new DevCliError('INBOX_REFUSED', `${target} is not answered: ${problem}.`, {
    details: [{ target, problem, reason_code: code }],
    fix: ['See what is open: ', { command: 'inbox list', input: {} }, '.'],
    ...more,
  });
}

/**
 * Records an answer; the first answer other than a deferral is final.
 * @param isDone whether nothing remains to be carried out
 * @throws DevCliError `INBOX_REFUSED`, `LOCKED`, `IO`
 */
export function recordInboxAnswer(
  { streams }: InboxContext,
  id: string,
  given: Omit<InboxAnswer, 'at' | 'done'>,
  isDone: boolean,
) {
  return streams.transact(LOOP, (state, at) => {
    const before = state.answers[id];
    if (before !== undefined && before.action !== 'defer' && given.reasonCode !== 'gate')
      throw refuseAnswer('already_answered', id, `${before.operator} answered it with ${before.action}`);
    const answer: InboxAnswer = { ...given, at, done: false };
    const kept = Object.entries(state.answers).filter(
      ([, one]) => !one.done || Date.parse(at) - Date.parse(one.at) < CLOSED_RETENTION_MS,
    );
    const next = { ...state, answers: { ...Object.fromEntries(kept), [id]: answer } };
    return {
      answer,
      state: isDone ? conclude(next, id, answer) : next,
      entry: { type: 'answered', data: { id, action: given.action } },
    };
  });
}

/** Carries out recorded answers that an interrupted call left unfinished. */
export async function finishAnswers(desk: InboxContext): Promise<void> {
  if (!desk.isHere) return;
  const { answers } = await desk.streams.read(LOOP);
  for (const [id, answer] of Object.entries(answers)) if (!answer.done) await applyInboxAnswer(desk, id, answer);
}

/**
 * Carries out an answer exactly once: one commit changes the state, marks the answer as done, and queues its event.
 * @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `GIT_FAILED`, `LOCKED`, `IO`; the next call finishes it
 */
export async function applyInboxAnswer(
  { context, streams }: Omit<InboxContext, 'isHere'>,
  id: string,
  answer: InboxAnswer,
): Promise<void> {
  const change = await prepareEffect(context, answer);
  await streams.transact(LOOP, (state) => {
    const now = state.answers[id];
    if (now === undefined || now.done || now.at !== answer.at) return { answer: undefined };
    return {
      answer: undefined,
      state: conclude(change(state), id, answer),
      entry: { type: 'carried-out', data: { id, action: answer.action } },
    };
  });
}

const same = (state: LoopState): LoopState => state;

/** Makes the changes to files that an answer requires; repeating them does no harm. @returns the change to the state */
async function prepareEffect(context: Context, answer: InboxAnswer): Promise<(state: LoopState) => LoopState> {
  const { goal: id, action, reasonCode, reason, operator, classification } = answer;
  if (id === null || findGoalStatus(reasonCode, action) === null) return same;
  const goal = listGoals(readLoopFiles(context).goals).find((one) => one.id === id);
  if (goal === undefined || (goal.status !== 'active' && goal.status !== 'blocked')) return same;
  if (action === 'reject') {
    const said = toBoundedLine(`rejected by ${operator}${reason === null ? '' : `: ${reason}`}`, 500);
    await writeOutcome(context, { id, status: 'blocked', blockedReason: said });
    return (state) => (reasonCode === 'action_escalate' ? giveUp(state, id, said) : state);
  }
  if (reasonCode === 'claim_collision' && goal.status === 'active') return same;
  const isContinued = reasonCode === 'action_block' && classification === 'blocked';
  const from = isContinued ? await findLastKept(context.root, id, {}) : null;
  await activateGoal(context, goal);
  return (state) => beginAnew(state, { goal: id, note: reason, from });
}

/** Ends the attempt of a goal whose branch could not be moved; its kept commit stays. */
function giveUp(state: LoopState, goal: string, reason: string): LoopState {
  const attempt = Object.values(state.attempts).find((one) => one.goal === goal && one.state === 'unmoved');
  if (attempt === undefined) return state;
  // The answer already blocks the goal; a verdict that blocks would create another item for the same person.
  const verdict = { classification: 'interrupted', success: false, action: 'stop', reason } as const;
  const over = { ...attempt, state: stepAttempt(attempt.state, 'OVER'), claim: null, verdict };
  return { ...state, attempts: { ...state.attempts, [nameAttempt(attempt)]: over } };
}

/** Returns the status that an answer gives its goal; null: unchanged. */
export function findGoalStatus(reasonCode: string, action: InboxAction): 'active' | 'blocked' | null {
  if (action === 'defer' || ['baseline_blocked', 'gate', 'halted'].includes(reasonCode)) return null;
  if (action === 'approve') return 'active';
  return reasonCode === 'claim_collision' ? null : 'blocked';
}

/** Marks an answer as carried out, and queues its event for the log. */
function conclude(state: LoopState, id: string, answer: InboxAnswer): LoopState {
  const { goal, action, operator, reason, reasonCode, at } = answer;
  const payload = {
    ...{ inbox_id: id, action, operator_id: operator, goal_id: goal, goal_status: findGoalStatus(reasonCode, action) },
    ...{ reason, reason_code: reasonCode },
  };
  return {
    ...state,
    answers: { ...state.answers, [id]: { ...answer, done: true } },
    unsent: [...state.unsent, buildEvent('operator_inbox_action', { key: `${id}:${at}`, at, payload })],
  };
}
