import { DevCliError } from '../../../base/errors.js';
import { executeGit as runGit } from '../../../work/git-command.js';
import { repairTree } from '../../../work/trees.js';
import { judgeSession, sayEnd } from '../core/judge.js';
import { completeGoal, type LoopGoal } from '../goals.js';
import { type AttemptSite, runCommand, type StepEnd } from '../site.js';
import { nameAttempt, nameReference } from '../state.js';
import type { Attempt, Verdict } from '../state-schema.js';
import { prepareAttempt, refuseAttempt } from '../steps/prepare.js';
import { saveAttempt } from '../steps/save.js';
import { runSession } from '../steps/session.js';
import type { Measurement } from './ranking.js';
import type { Ticket } from './schemas.js';
import { nameVariant } from './ticket.js';

/** Tries one alternative (loop-operations.md, Decisions), with the steps of an attempt, but without moving a branch. */

/** An alternative to try. */
export interface VariantTrial {
  alternative: string;
  /** Where its session and its line run. */
  site: AttemptSite;
  goal: LoopGoal;
  /** A shell line with placeholders filled in. */
  line: string;
  /** Whether a session implements the alternative; if not, only its line is run. */
  isMade: boolean;
  tell: (line: string) => void;
}

/** An alternative that was tried. */
export interface TriedVariant {
  attempt: Attempt;
  verdict: Verdict;
  measured: Measurement;
}

/** Builds the goal under which an alternative is tried, with the restrictions of the goal that needs the decision. */
export function buildVariantGoal(ticket: Ticket, alternative: string, { title, ...goal }: LoopGoal): LoopGoal {
  const { allowed_changes, acceptance, tool } = goal;
  const id = nameVariant(ticket.decision_id, alternative);
  return { ...completeGoal({ id, title, status: 'active' }, []), allowed_changes, acceptance, tool };
}

/** Builds the error for a spike that a signal ended. */
export const spikeInterruptedError = (): DevCliError =>
  new DevCliError('INTERRUPTED', 'The spike was interrupted; the next one starts over.');

/**
 * Fills in the placeholders of a line; other braces stay. The ids need no quotes, because their pattern admits no
 * character that is special in a shell.
 */
export function fillLine(line: string, { decision_id, goal_id }: Ticket, alternative_id: string): string {
  const places: Readonly<Record<string, string>> = { alternative_id, decision_id, goal_id };
  return line.replace(/\{(alternative_id|decision_id|goal_id)\}/g, (place, name) => places[name] ?? place);
}

/**
 * Tries an alternative, keeps the result, and measures it.
 * @throws DevCliError `INTERRUPTED` if a signal ended it; `GIT_FAILED`, `IO`, `COMMAND_FAILED`
 */
export async function tryVariant(trial: VariantTrial, begun: Attempt): Promise<TriedVariant> {
  const { alternative, site, goal, tell, isMade } = trial;
  const { clock } = site.context;
  let attempt = begun;
  const id = nameAttempt(attempt);
  const take = ({ patch }: StepEnd): void => {
    if (site.signal.aborted) throw spikeInterruptedError();
    attempt = { ...attempt, ...patch };
  };
  tell(`${id}: preparing`);
  take(await prepareAttempt(site, attempt, goal).catch(refuseAttempt));
  const from = clock.now();
  let verdict = attempt.verdict;
  if (verdict === null && isMade) {
    tell(`${id}: session`);
    take(await runSession(site, attempt, goal));
    take(await saveAttempt(site, attempt, goal));
    verdict = attempt.kept === null ? judgeNothing(attempt) : null;
  } else attempt = { ...attempt, sessions: 0 };
  if (verdict === null) {
    tell(`${id}: line`);
    const seconds = site.config.test_timeout_minutes * 60;
    const command = { name: 'line-1', argv: [trial.line], line: trial.line, shell: true, seconds };
    const { interrupted: _, ...fact } = await runCommand(site, attempt, command);
    const stands = await repairTree(site.top, attempt.tree, site.git);
    verdict = !stands
      ? judge('failed', 'its work tree is gone')
      : fact.exit === 0
        ? judge('complete', sayEnd(fact))
        : judge(fact.timedOut ? 'timeout' : 'failed', sayEnd(fact));
    take(await saveAttempt(site, attempt, goal));
    attempt = { ...attempt, checks: [fact] };
  }
  const measured: Measurement = {
    ...{ alternative_id: alternative, passed: verdict.success, exit_code: attempt.checks[0]?.exit ?? null },
    ...{ duration_ms: Math.max(0, clock.now() - from), ...(await countChanges(site, attempt)) },
    ref: attempt.kept === null ? null : nameReference(attempt),
  };
  return { attempt: { ...attempt, verdict }, verdict, measured };
}

/**
 * Judges a session that left nothing: the alternative has failed, whatever tests would say, since there is no change to
 * compare.
 */
function judgeNothing(attempt: Attempt): Verdict {
  const judged = attempt.facts === null ? null : judgeSession(attempt.facts, attempt);
  const { classification, reason } =
    judged?.next === 'verdict' ? judged.verdict : { classification: 'no-progress', reason: 'nothing was changed' };
  return judge(classification, reason);
}

function judge(classification: string, reason: string): Verdict {
  return { classification, success: classification === 'complete', action: 'stop', reason };
}

/** Counts the changes of a kept commit; a binary file has no lines. */
async function countChanges({ top, git }: AttemptSite, { base, kept }: Attempt) {
  if (kept === null) return { changed_files: 0, diff_lines: 0 };
  const asked = ['diff', '--numstat', '--find-renames', '--no-ext-diff', '--no-textconv', base, kept];
  const lines = (await runGit(top, asked, git)).toString('utf8').split('\n').filter(Boolean);
  const counts = lines.flatMap((line) => line.split('\t', 2)).map((count) => Number(count) || 0);
  return { changed_files: lines.length, diff_lines: counts.reduce((sum, one) => sum + one, 0) };
}
