import { toBoundedLine } from '../../documents/foreign.js';
import { ACCEPTED, checkWaiting, renderPathList } from './core/judge.js';
import type { LoopGoal } from './goals.js';
import { acquireGoal, giveGoalBack, isLeaseLost, regainLease } from './hold.js';
import { flushEvents, type WorkQueue } from './log.js';
import { type AttemptSite, applyStepEnd, type StepEnd } from './site.js';
import { isHandedIn, nameAttempt, nameReference } from './state.js';
import type { Attempt, Outcome, Verdict } from './state-schema.js';
import { integrateAttempt } from './steps/integrate.js';
import { judgeAttempt } from './steps/judge.js';
import { nameNextSession, prepareAttempt, refuseAttempt } from './steps/prepare.js';
import { saveAttempt } from './steps/save.js';
import { isSessionBegun, runSession } from './steps/session.js';
import { buildAttemptEvent, settleAttempt } from './steps/settle.js';
import { LOOP } from './streams.js';

/** The input of a batch. */
export interface BatchOrder {
  site: AttemptSite;
  parallel: number;
  /** Whether to print verdicts with their facts. */
  explain: boolean;
  /** The goals as they were when the batch began and their commands were trusted. */
  goals: readonly LoopGoal[];
  /** Reads the goals as the file has them now. @throws DevCliError `SCHEMA_INVALID`, `IO` */
  readGoals: () => LoopGoal[];
  tell: (line: string) => void;
  /** Notifies a person that something waits. */
  notify: (message: string) => void;
}

/** Where a step runs; only `root` steps touch `.ai/` (loop-core.md, auto). */
type Place = 'root' | 'tree';

/**
 * One step of an attempt. Its key, `GOAL#n:step`, makes it idempotent. It does not know which steps come before and
 * after.
 */
interface Step {
  place: Place;
  run: (site: AttemptSite, attempt: Attempt, goal: LoopGoal) => Promise<StepEnd>;
}

/** The step of each state that has one. */
const STEPS: Partial<Record<Attempt['state'], Step>> = {
  preparing: { place: 'root', run: prepareAttempt },
  session: { place: 'tree', run: runSession },
  saving: { place: 'tree', run: saveAttempt },
  judging: { place: 'tree', run: judgeAttempt },
  integrating: { place: 'root', run: integrateAttempt },
};

/**
 * Whether an attempt's state has a step. In a fleet, workers carry out these steps; the desk handles the other states.
 */
export const isCarried = ({ state }: Pick<Attempt, 'state'>): boolean => STEPS[state] !== undefined;

/** Takes an attempt through its steps until it is settled, waits, or is left to the workers. */
export async function driveAttempt(
  order: BatchOrder,
  begun: Attempt,
  goal: LoopGoal,
  oneByOne: WorkQueue,
): Promise<void> {
  let attempt: Attempt | null = begun;
  const isDesk = order.site.role.kind === 'desk';
  while (attempt !== null && !(isDesk && isCarried(attempt))) {
    const at: Attempt = attempt;
    attempt = await takeStep(order, at, goal, oneByOne).catch((error: unknown) =>
      isLeaseLost(error) ? regainLease(order.site, at, order.tell) : Promise.reject(error),
    );
  }
}

/** Does what an attempt's state requires. @returns the attempt afterwards; null if it is settled or waits */
async function takeStep(
  order: BatchOrder,
  attempt: Attempt,
  goal: LoopGoal,
  oneByOne: WorkQueue,
): Promise<Attempt | null> {
  const { site, tell } = order;
  const id = nameAttempt(attempt);
  const { state } = attempt;
  if (state === 'parked' || state === 'unmoved') {
    await wait(order, attempt);
    return null;
  }
  if (state === 'settling') {
    // A worker has nobody to print to, so its desk prints the verdict.
    if (order.explain && site.role.kind === 'desk') tell(explain(attempt));
    const outcome = await settleAttempt(site, attempt, goal);
    tell(`${id}: ${outcome.classification}${outcome.success ? '' : `: ${outcome.reason}`} -> ${outcome.action}`);
    await flushEvents(site, oneByOne);
    return null;
  }
  const next = await runAttemptStep({ site, tell }, attempt, goal, state === 'integrating' ? oneByOne : undefined);
  if (next !== null && order.explain && state === 'judging') tell(explain(next));
  return next;
}

/**
 * Carries out the step of an attempt's state, and makes the resulting transition.
 * @param queue runs the step; by default at once
 * @returns null if `limits.sessions` does not allow the session; the unchanged attempt if a worker was told to end
 * before the step was done
 * @throws DevCliError `CLAIM_REFUSED` if the lease is over; whatever the step throws
 */
