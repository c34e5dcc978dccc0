import type { Answer } from '../../../base/answer.js';
import { DevCliError } from '../../../base/errors.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { HandlersOf } from '../../../protocol/ports.js';
import type { Context } from '../../../run/context.js';
import { openLoopBackend } from '../backend.js';
import type { LoopConfig } from '../config.js';
import { AUTO, type GoalOffer, refuseClaim } from '../core/leases.js';
import { findRefusal, findUndone, orderGoals } from '../core/order.js';
import { findUndecided } from '../decisions/ticket.js';
import { readLoopFiles } from '../files.js';
import type { LoopGoal } from '../goals.js';
import { openLeases } from '../leases.js';
import { flushEventsQuietly } from '../log.js';
import type { LoopCall, LoopPorts } from '../site.js';
import type { Lease, LoopState } from '../state-schema.js';
import { findNewestGoal } from '../steps/handoffs.js';
import { LOOP } from '../streams.js';
import type { QUEUE_SPECS } from './specs.js';

/** `queue claim|renew|release|list` (loop-operations.md, Queue). */

type Input<Name extends keyof HandlersOf<typeof QUEUE_SPECS>> = Parameters<HandlersOf<typeof QUEUE_SPECS>[Name]>[1];

type Ports = Pick<LoopPorts, 'openFleet'>;

/** Maximum minutes of a claim. */
const MOST_MINUTES = 1_440;
/** Maximum characters of a worker’s name or key. */
const LONGEST = 80;

/** Claims a goal. @throws DevCliError `CLAIM_REFUSED`, `USAGE`, `NO_PROJECT`, `SCHEMA_INVALID`, `LOCKED`, `IO` */
export async function claimGoal(
  ports: Ports,
  context: Context,
  input: Input<'queue claim'>,
  call: LoopCall,
): Promise<Answer> {
  const worker = requireWorker(input.worker);
  const { config, goals } = readLoopFiles(context);
  const minutes = requireMinutes(config, input.ttlMinutes);
  const key = input.idempotencyKey === undefined ? null : requireText('--idempotency-key', input.idempotencyKey);
  const desk = await open(ports, context, call);
  const taken = await desk.leases.take({
    ...{ worker, minutes, key, role: input.role ?? null, goal: input.goal ?? null, most: config.queue.per_worker },
    offers: listOffers(context, goals, await desk.streams.read(LOOP)),
  });
  await desk.tell();
  if (taken.kind === 'refused') throw refuseClaim(taken.code, taken.goal, taken.problem);
  const { lease, kind, swept } = taken;
  const { closedAt: _, ...said } = describe(lease);
  return {
    exit: 0,
    json: {
      ...{ ok: true, ...said, created: kind === 'taken', idempotent_reused: kind === 'reused', expired_swept: swept },
      idempotency_key: lease.key,
    },
    text: () => `${lease.id}: ${lease.goal} is ${worker}’s until ${lease.expiresAt}.`,
  };
}

/** Renews a claim. @throws DevCliError as `claimGoal` */
export async function renewClaim(
  ports: Ports,
  context: Context,
  input: Input<'queue renew'>,
  call: LoopCall,
): Promise<Answer> {
  const { id, worker, ttlMinutes } = input;
  const minutes = requireMinutes(readLoopFiles(context).config, ttlMinutes);
  const desk = await open(ports, context, call);
  const lease = await desk.leases.renew(id, { worker: requireWorker(worker), minutes });
  await desk.tell();
  const { closedAt: _, ...said } = describe(lease);
  return { exit: 0, json: { ok: true, ...said }, text: () => `${id}: ${lease.goal} until ${lease.expiresAt}.` };
}

/** Releases a claim. @throws DevCliError as `claimGoal` */
export async function releaseClaim(
  ports: Ports,
  context: Context,
  input: Input<'queue release'>,
  call: LoopCall,
): Promise<Answer> {
  const { id, worker, reason, goalStatus } = input;
  readLoopFiles(context);
  const desk = await open(ports, context, call);
  const why = { reason: reason ?? null, goalStatus: goalStatus ?? null };
  const lease = await desk.leases.release(id, { worker: requireWorker(worker), ...why });
  await desk.tell();
  const { closedAt, ...said } = describe(lease);
  return {
    exit: 0,
    json: { ok: true, ...said, released_at: closedAt, reason: lease.reason, goal_status: lease.goalStatus },
    text: () => `${id}: ${lease.goal} is free.`,
  };
}

