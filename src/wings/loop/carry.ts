import { toBoundedLine } from '../../documents/foreign.js';
import { readStats } from '../../store/inside.js';
import type { WorkerSite } from './carried-site.js';
import { stepAttempt } from './core/attempt.js';
import { INTERRUPTED } from './core/judge.js';
import { expireLeases, releaseLease, takeLease } from './core/leases.js';
import { isCarried, runAttemptStep } from './drive.js';
import type { LoopGoal } from './goals.js';
import { giveGoalBack, isLeaseLost } from './hold.js';
import { type AttemptSite, applyStepEnd } from './site.js';
import { nameAttempt } from './state.js';
import type { Attempt, LoopState, Verdict } from './state-schema.js';
import { setUpTree } from './steps/prepare.js';
import { forgetSession } from './steps/session.js';
import { LOOP, type Streams } from './streams.js';

/** How a fleet's worker finds, claims and carries on what the desk has begun (fleet.md, An attempt). */

/** A worker's options for claiming. */
interface Taker {
  worker: string;
  /** The id of the new claim. */
  claim: string;
  /** Minutes that a lease lasts without a heartbeat. */
  minutes: number;
  /** Whether this machine trusts the commands of an attempt. */
  accepts: (attempt: Attempt) => boolean;
  /**
   * Whether this worker may take over attempts whose worker was lost: its own heartbeat has succeeded for the length of
   * a lease, so the other worker has had time to come back.
   */
  isSteady: boolean;
}

/** Lists the attempts whose next step a worker takes. */
export const listCarried = ({ attempts }: LoopState): Attempt[] => Object.values(attempts).filter(isCarried);

/**
 * Claims the first available attempt, in one commit: only one worker gets it, and at most one attempt per branch
 * integrates at a time.
 * @throws DevCliError as `Streams.transact`
 */
export function claimNextAttempt(streams: Streams, taker: Taker): Promise<Attempt | null> {
  const { worker, claim: id, minutes, isSteady } = taker;
  return streams.transact(LOOP, (state, at) => {
    // A worker closes its own expired leases at once; those of others only if its heartbeat has been steady.
    const mine = Object.entries(state.leases).filter(([, lease]) => isSteady || lease.worker === worker);
    const swept = expireLeases(Object.fromEntries(mine), at);
    const now = { ...state, leases: { ...state.leases, ...swept.leases } };
    const found = sortForWorker(now, worker).find((one) => isToBeHad(now, one, taker));
    if (found === undefined && swept.answer === 0) return { answer: null };
    const unsent = [...state.unsent, ...swept.events];
    if (found === undefined)
      return { answer: null, state: { ...now, unsent }, entry: { type: 'leases-expired', data: {} } };
    const asked = { worker, role: null, key: null, minutes, most: null, goal: found.goal };
    const offers = [{ id: found.goal, role: 'auto', why: null }];
    const taken = takeLease(now.leases, { ...asked, offers }, { id, at });
    if (taken.answer.kind === 'refused') return { answer: null };
    const attempt = { ...found, claim: id };
    return {
      answer: attempt,
      state: {
        ...now,
        leases: taken.leases,
        attempts: { ...state.attempts, [nameAttempt(attempt)]: attempt },
        unsent: [...unsent, ...taken.events],
      },
      entry: { type: 'attempt', data: { id: nameAttempt(attempt), event: 'CLAIMED', state: attempt.state, worker } },
    };
  });
}

/**
 * Sorts attempts for a worker: first those whose tree it has, last those not yet begun, since moving and starting are
 * costly.
 */
function sortForWorker(state: LoopState, worker: string): Attempt[] {
  const rank = ({ claim, state: at }: Attempt): number =>
    state.leases[claim ?? '']?.worker === worker ? 0 : at === 'preparing' ? 2 : 1;
  return listCarried(state).sort((a, b) => rank(a) - rank(b));
}

function isToBeHad(state: LoopState, attempt: Attempt, { worker, accepts, isSteady }: Taker): boolean {
  const { batch, leases } = state;
  const lease = attempt.claim == null ? undefined : leases[attempt.claim];
  const isFree = lease === undefined || lease.status === 'released' || isSteady || lease.worker === worker;
  // A worker outside the fleet may hold the goal; then another attempt is tried instead of waiting.
  const isHeld = Object.values(leases).some(({ goal, status }) => goal === attempt.goal && status === 'active');
  const isSpent = lease?.reason === SPENT && batch !== null && lease.createdAt >= batch.startedAt;
  if (isHeld || isSpent || !isFree || !accepts(attempt)) return false;
  return attempt.state !== 'integrating' || isAlone(state, attempt);
}

/** The release reason of an attempt for which this batch may begin no more sessions. */
const SPENT = 'limits.sessions';

