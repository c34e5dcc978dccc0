import { DevCliError } from '../../base/errors.js';
import type { WorkerSite } from './carried-site.js';
import { moveAttemptHere } from './carry.js';
import { checkWaiting } from './core/judge.js';
import { expireLeases, refuseClaim, takeLease } from './core/leases.js';
import { runAttemptStep } from './drive.js';
import type { LoopGoal } from './goals.js';
import { giveGoalBack } from './hold.js';
import { applyStepEnd } from './site.js';
import { nameAttempt } from './state.js';
import type { Attempt } from './state-schema.js';
import { nameNextSession } from './steps/prepare.js';
import { LOOP, type Streams } from './streams.js';

/** Brings a fleet's attempt that waits for a person to that person, and back (fleet.md, Trust, persons). */

/**
 * Claims a parked attempt for a person. @throws DevCliError `CLAIM_REFUSED` if somebody else has it, or it no longer
 * waits; as `Streams.transact`
 */
export function claimParked(
  streams: Streams,
  { worker, claim: id, minutes, goal }: { worker: string; claim: string; minutes: number; goal: string },
): Promise<Attempt> {
  return streams.transact(LOOP, (state, at) => {
    const found = Object.values(state.attempts).find((one) => one.goal === goal && one.state === 'parked');
    if (found === undefined) throw refuseClaim('goal_not_claimable', goal, 'it no longer waits for a person');
    const swept = expireLeases(state.leases, at);
    const offers = [{ id: goal, role: 'auto', why: null }];
    const asked = { worker, role: null, key: goal, minutes, most: null, goal, offers };
    const taken = takeLease(swept.leases, asked, { id, at });
    if (taken.answer.kind === 'refused') throw refuseClaim(taken.answer.code, goal, taken.answer.problem);
    const attempt = { ...found, claim: taken.answer.lease.id };
    return {
      answer: attempt,
      state: {
        ...state,
        leases: taken.leases,
        attempts: { ...state.attempts, [nameAttempt(attempt)]: attempt },
        unsent: [...state.unsent, ...swept.events, ...taken.events],
      },
      entry: { type: 'attempt', data: { id: nameAttempt(attempt), event: 'TAKEN', state: attempt.state, worker } },
    };
  });
}

/** Brings an attempt's tree and run here. @throws DevCliError as `Carrier.arrive` */
export async function bringParked(site: WorkerSite, attempt: Attempt): Promise<void> {
  await moveAttemptHere(site, attempt);
}

/**
 * Gives an attempt back: to the workers if it was answered; otherwise it keeps waiting. An interrupted call can be
 * repeated.
 * @returns the attempt's state afterwards
 * @throws DevCliError `CLAIM_REFUSED` if the lease is over, `GOAL_REFUSED` if `limits.sessions` allows no further
 * session, and as the steps do
 */
export async function giveParked(site: WorkerSite, attempt: Attempt, goal: LoopGoal): Promise<Attempt['state']> {
  const { context, role } = site;
  const { snapshot } = attempt.run === null ? { snapshot: null } : await context.store.read(attempt.run);
  const waits = snapshot !== null && checkWaiting(snapshot).waits;
  let now: Attempt | null = attempt;
  if (attempt.state === 'parked') {
    const left = await role.carrier.leave(attempt, { event: 'AGAIN', patch: {} });
    const isLive = snapshot?.status === 'live';
    const patch = { ...left.patch, ...(isLive && (await nameNextSession(site, attempt))) };
    if (!waits) now = await applyStepEnd(site, attempt, { event: isLive ? 'AGAIN' : 'ENDED', patch });
    if (!waits && now.state === 'parked')
      throw new DevCliError('GOAL_REFUSED', 'limits.sessions is reached: give it back once the next batch has begun.');
  }
  if (now.state === 'saving') now = await runAttemptStep({ site, tell: () => {} }, now, goal);
  await giveGoalBack(site, attempt.claim, waits ? 'parked' : 'answered');
  return now?.state ?? attempt.state;
}
