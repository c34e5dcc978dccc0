import { DevCliError } from '../../base/errors.js';
import { stepAttempt } from './core/attempt.js';
import { INTERRUPTED } from './core/judge.js';
import { AUTO } from './core/leases.js';
import type { AttemptSite } from './site.js';
import { nameAttempt } from './state.js';
import type { Attempt, LoopState, Verdict } from './state-schema.js';
import { LOOP } from './streams.js';

/** The leases of `auto` on the goals at work (loop-operations.md, Queue). */

type Leased = Pick<AttemptSite, 'streams' | 'leases' | 'config' | 'role'>;

/**
 * Takes a lease on a goal, unless `auto` has one already. The desk of a fleet takes none: its workers do.
 * @returns the claim, or why the goal cannot be taken
 */
export async function acquireGoal(
  { leases, config, role }: Leased,
  goal: string,
): Promise<{ claim: string | null } | { why: string }> {
  if (role.kind === 'desk') return { claim: null };
  const minutes = config.queue.ttl_minutes;
  const offers = [{ id: goal, role: AUTO, why: null }];
  const taken = await leases.take({ worker: AUTO, role: null, key: goal, minutes, most: null, goal, offers });
  return taken.kind === 'refused' ? { why: taken.problem } : { claim: taken.lease.id };
}

/**
 * Throws if the attempt's lease is over. Called before actions that no commit to the stream would refuse, such as
 * moving a branch. For a fleet's desk, throws if it is no longer the desk.
 * @throws DevCliError `CLAIM_REFUSED`; `LOCKED` if another root has become the desk
 */
export async function requireHold({ streams, role }: Leased, { claim }: Attempt): Promise<void> {
  if (role.kind === 'desk') return role.desk.requireHold();
  await streams.transact(LOOP, () => ({ answer: undefined }), { claim: claim ?? null });
}

/**
 * Handles an attempt whose lease is over: continues it under a new lease or, if another worker now has the goal, ends
 * it. Its work is then kept, but does not count.
 * @param tell called with a message if the attempt is ended
 */
export async function regainLease(site: Leased, attempt: Attempt, tell: (line: string) => void): Promise<Attempt> {
  const taken = await acquireGoal(site, attempt.goal);
  const id = nameAttempt(attempt);
  if ('why' in taken) tell(`${id}: its lease was over, and ${taken.why}`);
  return site.streams.transact(LOOP, (state) => {
    const before = state.attempts[id] ?? attempt;
    const after = 'claim' in taken ? { ...before, ...taken } : endLost(before);
    return {
      answer: after,
      state: { ...state, attempts: { ...state.attempts, [id]: after } },
      entry: { type: 'attempt', data: { id, event: 'claim' in taken ? 'REGAINED' : 'LOST', state: after.state } },
    };
  });
}

/** Returns an attempt that has lost its goal, in a state from which the next steps end it as interrupted. */
function endLost(before: Attempt): Attempt {
  const lost: Attempt = { ...before, claim: null, stopped: true };
  const verdict: Verdict = { classification: 'interrupted', success: false, action: 'stop', reason: INTERRUPTED };
  switch (before.state) {
    case 'session':
      return { ...lost, state: stepAttempt(before.state, 'ENDED') };
    case 'saving':
    case 'judging':
      return lost;
    case 'settling':
      return { ...lost, verdict };
    default:
      return { ...lost, verdict, state: stepAttempt(before.state, 'OVER') };
  }
}

/** Releases the goal of an attempt that has ended or waits. */
export async function giveGoalBack(
  { leases, role }: Leased,
  claim: string | null | undefined,
  reason: string,
): Promise<void> {
  if (claim == null || role.kind === 'desk') return;
  const worker = role.kind === 'worker' ? role.worker : AUTO;
  await leases.release(claim, { worker, reason, goalStatus: null }).catch((error: unknown) => {
    if (!isLeaseLost(error)) throw error;
  });
}

/** Whether an action was refused because the lease is over. */
export const isLeaseLost = (error: unknown): boolean => error instanceof DevCliError && error.code === 'CLAIM_REFUSED';

/**
 * Renews the leases of attempts at work once half of their time has passed. A lost lease is noticed at the attempt's
 * next step.
 */
export async function renewHolds(
  site: Leased,
  { attempts, leases: known }: Pick<LoopState, 'attempts' | 'leases'>,
  now: number,
): Promise<void> {
  const minutes = site.config.queue.ttl_minutes;
  for (const { claim } of Object.values(attempts)) {
    const lease = claim == null ? undefined : known[claim];
    if (lease === undefined || Date.parse(lease.expiresAt) - now > minutes * 30_000) continue;
    await site.leases.renew(lease.id, { worker: AUTO, minutes }).catch((error: unknown) => {
      if (!isLeaseLost(error)) throw error;
    });
  }
}