/** Whether no other attempt is integrating into the attempt's branch. */
const isAlone = ({ attempts, leases }: LoopState, { goal, branch }: Attempt): boolean =>
  !Object.values(attempts).some(
    (one) =>
      one.goal !== goal &&
      one.branch === branch &&
      one.state === 'integrating' &&
      leases[one.claim ?? '']?.status === 'active',
  );

/**
 * Carries an attempt on by one step.
 * @param claim the lease that this worker has on it
 * @returns `again` while the attempt stays with this worker; `over` once it is released, or the desk or somebody else
 * has it
 * @throws DevCliError as the steps do, except for a lease that is over
 */
export async function advanceAttempt(
  site: WorkerSite,
  id: string,
  { claim, goal, tell }: { claim: string; goal: LoopGoal; tell: (line: string) => void },
): Promise<'again' | 'over'> {
  try {
    const attempt = (await site.streams.read(LOOP)).attempts[id];
    if (attempt === undefined || attempt.claim !== claim) return 'over';
    const here = isCarried(attempt) ? await moveAttemptHere(site, attempt) : attempt;
    const next = isCarried(here) ? await runAttemptStep({ site, tell }, here, goal) : here;
    // The transition released the lease.
    if (next !== null && !isCarried(next)) return 'over';
    const after = await site.streams.read(LOOP);
    // Saving continues even after a signal, so that a session's work is kept.
    const stays = next !== null && (!site.signal.aborted || next.stopped || next.state === 'saving');
    if (stays && (next.state !== 'integrating' || isAlone(after, next))) return 'again';
    await giveGoalBack(site, claim, next?.state ?? SPENT);
    return 'over';
  } catch (error) {
    if (isLeaseLost(error)) return 'over';
    throw error;
  }
}

/**
 * Releases an attempt that failed despite retries, or could not be brought here.
 * @param isOver ends the attempt; otherwise another worker may succeed
 * @throws DevCliError as `Streams.transact`, except for a lease that is over
 */
export async function releaseAttempt(
  streams: Streams,
  { goal, n, claim = null }: Attempt,
  { reason, isOver }: { reason: string; isOver: boolean },
): Promise<void> {
  const id = nameAttempt({ goal, n });
  const verdict: Verdict = {
    ...{ classification: 'interrupted', success: false, action: 'stop', reason: toBoundedLine(reason, 1_000) },
  };
  const decide = (state: LoopState, at: string) => {
    const before = state.attempts[id];
    const lease = claim === null ? undefined : state.leases[claim];
    if (before === undefined || lease === undefined || (isOver && !isCarried(before))) return { answer: undefined };
    const over = { ...before, state: stepAttempt(before.state, 'OVER'), claim: null, verdict };
    const after = isOver ? over : { ...before, claim: null };
    const given = releaseLease(state.leases, lease, { at, reason: verdict.reason, goalStatus: null });
    return {
      answer: undefined,
      state: {
        ...state,
        leases: given.leases,
        attempts: { ...state.attempts, [id]: after },
        unsent: [...state.unsent, ...given.events],
      },
      entry: { type: 'attempt', data: { id, event: isOver ? 'OVER' : 'GIVEN', state: after.state } },
    };
  };
  await streams.transact(LOOP, decide, { claim }).catch((error: unknown) => {
    if (!isLeaseLost(error)) throw error;
  });
}

/**
 * Brings to this machine an attempt that another one had. It continues from what the other machine last stored; if that
 * machine never stored a session's work, the attempt ends as interrupted.
 */
export async function moveAttemptHere(site: WorkerSite, attempt: Attempt): Promise<Attempt> {
  const tree = `${site.trees}/${attempt.goal}-${attempt.n}`;
  if (attempt.tree === tree && (attempt.state === 'preparing' || readStats(tree) !== undefined)) return attempt;
  const moved = { ...attempt, tree };
  if (attempt.state === 'preparing') return move(site, moved);
  if (attempt.facts === null) {
    const verdict = { classification: 'interrupted', success: false, action: 'stop', reason: INTERRUPTED } as const;
    return applyStepEnd(site, attempt, { event: 'OVER', patch: { tree, verdict } });
  }
  const arrived = await site.role.carrier.arrive(moved, () => setUpTree(site, moved));
  if ('event' in arrived) return applyStepEnd(site, attempt, arrived);
  await forgetSession(site, attempt);
  // In `saving`, the other machine had not yet stored the session's work, so that session counts as stopped.
  const zero = attempt.zero === null ? null : arrived.zero;
  return move(site, { ...moved, zero, stopped: attempt.state === 'saving' });
}

/** Records the new place of an attempt. */
function move({ streams }: AttemptSite, attempt: Attempt): Promise<Attempt> {
  const id = nameAttempt(attempt);
  return streams.transact(
    LOOP,
    (state) => ({
      answer: attempt,
      state: { ...state, attempts: { ...state.attempts, [id]: attempt } },
      entry: { type: 'attempt', data: { id, event: 'MOVED', state: attempt.state } },
    }),
    { claim: attempt.claim ?? null },
  );
}
