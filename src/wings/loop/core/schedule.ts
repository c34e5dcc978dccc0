import { formatInstant } from '../../../base/clock.js';
import type { LoopConfig } from '../config.js';
import { type LoopGoal, listGoals } from '../goals.js';
import { isHandedIn } from '../state.js';
import type { Batch, LoopState, Verdict } from '../state-schema.js';
import { isCounted } from './judge.js';
import { findOther } from './leases.js';
import { findRefusal, findUndone } from './order.js';

/** What a batch begins next: a function of what is kept and of the goals as they are now (loop-core.md, auto). Pure. */

/** All that the plan depends on. */
export interface Desk {
  state: LoopState;
  batch: Batch;
  /** As the file has them now. */
  goals: readonly LoopGoal[];
  config: Pick<LoopConfig, 'limits' | 'backoff_minutes'>;
  parallel: number;
  /** Milliseconds since the epoch, and since the batch began: a clock that was put back makes no batch longer. */
  now: number;
  spent: number;
}

export interface Plan {
  /** Goals to begin an attempt of, in order. */
  start: LoopGoal[];
  /** Milliseconds until the tool may be tried again; null: it may now. */
  pause: number | null;
  /** Why nothing is begun any more; null while the batch goes on. */
  over: string | null;
}

/** Plans the next starts. */
export function plan(desk: Desk): Plan {
  const { state, batch, goals, parallel, now } = desk;
  const { backoff_minutes: backoff } = desk.config;
  const over = findLimit(desk);
  const left = batch.pausedUntil === null ? null : Date.parse(batch.pausedUntil) - now;
  // More than the whole of it: the clock was put back.
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

/** Chosen goals that the batch did not bring to an end, each with the reason. */
export function listNotRun(desk: Desk, over: string | null): { id: string; reason: string }[] {
  const { batch, goals, state } = desk;
  const all = listGoals(goals);
  return batch.goals.flatMap((id) => {
    const open = Object.values(state.attempts).find((one) => one.goal === id);
    // One that may have no session more in this batch is taken up by the next.
    if (open?.state === 'judging' && over !== null) return [{ id, reason: over }];
    if (batch.outcomes[id] !== undefined || open !== undefined) return [];
    const goal = all.find((one) => one.id === id);
    if (goal === undefined) return [{ id, reason: 'it is not in .ai/goals.yaml any more' }];
    return [{ id, reason: findObstacle(desk, goal, all) ?? over ?? 'the batch ended' }];
  });
}

/** Why a goal cannot be begun now. */
function findObstacle({ state, now }: Desk, goal: LoopGoal, all: readonly LoopGoal[]): string | null {
  const undone = findUndone(goal, all);
  const held = findOther(state.leases, goal.id, formatInstant(now));
  return findRefusal(goal) ?? (undone === null ? held : `it depends on ${undone}, which is not done`);
}

function isSettled({ outcomes }: Batch, id: string): boolean {
  return outcomes[id] !== undefined && outcomes[id].action !== 'retry';
}

function findLimit({ batch, config: { limits, backoff_minutes: backoff }, spent }: Desk): string | null {
  if (batch.toolErrors > backoff.length) return 'the tool failed again and again';
  if (spent >= limits.minutes * 60_000) return `limits.minutes: ${limits.minutes}`;
  if (batch.sessions >= limits.sessions) return `limits.sessions: ${limits.sessions}`;
  if (batch.failures >= limits.failures_in_a_row) return `limits.failures_in_a_row: ${limits.failures_in_a_row}`;
  return limits.cost_usd !== null && batch.costUsd >= limits.cost_usd ? `limits.cost_usd: ${limits.cost_usd}` : null;
}

/** What a verdict makes of its goal. */
export interface GoalChange {
  /** The new status; null: it stays active. */
  status: 'done' | 'blocked' | null;
  action: 'advance' | 'retry' | 'block';
  counted: number;
}

/** @param counted attempts of the goal that counted before @param most `max_retries` */
export function decideGoal(verdict: Verdict, counted: number, most: number): GoalChange {
  const now = counted + (isCounted(verdict) ? 1 : 0);
  if (verdict.success) return { status: 'done', action: 'advance', counted: 0 };
  if (verdict.action === 'block' || (isCounted(verdict) && now >= most))
    return { status: 'blocked', action: 'block', counted: 0 };
  return { status: null, action: 'retry', counted: now };
}

/** Minutes to wait after the tool failed that many times in a row; null: no more tries. */
export function findPause(backoff: readonly number[], toolErrors: number): number | null {
  return backoff[toolErrors - 1] ?? null;
}
