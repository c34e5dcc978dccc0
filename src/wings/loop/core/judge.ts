import { toBoundedLine } from '../../../documents/foreign.js';
import type { RunState } from '../../../run/state.js';
import type { LoopGoal } from '../goals.js';
import type { Attempt, CommandFact, SessionFacts, Verdict } from '../state-schema.js';

/** Judges an attempt by facts alone: nothing that a tool prints decides anything (loop-core.md, auto, step 5). Pure. */

export type SessionJudgement =
  | { next: 'session' }
  | { next: 'park'; reason: string }
  /** The tests and the goal's acceptance commands still have to run. */
  | { next: 'test' }
  | { next: 'verdict'; verdict: Verdict };

/** The parts of an attempt that the judgement uses. */
type Known = Pick<Attempt, 'sessions' | 'stopped' | 'kept'>;

/** Maximum number of sessions that may work on one run. */
const MOST_SESSIONS = 5;
/** The reason in the verdict of an attempt that a signal or a reboot cut off; such an attempt does not count. */
export const INTERRUPTED = 'it was interrupted';

/** The reason in the verdict of an accepted attempt. */
export const ACCEPTED = 'every check gave the expected result';

/** Exit codes with which a shell reports that it cannot run a command. */
const CANNOT_RUN: readonly (number | null)[] = [126, 127];
/** Maximum characters quoted from a tool's last output. */
const LONGEST_QUOTE = 160;
/** Maximum paths that a reason names. */
const NAMED = 8;

/** Judges the results of a session; the first rule that applies decides. */
export function judgeSession(facts: SessionFacts, known: Known): SessionJudgement {
  const { session, handoff, run, changed, forbidden } = facts;
  if (known.stopped) return end('interrupted', 'stop', INTERRUPTED);
  // `drive` exits with 3 if its run waits for a person; the session has not failed then, even if it left nothing.
  const leftNothing = changed.length === 0 && handoff === null && run?.grew !== true && run?.waits !== true;
  const failed = session.exit !== 0 && !session.timedOut && leftNothing;
  if (!session.started || CANNOT_RUN.includes(session.exit) || failed)
    return end('tool-error', 'pause', `${sayEnd(session)}${quoteLast(session.log)}`);
  if (session.timedOut) return end('timeout', 'retry', 'the session took longer than timeout_minutes');
  // Checked before the handoff: a session whose run waits for a person may report itself as blocked.
  if (run?.waits) return { next: 'park', reason: run.said };
  if (handoff?.status === 'blocked') return end('blocked', 'block', handoff.reason || 'the handoff gives no reason');
  if (run?.status === 'live' && run.grew && known.sessions < MOST_SESSIONS) return { next: 'session' };
  if (run !== null && run.status !== 'completed') return end('failed', 'retry', describeRun(run));
  const lost = sayLost(facts);
  if (changed.length === 0)
    return end('no-progress', 'retry', `nothing was changed${lost === null ? '' : `, and ${lost}`}`);
  if (forbidden.length > 0) {
    return end('failed', 'retry', `changes outside allowed scope: ${renderPathList(forbidden)}`);
  }
  return { next: 'test' };
}

/**
 * Judges the results of the tests and acceptance commands on the kept commit. @param checks results, those of the tests
 * first
 */
export function judgeChecks(
  goal: Pick<LoopGoal, 'expect_failure'>,
  facts: Pick<SessionFacts, 'handoff' | 'unread' | 'misnamed' | 'run'>,
  checks: readonly CommandFact[],
): SessionJudgement {
  const { handoff, run } = facts;
  const [tests, ...acceptance] = checks;
  const red = tests !== undefined && isRed(tests);
  if (!goal.expect_failure && tests !== undefined && red) return end('failed', 'retry', sayEnd(tests));
  if (goal.expect_failure && tests !== undefined && !red)
    return end('failed', 'retry', 'the tests were expected to fail, but passed');
  if (goal.expect_failure && tests !== undefined && isUnable(tests))
    return end('failed', 'retry', `the tests were expected to fail, but could not be run: ${sayEnd(tests)}`);
  const refused = acceptance.find(isRed);
  if (refused !== undefined) return end('failed', 'retry', sayEnd(refused));
  if (handoff === null && run === null) return end('failed', 'retry', sayLost(facts) ?? 'no new handoff was written');
  if (handoff?.status === 'failed') return end('failed', 'retry', handoff.reason || 'the handoff says failed');
  const classification = goal.expect_failure ? 'complete (expected failure)' : 'complete';
  return end(classification, 'integrate', ACCEPTED);
}

