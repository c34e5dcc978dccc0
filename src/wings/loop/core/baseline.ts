import { type LogEvent, type ParsedLog, readInstant } from './log-lines.js';

/** Computes from the log whether the loop can be trusted (loop-operations.md, The log). Pure. */

/** Limits for the figures: `observe` of `.ai/config.yaml`. */
export interface BaselineLimits {
  min_goal_runs: number;
  min_first_pass_success_rate: number;
  max_block_rate: number;
  max_security_incident_rate: number;
  max_claim_collision_rate: number;
  max_mttr_minutes: number;
}

export const DEFAULT_BASELINE_LIMITS: BaselineLimits = {
  ...{ min_goal_runs: 5, min_first_pass_success_rate: 0.4, max_block_rate: 0.35 },
  ...{ max_security_incident_rate: 0.2, max_claim_collision_rate: 0.15, max_mttr_minutes: 180 },
};

/** An `auto_attempt` event. If it is not marked as a success, it counts as a failure. */
interface Row {
  at: number;
  attempt: number;
  success: boolean;
  action: unknown;
  isSecurity: boolean;
}

/** The attempts of one goal in one batch, ordered by time, then by attempt. */
type GoalRun = readonly [Row, ...Row[]];

interface Window {
  goalRuns: GoalRun[];
  /** The number of queue events by type; `collision` counts claims refused because another worker held the goal. */
  queue: Readonly<Record<string, number>>;
  /** Unreadable lines, and relevant events without a usable time or goal. */
  skipped: number;
}

/** Selects the events of the last `days` days. @param now milliseconds since the epoch */
export function selectWindow({ events, skipped: lines }: ParsedLog, days: number, now: number): Window {
  const told = events.filter(({ event_type: type }) => type === 'auto_attempt' || type.startsWith('queue_'));
  const placed = told.flatMap((event) => {
    const at = readInstant(event.timestamp);
    const run = event.event_type === 'auto_attempt' ? findRun(event) : '';
    return at === null || at > now || run === null ? [] : [{ event, at, run }];
  });
  const runs = new Map<string, [Row, ...Row[]]>();
  const queue: Record<string, number> = {};
  for (const { event, at, run } of placed) {
    if (at < now - days * 86_400_000) continue;
    if (run === '') countClaim(queue, event);
    else {
      const row = readRow(event, at);
      const rows = runs.get(run);
      if (rows === undefined) runs.set(run, [row]);
      else rows.push(row);
    }
  }
  const goalRuns = [...runs.values()];
  for (const rows of goalRuns) rows.sort((a, b) => a.at - b.at || a.attempt - b.attempt);
  return { goalRuns, queue, skipped: lines + told.length - placed.length };
}

const findRun = ({ goal_id: goal, payload: { run_id: run } }: LogEvent): string | null =>
  goal === null || typeof run !== 'string' ? null : JSON.stringify([run, goal]);

function countClaim(queue: Record<string, number>, { event_type: type, payload }: LogEvent): void {
  queue[type] = (queue[type] ?? 0) + 1;
  const isCollision = type === 'queue_claim_rejected' && payload['reason_code'] === 'goal_already_claimed';
  if (isCollision) queue['collision'] = (queue['collision'] ?? 0) + 1;
}

function readRow({ payload }: LogEvent, at: number): Row {
  const { attempt, success, action_taken: action, failure_classification: failure } = payload;
  const n = typeof attempt === 'number' && Number.isSafeInteger(attempt) ? attempt : 0;
  return { at, attempt: n, success: success === true, action, isSecurity: failure === 'security' };
}

/**
 * Computes the figures, and which guards fail. Compares rounded figures: otherwise a message could say that 0.35 is
 * more than 0.35.
 */
export function computeBaseline({ goalRuns, queue }: Pick<Window, 'goalRuns' | 'queue'>, guards: BaselineLimits) {
  const share = (fits: (run: GoalRun) => boolean) => divide(goalRuns.filter(fits).length, goalRuns.length);
  const lastOf = (run: GoalRun): Row => run.at(-1) ?? run[0];
  const counted = (type: string) => queue[type] ?? 0;
  const [created, reused] = [counted('queue_claim_created'), counted('queue_idempotent_claim_reused')];
  const attempts = created + counted('queue_claim_rejected');
  const repairs = goalRuns.flatMap((run) => measureRepair(run) ?? []);
  const successes = goalRuns.map(lastOf).filter(({ success }) => success);
  const figures = {
    goal_runs: goalRuns.length,
    success_rate: share((run) => lastOf(run).success),
    first_pass_success_rate: share((run) => lastOf(run).attempt === 1 && run.every(({ success }) => success)),
    retry_rate: share((run) => run.some(({ attempt, action }) => attempt > 1 || action === 'retry')),
    block_rate: share((run) => lastOf(run).action === 'block'),
    security_incident_rate: share((run) => run.some(({ isSecurity }) => isSecurity)),
    mean_attempts_to_success: divide(
      successes.reduce((sum, { attempt }) => sum + attempt, 0),
      successes.length,
    ),
    mttr_minutes:
      repairs.length === 0 ? null : round(repairs.reduce((sum, one) => sum + one, 0) / repairs.length / 60_000, 100),
    claim_attempts: attempts,
    claim_collision_rate: divide(counted('collision'), attempts),
    idempotent_reuse_rate: divide(reused, reused + created),
    stale_lease_recovery_count: counted('queue_claim_expired'),
  };
  const holds: Record<keyof BaselineLimits, boolean> = {
    min_goal_runs: figures.goal_runs >= guards.min_goal_runs,
    min_first_pass_success_rate: figures.first_pass_success_rate >= guards.min_first_pass_success_rate,
    max_block_rate: figures.block_rate <= guards.max_block_rate,
    max_security_incident_rate: figures.security_incident_rate <= guards.max_security_incident_rate,
    max_claim_collision_rate: figures.claim_collision_rate <= guards.max_claim_collision_rate,
    max_mttr_minutes: (figures.mttr_minutes ?? 0) <= guards.max_mttr_minutes,
  };
  const failing = Object.entries(holds).flatMap(([guard, held]) => (held ? [] : [guard]));
  return { ...figures, baseline_ready: failing.length === 0, failing_guards: failing };
}

/** Returns how many milliseconds passed between the first failure and the first success after it; null without both. */
function measureRepair(run: GoalRun): number | null {
  const failed = run.findIndex(({ success }) => !success);
  const mended = failed < 0 ? undefined : run.slice(failed).find(({ success }) => success);
  return mended === undefined ? null : mended.at - (run[failed]?.at ?? mended.at);
}

const round = (value: number, parts: number): number => Math.round(value * parts) / parts;
const divide = (part: number, whole: number): number => (whole === 0 ? 0 : round(part / whole, 1000));