export async function runAttemptStep(
  { site, tell }: Pick<BatchOrder, 'site' | 'tell'>,
  attempt: Attempt,
  goal: LoopGoal,
  queue: WorkQueue = (work) => work(),
): Promise<Attempt | null> {
  const { state } = attempt;
  const id = nameAttempt(attempt);
  if (state !== 'saving') tell(`${id}: ${state}`);
  const run = () => STEPS[state]?.run(site, attempt, goal) ?? Promise.reject(new Error(`no step at ${state}`));
  const end = await queue(run).catch((error: unknown) =>
    !isLeaseLost(error) && (state === 'preparing' || (state === 'session' && !isSessionBegun(site, attempt)))
      ? refuseAttempt(error)
      : Promise.reject(error),
  );
  const { role } = site;
  // Another machine can repeat the step, so the interruption says nothing about the attempt.
  if (role.kind === 'worker' && end.patch.stopped === true && state !== 'session') return attempt;
  const left = state === 'saving' && role.kind === 'worker' ? await role.carrier.leave(attempt, end) : end;
  const next = await applyStepEnd(site, attempt, left);
  if (next.state !== state) return next;
  tell(`${id}: limits.sessions is reached; the next batch continues it`);
  return null;
}

/** Renders a verdict with its facts. */
function explain(attempt: Attempt): string {
  const { facts, checks, verdict, kept } = attempt;
  const lines = [
    `${nameAttempt(attempt)}: ${verdict?.classification ?? attempt.state}: ${verdict?.reason ?? ''}`,
    `  session: exit ${facts?.session.exit}${facts?.session.timedOut ? ', timed out' : ''}; handoff: ${facts?.handoff?.status ?? 'none'}; run: ${facts?.run?.status ?? 'none'}`,
    `  changed: ${renderPathList(facts?.changed ?? []) || 'nothing'}; forbidden: ${renderPathList(facts?.forbidden ?? []) || 'nothing'}; kept: ${kept ?? 'nothing'}`,
    ...checks.map(({ line, exit }) => `  ${line}: exit ${exit}`),
  ];
  return lines.map((line) => toBoundedLine(line, 500)).join('\n');
}

/**
 * Takes up an attempt that an earlier batch left; null if it still waits for a person, or somebody else has its goal.
 * @param about.isGivenUp whether its goal was dropped or removed
 * @param about.isNews whether nobody was told yet that it waits
 */
export async function resumeAttempt(
  site: AttemptSite,
  attempt: Attempt,
  { isGivenUp, isNews }: { isGivenUp: boolean; isNews: boolean },
): Promise<Attempt | null> {
  const { state, run } = attempt;
  if (isGivenUp && (state === 'parked' || state === 'unmoved' || isHandedIn(attempt))) {
    const verdict: Verdict = {
      classification: 'interrupted',
      success: false,
      action: 'stop',
      reason: 'its goal was dropped',
    };
    return applyStepEnd(site, attempt, { event: 'OVER', patch: { verdict } });
  }
  if (isNews || (state !== 'parked' && state !== 'unmoved')) return attempt;
  // Its run is on another machine, and continues after a person answers it there.
  if (state === 'parked' && site.role.kind === 'desk') return null;
  const { snapshot } = run === null ? { snapshot: null } : await site.context.store.read(run);
  if (state === 'parked' && snapshot !== null && checkWaiting(snapshot).waits) return null;
  const taken = await acquireGoal(site, attempt.goal);
  if ('why' in taken) return null;
  // The obstacle may be gone, so its reason is dropped from the verdict.
  const verdict = attempt.verdict && { ...attempt.verdict, reason: ACCEPTED };
  if (state === 'unmoved') return applyStepEnd(site, attempt, { event: 'ACCEPT', patch: { ...taken, verdict } });
  if (snapshot?.status !== 'live') return applyStepEnd(site, attempt, { event: 'ENDED', patch: taken });
  const patch = { ...(await nameNextSession(site, attempt)), ...taken };
  const again = await applyStepEnd(site, attempt, { event: 'AGAIN', patch });
  return again.state === 'parked' ? null : again;
}

/** Records that an attempt waits for a person, and notifies one. */
async function wait({ site, tell, notify }: BatchOrder, attempt: Attempt): Promise<void> {
  const { goal, n, facts, verdict, kept, state: at } = attempt;
  const isParked = at === 'parked';
  const reason = isParked ? (facts?.run?.said ?? '') : (verdict?.reason ?? '');
  const outcome: Outcome = {
    ...{ success: false, classification: isParked ? 'parked' : (verdict?.classification ?? 'complete'), attempts: n },
    ...{ action: isParked ? 'park' : 'escalate', ref: kept === null ? null : nameReference(attempt), reason },
    changed: facts?.changed ?? [],
  };
  const id = nameAttempt(attempt);
  const isTold = await site.streams.transact(LOOP, (state, now) => {
    const before = state.attempts[id];
    // In a fleet, a person may have taken or answered it since.
    if (before === undefined || before.state !== at || before.claim !== attempt.claim) return { answer: false };
    return {
      answer: true,
      state: {
        ...state,
        batch: state.batch && { ...state.batch, outcomes: { ...state.batch.outcomes, [goal]: outcome } },
        attempts: { ...state.attempts, [id]: { ...before, claim: null } },
        unsent:
          isParked || verdict === null
            ? state.unsent
            : [...state.unsent, buildAttemptEvent(attempt, verdict, 'escalate', now)],
      },
      entry: { type: 'waits', data: { id, reason } },
    };
  });
  if (!isTold) return;
  await giveGoalBack(site, attempt.claim, isParked ? 'parked' : 'unmoved');
  const line = `${id} waits for a person: ${reason}`;
  tell(line);
  notify(line);
}
