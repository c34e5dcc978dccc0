import type { PoolClient } from 'pg';
import { formatInstant } from '../../base/clock.js';
import { type Pool, queryRows } from './database.js';

/** Leases as rows, which their owners renew by a heartbeat, without an entry in the journal (fleet.md, Leases). */

/** A lease in the loop's form. */
export interface LoopLease {
  readonly id: string;
  readonly goal: string;
  readonly worker: string;
  readonly role: string;
  readonly key: string | null;
  readonly status: 'active' | 'released' | 'expired';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly closedAt: string | null;
  readonly reason: string | null;
  readonly goalStatus: string | null;
}

type Leases = Readonly<Record<string, LoopLease>>;

/** A lease as a row. */
export interface LeaseRow {
  id: string;
  goal: string;
  worker: string;
  role: string;
  key: string | null;
  status: LoopLease['status'];
  created: string;
  expires: string;
  closed: string | null;
  reason: string | null;
  goal_status: string | null;
}

/**
 * Selects a project's open leases and the last 100 closed in the past 30 days: every change reads them, so they must
 * stay few.
 */
export const LEASES = `
  SELECT json_agg(l) FROM (
    SELECT * FROM dev_cli.leases WHERE project = $1 AND closed IS NULL
    UNION ALL (
      SELECT * FROM dev_cli.leases WHERE project = $1 AND closed > now() - interval '30 days'
      ORDER BY closed DESC LIMIT 100)) l`;

export function toLeases(rows: readonly LeaseRow[]): Leases {
  const format = (instant: string): string => formatInstant(new Date(instant).getTime());
  const toLease = ({ created, expires, closed, goal_status: goalStatus, ...row }: LeaseRow): LoopLease => ({
    ...{ id: row.id, goal: row.goal, worker: row.worker, role: row.role, key: row.key, status: row.status },
    ...{ createdAt: format(created), expiresAt: format(expires), closedAt: closed === null ? null : format(closed) },
    ...{ reason: row.reason, goalStatus },
  });
  return Object.fromEntries(rows.map((row) => [row.id, toLease(row)]));
}

/**
 * Whether one of these leases has expired by the database's clock without being released. @throws DevCliError
 * `FLEET_UNAVAILABLE`
 */
export async function isAnyLost(pool: Pool, project: string, ids: readonly string[]): Promise<boolean> {
  const asked = `
    SELECT FROM dev_cli.leases
    WHERE project = $1 AND id = ANY($2) AND status <> 'released' AND expires < clock_timestamp()`;
  return (await queryRows(pool, asked, [project, ids])).length > 0;
}

/** Writes the changed leases; closed ones first, since a goal may have only one open lease. */
export async function writeLeases(
  client: PoolClient,
  project: string,
  { before, after }: { before: Leases; after: Leases },
): Promise<void> {
  const changed = Object.values(after).filter((lease) => before[lease.id] !== lease);
  const ordered = changed.sort((a, b) => Number(a.status === 'active') - Number(b.status === 'active'));
  for (const lease of ordered) {
    await client.query(
      `INSERT INTO dev_cli.leases VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       ON CONFLICT (project, id) DO UPDATE
       SET status = excluded.status, expires = excluded.expires, closed = excluded.closed, reason = excluded.reason,
         goal_status = excluded.goal_status`,
      [
        ...[project, lease.id, lease.goal, lease.worker, lease.role, lease.key, lease.status, lease.createdAt],
        ...[lease.expiresAt, lease.closedAt, lease.reason, lease.goalStatus],
      ],
    );
  }
}
