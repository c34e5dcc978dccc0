import { DevCliError } from '../../../base/errors.js';
import { acceptDecision } from '../../../documents/decision-edit.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { Context } from '../../../run/context.js';
import { openSharedFiles } from '../../../store/shared-files.js';
import { readLoopFiles } from '../files.js';
import { stripLeadingDot } from '../findings.js';
import { listGoals, writeGoalStatus } from '../goals.js';
import { beginWaiting } from './ticket.js';

/** A ticket's path, and its text when it was read. */
export interface TicketFile {
  /** Relative to the root. */
  file: string;
  text: string;
}

/**
 * Records the chosen alternative in a ticket, atomically (loop-operations.md, Decisions). Idempotent.
 * @returns why the ticket could not be accepted; null if it is accepted
 */
export async function acceptTicket(
  { root, clock, ids }: Context,
  { file, text }: TicketFile,
  chosen: { selected: string; ref: string | null },
): Promise<string | null> {
  const files = openSharedFiles({ root, clock, ids, purpose: 'a decision' });
  const decide = () => {
    const refuse = (why: string) => ({ answer: `ticket_changed: ${why}`, changes: [] });
    const content = files.read(file);
    const now = Buffer.isBuffer(content) ? content.toString('utf8') : null;
    const after = acceptDecision(text, chosen);
    if ('text' in after && now === after.text) return { answer: null, changes: [] };
    if (now !== text) return refuse('it has changed since it was tried');
    if ('problem' in after) return refuse(`the file ${after.problem}`);
    return { answer: null, changes: [{ path: file, content: after.text }] };
  };
  return files.change<string | null>([file], decide).catch((error: unknown) => {
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL') throw error;
    return `ticket_unwritten: ${toBoundedLine(error.message, 300)}`;
  });
}

/**
 * Reactivates a goal that was blocked only because its decision was missing. @throws DevCliError as `writeGoalStatus`
 */
export async function reactivateGoal(context: Context, id: string, file: string): Promise<void> {
  const isBlocked = (): boolean => {
    const goal = listGoals(readLoopFiles(context).goals).find((one) => one.id === id);
    const { decision_file: given = null, blocked_reason: reason, status } = goal ?? {};
    if (given === null || status !== 'blocked' || stripLeadingDot(given) !== file) return false;
    return reason?.startsWith(beginWaiting(given)) === true;
  };
  if (isBlocked()) await writeGoalStatus(context, { id, status: 'active', blockedReason: null }, isBlocked);
}
