import { formatInstant } from '../../../base/clock.js';
import type { LoopConfig } from '../config.js';
import { type LoopGoal, listGoals } from '../goals.js';
import { isHandedIn } from '../state.js';
import type { Batch, LoopState, Verdict } from '../state-schema.js';
import { countsTowardRetries } from './judge.js';
import { findOther } from './leases.js';
import { findRefusal, findUndone } from './order.js';

/** Decides what a batch begins next, from the recorded state and the current goals (loop-core.md, auto). Pure. */

/** Everything that the plan depends on. */
export interface ScheduleInput {
  state: LoopState;
  batch: Batch;
  /** The goals as goals.yaml has them now. */
  goals: readonly LoopGoal[];
  config: Pick<LoopConfig, 'limits' | 'backoff_minutes'>;
  parallel: number;
  /** `now`: milliseconds since the epoch. `spent`: milliseconds since the batch began, unaffected by clock changes. */
  now: number;
  spent: number;
}

export interface BatchSchedule {
  /** The goals for which a new attempt begins now, in order. */
  start: LoopGoal[];
  /** Milliseconds until the tool may be tried again; null: at once. */
  pause: number | null;
  /** Why no more goals are begun; null while the batch continues. */
  over: string | null;
}

/** Plans which goals to begin now, and how long to wait. */
export function planStarts(desk: ScheduleInput): BatchSchedule {
  const { state, batch, goals, parallel, now } = desk;
  const { backoff_minutes: backoff } = desk.config;
  const over = findLimit(desk);
  const left = batch.pausedUntil === null ? null : Date.parse(batch.pausedUntil) - now;
  // If the remaining pause exceeds the configured one, the clock was set back; the pause then ends.
  const pause = left !== null && left > (findPause(backoff, batch.toolErrors) ?? 0) * 60_000 ? 0 : left;
  if (over !== null || (pause !== null && pause > 0)) return { start: [], pause: over === null ? pause : null, over };
  const busy = Object.values(state.attempts);
  const atWork = busy.filter((one) => !['parked', 'unmoved'].includes(one.state) && !isHandedIn(one));
  const coming = batch.sessions + atWork.filter(({ state: at }) => at === 'preparing').length;
  const free = Math.min(parallel - atWork.length, desk.config.limits.sessions - coming);
  const all = listGoals(goals);
  const ready = batch.goals.flatMap((id) => {
    const goal = all.find((one) => one.id === id);
    if (goal === undefined || isSettled(batch, id) || busy.some((one) => one.goal === id)) return [];
    return findObstacle(desk, goal, all) === null ? [goal] : [];
  });
  return { start: ready.slice(0, Math.max(0, free)), pause: null, over: null };
}

/** Lists the chosen goals that did not end in this batch, each with the reason. */
export function listNotRun(desk: ScheduleInput, over: string | null): { id: string; reason: string }[] {
  const { batch, goals, state } = desk;
  const all = listGoals(goals);
  return batch.goals.flatMap((id) => {
    const open = Object.values(state.attempts).find((one) => one.goal === id);
    // A limit allows this attempt no more sessions in this batch; the next batch continues it.
    if (open?.state === 'judging' && over !== null) return [{ id, reason: over }];
    if (batch.outcomes[id] !== undefined || open !== undefined) return [];
    const goal = all.find((one) => one.id === id);
    if (goal === undefined) return [{ id, reason: 'it is no longer in .ai/goals.yaml' }];
    return [{ id, reason: findObstacle(desk, goal, all) ?? over ?? 'the batch ended' }];
  });
}

/** Returns why a goal cannot be begun now. */
function findObstacle({ state, now }: ScheduleInput, goal: LoopGoal, all: readonly LoopGoal[]): string | null {
  const undone = findUndone(goal, all);
  const held = findOther(state.leases, goal.id, formatInstant(now));
  return findRefusal(goal) ?? (undone === null ? held : `it depends on ${undone}, which is not done`);
}

function isSettled({ outcomes }: Batch, id: string): boolean {
  return outcomes[id] !== undefined && outcomes[id].action !== 'retry';
}

function findLimit({ batch, config: { limits, backoff_minutes: backoff }, spent }: ScheduleInput): string | null {
  if (batch.toolErrors > backoff.length) return 'the tool failed again and again';
  if (spent >= limits.minutes * 60_000) return `limits.minutes: ${limits.minutes}`;
  if (batch.sessions >= limits.sessions) return `limits.sessions: ${limits.sessions}`;
  if (batch.failures >= limits.failures_in_a_row) return `limits.failures_in_a_row: ${limits.failures_in_a_row}`;
  return limits.cost_usd !== null && batch.costUsd >= limits.cost_usd ? `limits.cost_usd: ${limits.cost_usd}` : null;
}

/** The effect of a verdict on its goal. */
export interface GoalChange {
  /** The new status; null: the goal stays active. */
  status: 'done' | 'blocked' | null;
  action: 'advance' | 'retry' | 'block';
  counted: number;
}

/**
 * Decides what a verdict does to its goal.
 * @param counted how many earlier attempts of the goal counted
 * @param most `max_retries`
 */
export function decideGoal(verdict: Verdict, counted: number, most: number): GoalChange {
  const now = counted + (countsTowardRetries(verdict) ? 1 : 0);
  if (verdict.success) return { status: 'done', action: 'advance', counted: 0 };
  if (verdict.action === 'block' || (countsTowardRetries(verdict) && now >= most))
    return { status: 'blocked', action: 'block', counted: 0 };
  return { status: null, action: 'retry', counted: now };
}

/**
 * Returns the minutes to wait after the given number of consecutive tool failures; null if the tool is not tried again.
 */
export function findPause(backoff: readonly number[], toolErrors: number): number | null {
  return backoff[toolErrors - 1] ?? null;
}