/**
 * Returns whether a verdict counts toward `max_retries`. It does not if the tool failed or the attempt was interrupted,
 * because that says nothing about the work.
 */
export function countsTowardRetries({ classification }: Pick<Verdict, 'classification'>): boolean {
  return !['tool-error', 'interrupted'].includes(classification);
}

/** Returns the verdict of an attempt that could not be put on the branch. */
export function failToIntegrate(classification: 'merge-fail' | 'failed', reason: string): Verdict {
  return { classification, success: false, action: 'retry', reason };
}

/** Classifies the cause of a failure. */
export function classifyFailure({ classification, reason }: Pick<Verdict, 'classification' | 'reason'>): string {
  if (reason.startsWith('changes outside allowed scope')) return 'security';
  if (['tool-error', 'timeout', 'interrupted'].includes(classification)) return 'env-flaky';
  if (['decision-pending', 'blocked'].includes(classification)) return 'spec-ambiguous';
  return 'impl-defect';
}

/** Renders paths as part of a sentence: the first few by name, the others as a number. */
export function renderPathList(paths: readonly string[]): string {
  const more = paths.length - NAMED;
  return [...paths.slice(0, NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

function end(classification: string, action: Verdict['action'], reason: string): SessionJudgement {
  return { next: 'verdict', verdict: { classification, success: action === 'integrate', action, reason } };
}

/** Quotes a tool's last output for people; no verdict depends on it. */
function quoteLast(log: string): string {
  const last = toBoundedLine(log.trimEnd().split('\n').at(-1) ?? '', LONGEST_QUOTE);
  return last === '' ? '' : `: "${last}"`;
}

/** Says why an existing handoff does not count; null if there is no such handoff. */
function sayLost({ unread, misnamed }: Pick<SessionFacts, 'unread' | 'misnamed'>): string | null {
  if (unread !== null) return `the handoff ${unread} cannot be read: it does not have the required form`;
  return misnamed ? `the handoff was written as ${misnamed.name} instead of ${misnamed.wanted}` : null;
}

const isRed = (fact: CommandFact): boolean => fact.exit !== 0;
const isUnable = ({ started, exit, timedOut }: CommandFact): boolean =>
  !started || timedOut || CANNOT_RUN.includes(exit);

/** Describes how a command ended. */
export function sayEnd({ line, started, exit, timedOut }: CommandFact): string {
  if (!started) return `could not be started: ${line}`;
  if (timedOut) return `took too long: ${line}`;
  return exit === null ? `was ended by a signal: ${line}` : `exit ${exit}: ${line}`;
}

function describeRun({ status, said }: NonNullable<SessionFacts['run']>): string {
  if (status === 'live') return 'the run is not finished';
  return `the run ${status === 'halted' ? 'halted' : 'was aborted'}${said === '' ? '' : `: ${said}`}`;
}

/** Whether a run waits for a person, and the message that this person reads. */
interface Waiting {
  waits: boolean;
  said: string;
  held?: true;
}

/** Returns whether a run waits for a person, at a gate or because it is held, and the message to show. */
export function checkWaiting({ status, pendingAction: action, held }: RunState): Waiting {
  if (status === 'live' && held !== undefined) {
    const why = held.reason === undefined ? '' : `: ${held.reason}`;
    return { waits: true, said: `the run is held${why}`, held: true };
  }
  if (action?.action === 'wait-for-user') return { waits: status === 'live', said: action.message };
  return { waits: false, said: action?.action === 'done' ? action.summary : '' };
}

/** Returns the command with which a person lets a waiting run continue. */
export function nameAnswer(run: string, { held }: Pick<Waiting, 'held'>): string {
  return `dev-cli ${held === true ? 'release' : 'approve'} ${run}`;
}
