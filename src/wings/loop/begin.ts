import { formatInstant } from '../../base/clock.js';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { maskSecrets } from '../../documents/foreign.js';
import { buildEvent } from './core/events.js';
import { classifyFailure } from './core/judge.js';
import type { BatchOrder } from './drive.js';
import { type LoopGoal, writeOutcome } from './goals.js';
import { acquireGoal, giveGoalBack } from './hold.js';
import type { AttemptSite } from './site.js';
import { nameAttempt, nameContext, nameReference, STEPS_VERSION } from './state.js';
import type { Attempt, Outcome } from './state-schema.js';
import { NEW_GOAL } from './steps/settle.js';
import { LOOP } from './streams.js';

const DECISION_PENDING = 'decision-pending';

/** Initial values of an attempt's fields, before its first session. */
const UNTRIED = {
  ...{ from: null, run: null, zero: null, handoff: '', handoffs: [], branches: [], sessions: 0, runSeq: 0, host: null },
  ...{ stopped: false, kept: null, facts: null, checks: [], verdict: null, commit: null, costUsd: 0 },
} satisfies Partial<Attempt>;

/**
 * Claims a goal and records a new attempt of it. The attempt's number is never reused.
 * @returns null if somebody else has the goal, or it already has an attempt
 */
export async function createAttempt({ site }: BatchOrder, goal: LoopGoal): Promise<Attempt | null> {
  const { streams, refs } = site;
  const { batch, goals } = await streams.read(LOOP);
  if (batch === null) throw new Error('a batch without a record');
  const from = goals[goal.id]?.from ?? null;
  const base = await refs.findTip(batch.branch);
  if (base === null) throw new DevCliError('GIT_FAILED', `The branch ${batch.branch} is gone.`);
  const taken = await acquireGoal(site, goal.id);
  if ('why' in taken) return null;
  const n = await reserveNumber(site, goal.id, { last: goals[goal.id]?.n ?? 0, base });
  const { runId, branch } = batch;
  const { role } = site;
  const isDesk = role.kind === 'desk';
  const attempt = {
    ...buildAttempt(site, goal, { n, runId, branch, base, from, tool: site.findTool(goal) }),
    ...taken,
    ...(isDesk && { steps: STEPS_VERSION, ...omitUndefined({ named: role.named }) }),
  };
  // Only the desk has the files that people wrote, so it stores the context for the worker.
  const context = isDesk ? await site.tellContext(goal.id) : null;
  const begun = await streams.transact(LOOP, (state) => {
    // An attempt may have been handed in for the goal since the plan was made.
    if (Object.values(state.attempts).some((one) => one.goal === goal.id)) return { answer: null };
    return {
      answer: attempt,
      state: {
        ...state,
        goals: { ...state.goals, [goal.id]: { ...(state.goals[goal.id] ?? NEW_GOAL), n } },
        attempts: { ...state.attempts, [nameAttempt(attempt)]: attempt },
      },
      entry: { type: 'begun', data: { id: nameAttempt(attempt), base } },
      ...(context !== null && { documents: [{ path: nameContext(attempt), content: context }] }),
    };
  });
  if (begun !== null) return begun;
  await giveGoalBack(site, taken.claim, 'an attempt of it is under way');
  await refs.move(nameReference(attempt), { from: base, to: null });
  return null;
}

/**
 * Raises the version of the steps in attempts that an older desk began, so that current workers take them. Each step
 * has a key, by which a worker notices that another one has already carried it out (fleet.md, Upgrades).
 */
export async function renewSteps({ streams, role }: Pick<AttemptSite, 'streams' | 'role'>): Promise<void> {
  if (role.kind !== 'desk') return;
  await streams.transact(LOOP, (state) => {
    const old = Object.entries(state.attempts).filter(([, { steps = STEPS_VERSION }]) => steps < STEPS_VERSION);
    if (old.length === 0) return { answer: undefined };
    const renewed = Object.fromEntries(old.map(([id, one]) => [id, { ...one, steps: STEPS_VERSION }]));
    return {
      answer: undefined,
      state: { ...state, attempts: { ...state.attempts, ...renewed } },
      entry: { type: 'upgraded', data: { ids: Object.keys(renewed), steps: STEPS_VERSION } },
    };
  });
}

/** Builds an attempt before its first step. */
export function buildAttempt(
  { trees, context }: Pick<AttemptSite, 'trees' | 'context'>,
  { id }: LoopGoal,
  { tool, ...begun }: Pick<Attempt, 'n' | 'runId' | 'branch' | 'base' | 'from' | 'tool'>,
): Attempt {
  return {
    ...UNTRIED,
    ...{ goal: id, ...begun, state: 'preparing', startedAt: formatInstant(context.clock.now()) },
    ...{ tree: `${trees}/${id}-${begun.n}`, tool: maskSecrets(tool) },
  };
}

/** How many times git may refuse to create a reference although it does not exist. */
const TRIES = 5;

/**
 * Reserves the number of a goal's next attempt by creating the attempt's reference. A number in the state would not do:
 * a linked work tree is a separate root with its own state, but has the same references. Until work is kept, the
 * reference points at the base.
 * @throws DevCliError `GIT_FAILED`, `IO`
 */
export async function reserveNumber(
  { refs }: Pick<AttemptSite, 'refs'>,
  goal: string,
  { last, base }: { last: number; base: string },
): Promise<number> {
  for (let tries = 0; ; ) {
    const taken = [...(await refs.list(`refs/dev-cli/attempts/${goal}`)).keys()];
    const n = Math.max(last, ...taken.map((name) => Number(name.split('/').at(-1)) || 0)) + 1;
    const name = nameReference({ goal, n });
    const refused = await refs.move(name, { from: null, to: base });
    if (refused === null) return n;
    if ((await refs.list(name)).has(name)) continue;
    // Git refused although the reference is not there: another process may have taken the number and given it back.
    tries += 1;
    if (tries === TRIES)
      throw new DevCliError('GIT_FAILED', `${name} cannot be written.`, {
        details: [{ target: name, problem: refused }],
      });
  }
}

/** Blocks a goal that needs a person's decision first; starts no tool. */
export async function blockUndecided({ site, tell }: BatchOrder, goal: LoopGoal, reason: string): Promise<void> {
  const { streams, context } = site;
  await writeOutcome(context, { id: goal.id, status: 'blocked', blockedReason: reason });
  await streams.transact(LOOP, (state, at) => {
    const { batch, goals } = state;
    const n = goals[goal.id]?.n ?? 0;
    const outcome: Outcome = {
      ...{
        success: false,
        classification: DECISION_PENDING,
        action: 'block',
        attempts: n,
        ref: null,
        reason,
        changed: [],
      },
    };
    const key = `${batch?.runId}:${goal.id}:${DECISION_PENDING}`;
    const payload = {
      ...{ run_id: batch?.runId ?? '', goal_id: goal.id, attempt: n, success: false, classification: DECISION_PENDING },
      ...{ failure_classification: classifyFailure({ classification: DECISION_PENDING, reason }), reason },
      ...{ action_taken: 'block', changed_files: [], cost_usd: 0, ref: null, base: null, duration_ms: 0 },
    };
    return {
      answer: undefined,
      state: {
        ...state,
        batch: batch && { ...batch, outcomes: { ...batch.outcomes, [goal.id]: outcome } },
        unsent: [...state.unsent, buildEvent('auto_attempt', { key, at, payload })],
      },
      entry: { type: 'settled', data: { id: goal.id, classification: DECISION_PENDING } },
    };
  });
  tell(`${goal.id}: ${DECISION_PENDING}: ${reason} -> block`);
}
