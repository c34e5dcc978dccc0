import { formatInstant } from '../../../base/clock.js';
import { DevCliError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { CLOSED_RETENTION_MS } from '../state.js';
import type { Lease } from '../state-schema.js';
import { buildEvent, type EventType } from './events.js';

/** Leases on goals: a goal has one holder until the lease is released or expires (loop-operations.md, Queue). Pure. */

/** The worker id of `auto`. */
export const AUTO = 'auto';

export type LeaseTable = Readonly<Record<string, Lease>>;

/** A goal as it is offered to workers. */
export interface GoalOffer {
  id: string;
  role: string;
  /** Why nobody may take the goal; null if it can be taken. */
  why: string | null;
}

/** A request for a lease. */
export interface LeaseRequest {
  worker: string;
  /** The role that the goal must have; null for any role. */
  role: string | null;
  /** A repeated request with the same worker and key gets the same lease. */
  key: string | null;
  minutes: number;
  /** Maximum active leases of the worker; null: no limit. */
  most: number | null;
  /** The goal to take; null for the first free goal with the role. */
  goal: string | null;
  /** The goals to choose from, in the order in which they are assigned. */
  offers: readonly GoalOffer[];
}

export type LeaseRefusal =
  | 'idempotency_key_reused'
  | 'max_active_claims'
  | 'goal_not_claimable'
  | 'role_phase_mismatch'
  | 'goal_already_claimed'
  | 'no_claimable_goals'
  | 'role_no_claimable_goals'
  | 'claim_not_active'
  | 'claim_of_other_worker';

export type LeaseResult =
  | { kind: 'taken' | 'reused'; lease: Lease }
  | { kind: 'refused'; code: LeaseRefusal; goal: string | null; problem: string };

/** The changed leases, and the events to log. */
export interface LeaseChange<A> {
  leases: LeaseTable;
  events: readonly JsonObject[];
  answer: A;
}

/** Closes expired leases, and deletes those that were closed long ago. @returns how many expired */
export function expireLeases(leases: LeaseTable, at: string): LeaseChange<number> {
  const now = Date.parse(at);
  const over = Object.values(leases).filter((lease) => lease.status === 'active' && !isActive(lease, at));
  const closed = over.map((lease): Lease => ({ ...lease, status: 'expired', closedAt: at }));
  const kept = Object.values({ ...leases, ...byId(closed) }).filter(
    ({ closedAt }) => closedAt === null || now - Date.parse(closedAt) < CLOSED_RETENTION_MS,
  );
  return {
    leases: byId(kept),
    events: closed.map((lease) => tell('queue_claim_expired', lease, at)),
    answer: over.length,
  };
}

/** Returns whether a lease is in force at an instant. */
const isActive = ({ status, expiresAt }: Lease, at: string): boolean =>
  status === 'active' && Date.parse(expiresAt) > Date.parse(at);

/** Finds the lease on a goal at an instant. */
export const findActiveLease = (leases: LeaseTable, goal: string, at: string): Lease | null =>
  Object.values(leases).find((lease) => lease.goal === goal && isActive(lease, at)) ?? null;

/** Returns why `auto` must skip a goal at an instant: another worker holds it. Null if none does. */
export function findOther(leases: LeaseTable, goal: string, at: string): string | null {
  const holder = findActiveLease(leases, goal, at);
  return holder === null || holder.worker === AUTO ? null : `${holder.worker} holds it until ${holder.expiresAt}`;
}

/**
 * Leases a goal to a worker. The caller must have closed expired leases first.
 * @param id the id of a new lease; also the key of the event that logs a refusal
 */
export function takeLease(
  leases: LeaseTable,
  asked: LeaseRequest,
  { id, at }: { id: string; at: string },
): LeaseChange<LeaseResult> {
  const found = chooseOffer(leases, asked, at);
  if (found.kind === 'refused') return { leases, events: [tellRefusal(asked, found, { id, at })], answer: found };
  if (found.kind === 'reused')
    return {
      leases,
      events: [tell('queue_idempotent_claim_reused', found.lease, at, `${found.lease.id}:${id}`)],
      answer: found,
    };
  const lease: Lease = {
    ...{ id, goal: found.offer.id, worker: asked.worker, role: found.offer.role, key: asked.key, status: 'active' },
    ...{ createdAt: at, expiresAt: addMinutes(at, asked.minutes), closedAt: null, reason: null, goalStatus: null },
  };
  return {
    leases: { ...leases, [id]: lease },
    events: [tell('queue_claim_created', lease, at)],
    answer: { kind: 'taken', lease },
  };
}

type Refused = Extract<LeaseResult, { kind: 'refused' }>;

function chooseOffer(
  leases: LeaseTable,
  { worker, role, key, most, goal, offers }: LeaseRequest,
  at: string,
): Refused | { kind: 'reused'; lease: Lease } | { kind: 'offered'; offer: GoalOffer } {
  const refuse = (code: LeaseRefusal, problem: string): Refused => ({ kind: 'refused', code, goal, problem });
  const own = Object.values(leases).filter((lease) => lease.worker === worker && isActive(lease, at));
  const same = key === null ? undefined : own.find((lease) => lease.key === key);
  if (same !== undefined && goal !== null && same.goal !== goal)
    return refuse('idempotency_key_reused', `the key belongs to ${same.id}, for ${same.goal}`);
  if (same !== undefined) return { kind: 'reused', lease: same };
  if (most !== null && own.length >= most)
    return refuse(
      'max_active_claims',
      `${worker} has ${own.map((one) => `${one.goal} (${one.id})`).join(', ')} already`,
    );
  const fits = (offer: GoalOffer): boolean => role === null || offer.role === role;
  if (goal !== null) {
    const offer = offers.find((one) => one.id === goal);
    if (offer === undefined || offer.why !== null)
      return refuse('goal_not_claimable', offer?.why ?? 'there is no such goal');
    if (!fits(offer)) return refuse('role_phase_mismatch', `its role is ${offer.role}`);
    const holder = findActiveLease(leases, goal, at);
    return holder === null
      ? { kind: 'offered', offer }
      : refuse('goal_already_claimed', `${holder.worker} holds it until ${holder.expiresAt}`);
  }
  const free = offers.filter((offer) => offer.why === null && findActiveLease(leases, offer.id, at) === null);
  const offer = free.find(fits);
  if (offer !== undefined) return { kind: 'offered', offer };
  return free.length === 0
    ? refuse('no_claimable_goals', 'no goal is free')
    : refuse('role_no_claimable_goals', `no free goal has the role ${role}`);
}

/** Finds an active lease of a worker, by its id. */
export function findOwn(leases: LeaseTable, id: string, worker: string, at: string): Lease | Refused {
  const lease = leases[id];
  const refuse = (code: LeaseRefusal, problem: string): Refused => ({
    ...{ kind: 'refused', code, goal: lease?.goal ?? null, problem },
  });
  if (lease === undefined) return refuse('claim_not_active', 'there is no such claim');
  if (lease.worker !== worker)
    return refuse('claim_of_other_worker', `it belongs to ${lease.worker}, not to ${worker}`);
  return isActive(lease, at)
    ? lease
    : refuse(
        'claim_not_active',
        `it ${lease.status === 'released' ? 'was released at' : 'expired at'} ${lease.closedAt ?? lease.expiresAt}`,
      );
}

/** Extends a lease: it then expires the given number of minutes from now. */
export function renewLease(
  leases: LeaseTable,
  before: Lease,
  { at, minutes }: { at: string; minutes: number },
): LeaseChange<Lease> {
  const lease: Lease = { ...before, expiresAt: addMinutes(at, minutes) };
  return {
    leases: { ...leases, [lease.id]: lease },
    events: [tell('queue_claim_renewed', lease, at, `${lease.id}:${lease.expiresAt}`)],
    answer: lease,
  };
}

/** Releases a lease, so that another worker may take the goal. */
export function releaseLease(
  leases: LeaseTable,
  before: Lease,
  { at, reason, goalStatus }: { at: string; reason: string | null; goalStatus: string | null },
): LeaseChange<Lease> {
  const lease: Lease = { ...before, status: 'released', closedAt: at, reason, goalStatus };
  return {
    leases: { ...leases, [lease.id]: lease },
    events: [tell('queue_claim_released', lease, at)],
    answer: lease,
  };
}

const byId = (leases: readonly Lease[]): LeaseTable => Object.fromEntries(leases.map((lease) => [lease.id, lease]));

const addMinutes = (at: string, minutes: number): string => formatInstant(Date.parse(at) + minutes * 60_000);

function tell(type: EventType, lease: Lease, at: string, key = lease.id): JsonObject {
  const { id, goal, worker, role, expiresAt, reason } = lease;
  const payload = { claim_id: id, goal_id: goal, worker_id: worker, role, reason_code: null, expires_at: expiresAt };
  return buildEvent(type, { key, at, payload: reason === null ? payload : { ...payload, reason } });
}

function tellRefusal(
  { worker, role }: LeaseRequest,
  { code, goal }: Refused,
  { id, at }: { id: string; at: string },
): JsonObject {
  const payload = { claim_id: null, goal_id: goal, worker_id: worker, role, reason_code: code, expires_at: null };
  return buildEvent('queue_claim_rejected', { key: id, at, payload });
}

/**
 * Requires that a claim is still active. @param claim null: nothing is required. @throws DevCliError `CLAIM_REFUSED`
 */
export function requireActive(leases: LeaseTable, claim: string | null, at: string): void {
  const lease = claim === null ? undefined : leases[claim];
  if (claim === null || (lease !== undefined && isActive(lease, at))) return;
  throw refuseClaim('claim_not_active', claim, 'it has expired');
}

/** Refusals of calls about an existing claim. */
const OF_CLAIMS: ReadonlySet<LeaseRefusal> = new Set(['claim_not_active', 'claim_of_other_worker']);

/** Builds the refusal of a claim. @param target the goal, or the claim's id */
export function refuseClaim(code: LeaseRefusal, target: string | null, problem: string): DevCliError {
  const said = toBoundedLine(problem, 300);
  return new DevCliError(
    'CLAIM_REFUSED',
    `${target === null ? 'No goal is assigned' : `${toBoundedLine(target, 80)} ${OF_CLAIMS.has(code) ? 'is not active' : 'is not assigned'}`}: ${said}.`,
    {
      details: [{ ...(target !== null && { target: toBoundedLine(target, 80) }), problem: said, reason_code: code }],
      fix: ['See who has what: ', { command: 'queue list', input: {} }, '.'],
    },
  );
}
