import type { Answer } from '../../base/answer.js';
import { cutToSecond, formatInstant } from '../../base/clock.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { Context } from '../../run/context.js';
import { inspectClaim } from '../../store/standing.js';
import { openLoopBackend } from './backend.js';
import { checkWaiting, nameAnswer } from './core/judge.js';
import { findOther } from './core/leases.js';
import { findRefusal, findUndone, type PlacedGoal, placeGoals } from './core/order.js';
import { findUndecided } from './decisions/ticket.js';
import { readLoopFiles } from './files.js';
import { type LoopGoal, listGoals } from './goals.js';
import { countOpen, type InboxPorts, renderOpen } from './inbox/items.js';
import type { LoopCall, LoopPorts } from './site.js';
import { LOCK, nameAttempt } from './state.js';
import type { Attempt, LoopState } from './state-schema.js';
import { LOOP } from './streams.js';

/** A goal as shown by `observe`. */
interface GoalRow {
  id: string;
  title: string;
  status: string;
  depth: number;
  /** Why it runs, or does not run. */
  because: string;
  attempts: number;
}

/**
 * `observe` (loop-core.md, Commands). Writes nothing.
 * @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `STATE_CORRUPT`, `STATE_NEWER`, `IO`
 */
export async function observeLoop(
  ports: InboxPorts & Pick<LoopPorts, 'openFleet'>,
  context: Context,
  call: LoopCall,
): Promise<Answer> {
  const files = readLoopFiles(context);
  const { streams, desk } = await openLoopBackend(ports, context, call);
  const state = await streams.read(LOOP);
  const { state: standing } = inspectClaim(`${context.root}/${LOCK}`);
  // In a fleet, the batch may be running at another root.
  const running = standing === 'alive' || standing === 'unreadable' || (await desk?.isHeld()) === true;
  const all = listGoals(files.goals);
  const goals = placeGoals(files.goals).map((placed) => describeGoal(context, placed, all, state));
  const rows = await Promise.all(
    Object.values(state.attempts).map((attempt) => describeAttempt(context, attempt, desk !== null)),
  );
  const attempts = rows.map(({ answer: _, ...row }) => row);
  const { batch } = state;
  const { limits } = files.config;
  const spent = batch && {
    minutes: countMinutes(batch.startedAt, batch.endedAt, context.clock.now()),
    ...{ sessions: batch.sessions, failures_in_a_row: batch.failures, cost_usd: batch.costUsd },
  };
  const inbox = await countOpen(ports, { context, streams });
  const json = {
    ok: true,
    batch: batch && {
      run_id: batch.runId,
      running,
      branch: batch.branch,
      started_at: batch.startedAt,
      ended_at: batch.endedAt,
      goals: batch.goals,
      paused_until: batch.pausedUntil,
    },
    ...{ goals, attempts, limits, spent },
    waiting: attempts.filter(({ waits_for: waits }) => waits !== null).map(({ id, waits_for }) => ({ id, waits_for })),
    inbox,
  };
  return {
    exit: 0,
    json,
    text: () => renderText({ goals, attempts: rows, state, running, spent, open: inbox.unresolved_items }),
  };
}

function countMinutes(from: string, to: string | null, now: number): number {
  return Math.max(0, Math.round(((to === null ? now : Date.parse(to)) - Date.parse(from)) / 60_000));
}

function describeGoal(
  context: Context,
  { goal, depth }: PlacedGoal,
  all: readonly LoopGoal[],
  { attempts, batch, goals, leases }: LoopState,
): GoalRow {
  const { id, title, status } = goal;
  const own = Object.values(attempts).find((one) => one.goal === id);
  const undone = findUndone(goal, all);
  const last = batch?.outcomes[id];
  const why =
    (own && `${nameAttempt(own)}: ${own.state}`) ??
    (status === 'blocked' ? toBoundedLine(goal.blocked_reason ?? 'no reason is given', 200) : findRefusal(goal)) ??
    (undone === null ? null : `it waits for ${undone}`) ??
    findUndecided(context, goal) ??
    findOther(leases, id, formatInstant(context.clock.now())) ??
    (last ? `last: ${last.classification}` : 'it is ready');
  return { id, title: toBoundedLine(title, 120), status, depth, because: why, attempts: goals[id]?.n ?? 0 };
}

async function describeAttempt({ store }: Context, attempt: Attempt, isFleet: boolean) {
  const { state, goal, n, sessions, startedAt, tree, run, verdict } = attempt;
  const { snapshot } = state === 'parked' && run !== null ? await store.read(run) : { snapshot: null };
  // For a run on another machine, only its state when it was parked is known.
  const known = isFleet && state === 'parked' && run !== null && snapshot === null ? attempt.facts?.run : null;
  const asked = snapshot === null ? known : checkWaiting(snapshot);
  const waits = asked?.waits ? asked.said : state === 'unmoved' ? (verdict?.reason ?? null) : null;
  const answer =
    run === null || state !== 'parked'
      ? ''
      : known
        ? `; dev-cli fleet take ${goal}`
        : `; ${nameAnswer(run, asked ?? {})}`;
  const row = {
    id: nameAttempt(attempt),
    goal,
    n,
    state,
    sessions,
    started_at: startedAt,
    tree,
    run,
    waits_for: waits,
  };
  return { ...row, answer };
}

function renderText(shown: {
  goals: readonly GoalRow[];
  attempts: readonly Awaited<ReturnType<typeof describeAttempt>>[];
  state: LoopState;
  running: boolean;
  spent: { minutes: number; sessions: number; cost_usd: number } | null;
  open: number;
}): string {
  const { goals, attempts, state, running, spent, open } = shown;
  const { batch } = state;
  const head =
    batch === null || spent === null
      ? 'No batch has run yet.'
      : `Batch ${batch.runId} ${running && batch.endedAt === null ? 'is at work' : batch.endedAt === null ? 'was cut off; the next auto continues it' : 'has ended'}: ${spent.minutes} minutes, ${spent.sessions} sessions${spent.cost_usd > 0 ? `, ${spent.cost_usd.toFixed(2)} USD` : ''}, onto ${batch.branch}.${running && batch.pausedUntil !== null ? ` The tool failed; it is tried again at ${cutToSecond(batch.pausedUntil)}.` : ''}`;
  return [
    head,
    ...goals.map(
      ({ id, title, status, depth, because }) =>
        `${'  '.repeat(depth + 1)}${status.padEnd(8)} ${id}: ${title} (${because})`,
    ),
    ...attempts.flatMap(({ id, state: at, tree, waits_for: waits, answer }) => [
      `${id}: ${at}, in ${tree}`,
      ...(waits === null
        ? at === 'parked'
          ? ['  a person has answered; the next auto continues it']
          : []
        : [`  waits for a person: ${toBoundedLine(waits, 300)}${answer}`]),
    ]),
    ...(open === 0 ? [] : [renderOpen(open)]),
  ].join('\n');
}
