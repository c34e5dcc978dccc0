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

/** What a batch is to do. */
export interface BatchOrder {
  site: AttemptSite;
  parallel: number;
  /** Whether verdicts are told with their facts. */
  explain: boolean;
  /** The goals as they were when the batch began, and their commands trusted. */
  goals: readonly LoopGoal[];
  /** The goals as the file has them now. @throws DevCliError `SCHEMA_INVALID`, `IO` */
  readGoals: () => LoopGoal[];
  tell: (line: string) => void;
  /** Tells a person that something waits. */
  notify: (message: string) => void;
}

/** Where a step runs: only `root` touches `.ai/` (loop-core.md, auto). */
type Place = 'root' | 'tree';

/** One step of an attempt, idempotent by `GOAL#n:step`; it knows no order. */
interface Step {
  place: Place;
  run: (site: AttemptSite, attempt: Attempt, goal: LoopGoal) => Promise<StepEnd>;
}

/** The step at each state that has one. */
const STEPS: Partial<Record<Attempt['state'], Step>> = {
  preparing: { place: 'root', run: prepareAttempt },
  session: { place: 'tree', run: runSession },
  saving: { place: 'tree', run: saveAttempt },
  judging: { place: 'tree', run: judgeAttempt },
  integrating: { place: 'root', run: integrateAttempt },
};

/** Whether a step of a machine with trees is next; the desk of a fleet does the others. */
export const isCarried = ({ state }: Pick<Attempt, 'state'>): boolean => STEPS[state] !== undefined;

/** Has an attempt take step after step, until it is settled, waits, or is its workers’. */
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

/** Has an attempt take the step at its state. @returns it is then; null where it is settled or waits */
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
    // A worker has no one to tell it to.
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
 * Carries the step at an attempt's state out, and takes its arrow.
 * @param queue runs it; left out: at once
 * @returns null where `limits.sessions` does not allow the session; as it was where a worker was told to end before it had done the step
 * @throws DevCliError `CLAIM_REFUSED` where the lease is over, and as the steps do
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
  // What another machine can do as well says nothing of the attempt.
  if (role.kind === 'worker' && end.patch.stopped === true && state !== 'session') return attempt;
  const left = state === 'saving' && role.kind === 'worker' ? await role.carrier.leave(attempt, end) : end;
  const next = await applyStepEnd(site, attempt, left);
  if (next.state !== state) return next;
  tell(`${id}: limits.sessions is reached; the next batch goes on with it`);
  return null;
}

/** A verdict with the facts behind it. */
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
 * Goes on with an attempt that an earlier batch left; null where it still waits for a person, or somebody else has its goal.
 * @param about.isGivenUp whether nobody wants its goal any more
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
  // Its run lies elsewhere, and goes on where a person has answered it.
  if (state === 'parked' && site.role.kind === 'desk') return null;
  const { snapshot } = run === null ? { snapshot: null } : await site.context.store.read(run);
  if (state === 'parked' && snapshot !== null && checkWaiting(snapshot).waits) return null;
  const taken = await acquireGoal(site, attempt.goal);
  if ('why' in taken) return null;
  // What was in the way is not the last word on it.
  const verdict = attempt.verdict && { ...attempt.verdict, reason: ACCEPTED };
  if (state === 'unmoved') return applyStepEnd(site, attempt, { event: 'ACCEPT', patch: { ...taken, verdict } });
  if (snapshot?.status !== 'live') return applyStepEnd(site, attempt, { event: 'ENDED', patch: taken });
  const patch = { ...(await nameNextSession(site, attempt)), ...taken };
  const again = await applyStepEnd(site, attempt, { event: 'AGAIN', patch });
  return again.state === 'parked' ? null : again;
}

/** Notes that an attempt waits for a person, and tells one. */
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
    // A person of a fleet may have taken it since, or answered it.
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
