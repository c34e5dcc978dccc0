import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Answer } from '../../../base/answer.js';
import { DevCliError, getSystemCode } from '../../../base/errors.js';
import type { Invocation } from '../../../base/invocation.js';
import type { AckInput } from '../../../blocks/acknowledgement.js';
import { stepComplete } from '../../../protocol/acknowledge/complete.js';
import type { PendingAction } from '../../../run/action.js';
import type { Context } from '../../../run/context.js';

/** What a model passes to `finish`. The rest of the acknowledgement comes from the files that the action promised. */
export interface FinishInput {
  /** One of the choices that the action offers. */
  choice?: string;
  /** Why this choice was made; for an action that promises no file, the result itself. */
  reason?: string;
  /** Why the action cannot be done. */
  cannot?: string;
}

/** Members of an acknowledgement that contain a text or, as `@FILE`, name a file that contains it. */
const TEXTS = ['note', 'result', 'reason'] as const;

/**
 * Carries out an action's acknowledgement. Where it names a file, the file's content is filled in.
 * @throws DevCliError as `step complete`; `DATA_MISSING` for a file that does not exist
 */
export function submitAcknowledgement(context: Context, { input }: Invocation, finish: FinishInput): Promise<Answer> {
  const { name, ...given } = input;
  const filled: Record<string, unknown> = { ...given };
  for (const key of TEXTS)
    if (typeof given[key] === 'string') filled[key] = finish.reason ?? readReference(context, given[key]);
  const { data } = given;
  if (typeof data === 'string') {
    const path = data.replace(/^@/, '');
    filled['data'] = { source: 'file', name: path, text: readReference(context, data) };
  }
  return stepComplete(context, name, filled as AckInput);
}

/** Reports that an action cannot be done; the recipe decides what follows. @throws DevCliError as `step fail` */
export function reportActionFailed(context: Context, run: string, action: string, reason: string): Promise<Answer> {
  return stepComplete(context, run, { action, reason: reason.slice(0, 2000), fail: true });
}

/**
 * Returns the acknowledgement of an action.
 * @throws DevCliError `UNKNOWN_CHOICE` if the action does not offer the choice
 */
export function chooseAcknowledgement(action: PendingAction, choice: string | undefined): Invocation {
  const choices = 'choices' in action ? (action.choices ?? []) : [];
  const ack =
    choices.length === 0 ? ('ack' in action ? action.ack : undefined) : choices.find(({ id }) => id === choice)?.ack;
  if (ack !== undefined) return ack as Invocation;
  throw new DevCliError('UNKNOWN_CHOICE', 'To finish this action, one of its choices must be given.', {
    details: choices.map(({ id, label }) => ({ target: id, problem: label })),
    fix: `Call finish with choice: ${choices.map(({ id }) => id).join(', ')}.`,
  });
}

/** Reads the file that `@FILE` names. @throws DevCliError `DATA_MISSING` if it does not exist */
function readReference({ root }: Pick<Context, 'root'>, given: string): string {
  if (!given.startsWith('@')) return given;
  const path = given.slice(1);
  try {
    return readFileSync(resolve(root, path), 'utf8');
  } catch (error) {
    if (getSystemCode(error) === undefined) throw error;
    throw new DevCliError('DATA_MISSING', `${path} does not exist.`, {
      fix: `Write ${path}, or give finish a reason; then call finish again.`,
    });
  }
}