/** Lists the claims. @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `LOCKED`, `IO` */
export async function listClaims(
  ports: Ports,
  context: Context,
  { activeOnly }: Input<'queue list'>,
  call: LoopCall,
): Promise<Answer> {
  readLoopFiles(context);
  const desk = await open(ports, context, call);
  const leases = await desk.list();
  await desk.tell();
  const active = leases.filter(({ status }) => status === 'active');
  const closed = activeOnly ? [] : leases.filter(({ status }) => status !== 'active');
  const shown = [...active, ...closed.sort((a, b) => ((a.closedAt ?? '') < (b.closedAt ?? '') ? 1 : -1))];
  const snapshot = {
    total_claims: leases.length,
    active_claims: active.length,
    active_claims_by_worker: countBy(active, ({ worker }) => worker),
    active_claims_by_role: countBy(active, ({ role }) => role),
  };
  const claims = shown.map((lease) => {
    const { closedAt, ...said } = describe(lease);
    return { ...said, closed_at: closedAt, reason: lease.reason, goal_status: lease.goalStatus };
  });
  return {
    exit: 0,
    json: { ok: true, claims, snapshot },
    text: () =>
      shown
        .map(({ id, status, goal, worker, expiresAt, closedAt, reason }) =>
          [
            `${status.padEnd(8)} ${goal}: ${worker}, ${closedAt === null ? `until ${expiresAt}` : `closed ${closedAt}`} (${id})`,
            ...(reason === null ? [] : [toBoundedLine(reason, 200)]),
          ].join(': '),
        )
        .join('\n') || 'Nobody has claimed a goal.',
  };
}

async function open(ports: Ports, context: Context, call: LoopCall) {
  const { streams, desk } = await openLoopBackend(ports, context, call);
  const leases = openLeases(streams, context.ids);
  const list = async (): Promise<Lease[]> =>
    // In a fleet, workers close expired leases, so this only reads: somebody who may not write can list them, too.
    desk === null ? (await leases.list()).leases : Object.values((await streams.read(LOOP)).leases);
  return { streams, leases, list, tell: () => flushEventsQuietly({ streams, context }) };
}

/** Lists the goals in the order of `auto`, each with the reason, if any, why nobody may take it. */
export function listOffers(context: Context, goals: readonly LoopGoal[], { attempts }: LoopState): GoalOffer[] {
  const ordered = orderGoals(goals, findNewestGoal(context));
  // A goal whose attempt has a claim does not count as busy here: its lease keeps others away, and once the lease
  // expires, another worker may start the goal over.
  const busy = new Set(Object.values(attempts).flatMap(({ goal, claim }) => (claim == null ? [goal] : [])));
  return ordered.map((goal) => {
    const undone = findUndone(goal, ordered);
    const why =
      findRefusal(goal) ??
      // A worker would bypass the steps and gates of the recipe.
      (goal.recipe === null ? null : `only auto carries out its recipe ${goal.recipe}`) ??
      (undone === null ? null : `it depends on ${undone}, which is not done`) ??
      findUndecided(context, goal) ??
      (busy.has(goal.id) ? 'an attempt of it waits' : null);
    return { id: goal.id, role: findRole(goal), why };
  });
}

/** Returns the role of the workers that a goal is for: its own role, or the one that its phase implies. */
export function findRole({ role, phase }: Pick<LoopGoal, 'role' | 'phase'>): string {
  if (role !== null) return role;
  if (phase === 'adversarial') return 'test';
  return phase === 'gate' || phase === 'review' ? 'verify' : 'implement';
}

function describe(lease: Lease) {
  const { id, goal, worker, role, status, createdAt, expiresAt, closedAt } = lease;
  return {
    ...{ claim_id: id, goal_id: goal, worker_id: worker, role, status, created_at: createdAt, expires_at: expiresAt },
    closedAt,
  };
}

function countBy(leases: readonly Lease[], of: (lease: Lease) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const lease of leases) counts[of(lease)] = (counts[of(lease)] ?? 0) + 1;
  return counts;
}

function requireMinutes({ queue }: Pick<LoopConfig, 'queue'>, given: number | undefined): number {
  const minutes = given ?? Math.min(queue.ttl_minutes, queue.max_ttl_minutes);
  const most = Math.min(MOST_MINUTES, queue.max_ttl_minutes);
  if (minutes >= 1 && minutes <= most) return minutes;
  const isOurs = most === MOST_MINUTES;
  throw new DevCliError(
    'USAGE',
    `--ttl-minutes takes a number from 1 to ${most}${isOurs ? '' : ', the value of queue.max_ttl_minutes here'}.`,
    {
      fix: `Take fewer minutes and renew the claim${isOurs ? '' : ', or raise queue.max_ttl_minutes in .ai/config.yaml'}.`,
    },
  );
}

function requireWorker(given: string): string {
  const worker = requireText('--worker', given);
  if (worker !== AUTO) return worker;
  throw new DevCliError('USAGE', `"${AUTO}" is the worker name that dev-cli itself uses.`, {
    fix: 'Choose another name.',
  });
}

/** Validates a name given as an option. @throws DevCliError `USAGE` */
export function requireText(option: string, given: string): string {
  if (given !== '' && toBoundedLine(given, LONGEST) === given) return given;
  throw new DevCliError('USAGE', `${option} takes 1 to ${LONGEST} visible characters.`, {
    fix: 'Give a name such as w1.',
  });
}
