import { DevCliError } from '../../base/errors.js';
import { parseOrNull } from '../../base/json.js';
import { identifyProcess, isGone, type ProcessIdentity } from '../../store/process.js';
import { type Pool, queryRows } from './database.js';

/** A worker's heartbeat: one statement renews its row and its leases by the database's clock (fleet.md, Leases). */

/** What a worker registers about itself. */
export interface Introduction {
  worker: string;
  /** The version of the worker's steps, which only workers of the same version can continue. */
  version: number;
  cliVersion: string;
  slots: number;
  leaseSeconds: number;
  projects: readonly { project: string; trust: readonly string[] }[];
}

export interface Beat {
  /**
   * Renews the worker's row and its leases.
   * @param claims the claims that this process works on. Any other claim of the worker, such as one of which this
   * process never got the answer, is not renewed and expires
   * @returns the claims that this worker still has
   * @throws DevCliError `FLEET_UNAVAILABLE`; `LOCKED` if another process has taken the name
   */
  renew(claims: readonly string[]): Promise<ReadonlySet<string>>;
  /** Milliseconds since the last heartbeat, by this process's clock. */
  silence(): number;
  /**
   * Whether heartbeats have succeeded without a gap for the length of a lease. Only then may this worker take over the
   * expired leases of others: the database may have been unreachable for them, too.
   */
  isSteady(): boolean;
  /** Records, for `fleet list`, the attempts of a project that this worker does not accept, each with the reason. */
  note(project: string, passed: Readonly<Record<string, string>>): void;
  /** Deletes the worker's row. */
  end(): Promise<void>;
}

/**
 * Registers a worker and releases the leases of its previous process.
 * @param last the previous process of that name according to this machine's files; null if they name none
 * @throws DevCliError `LOCKED` if a worker of that name is alive; `FLEET_UNAVAILABLE`
 */
export async function openBeat(pool: Pool, about: Introduction, last: string | null = null): Promise<Beat> {
  const { worker, leaseSeconds } = about;
  const own = identifyProcess();
  const process = JSON.stringify(own);
  const passed: Record<string, Readonly<Record<string, string>>> = {};
  const introduce = async (gone: string): Promise<boolean> => {
    const rows = await queryRows(pool, INTRODUCE, [
      ...[worker, process, own.host, about.version, about.cliVersion, about.slots, JSON.stringify(about.projects)],
      ...[leaseSeconds, gone],
    ]);
    return rows.length > 0;
  };
  if (!(await introduce(''))) {
    const [row] = await queryRows<{ process: string }>(pool, 'SELECT process FROM dev_cli.workers WHERE worker = $1', [
      worker,
    ]);
    const other = parseOrNull(row?.process ?? null) as ProcessIdentity | null;
    // The host identity changes with each boot, so only this machine's files show that a process before the boot was
    // its own.
    const isOurs = other !== null && (other.host === own.host || row?.process === last);
    const isOver = row === undefined || (isOurs && isGone(other, own));
    if (!isOver || !(await introduce(row?.process ?? ''))) throw takenError(worker);
  }
  await queryRows(
    pool,
    `UPDATE dev_cli.leases SET status = 'released', closed = clock_timestamp(), reason = 'the worker was restarted'
     WHERE worker = $1 AND status = 'active'`,
    [worker],
  );
  let beaten = performance.now();
  let since = beaten;
  return {
    async renew(claims) {
      const [row] = await queryRows<{ claims: string[] | null }>(pool, RENEW, [
        worker,
        process,
        leaseSeconds,
        JSON.stringify(passed),
        claims,
      ]);
      if (row === undefined) throw takenError(worker);
      const now = performance.now();
      if (now - beaten > leaseSeconds * 500) since = now;
      beaten = now;
      return new Set(row.claims);
    },
    silence: () => performance.now() - beaten,
    isSteady: () =>
      performance.now() - beaten < leaseSeconds * 500 && performance.now() - since >= leaseSeconds * 1_000,
    note(project, which) {
      passed[project] = which;
    },
    async end() {
      await queryRows(pool, 'DELETE FROM dev_cli.workers WHERE worker = $1 AND process = $2', [worker, process]);
    },
  };
}

const takenError = (worker: string): DevCliError =>
  new DevCliError('LOCKED', `A worker named ${worker} is running in another process.`, {
    fix: 'Give this worker another `name` in fleet.yaml, or end the other. If it was killed, wait until its lease has expired.',
  });

/** A row can be taken over if its process has been silent for the length of a lease, or is known to be gone. */
const INTRODUCE = `
  INSERT INTO dev_cli.workers (worker, process, host, version, cli_version, slots, projects, started, beat)
  VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp(), clock_timestamp())
  ON CONFLICT (worker) DO UPDATE
  SET process = excluded.process, host = excluded.host, version = excluded.version, cli_version = excluded.cli_version,
    slots = excluded.slots, projects = excluded.projects, passed = '{}', started = excluded.started, beat = excluded.beat
  WHERE workers.beat < clock_timestamp() - make_interval(secs => $8) OR workers.process = $9
  RETURNING worker`;

/**
 * Renews even a lease that has expired, and was perhaps closed because of that, since the database may have been
 * unreachable meanwhile; but not if its goal has been leased again. A process that has lost the worker's name to
 * another process renews nothing.
 */
const RENEW = `
  WITH own AS (SELECT FROM dev_cli.workers WHERE worker = $1 AND process = $2),
  renewed AS (
    UPDATE dev_cli.leases l
    SET status = 'active', closed = NULL, expires = clock_timestamp() + make_interval(secs => $3)
    WHERE worker = $1 AND id = ANY($5) AND EXISTS (SELECT FROM own) AND (status = 'active' OR status = 'expired'
      AND NOT EXISTS (SELECT FROM dev_cli.leases o WHERE o.project = l.project AND o.goal = l.goal AND o.created > l.created))
    RETURNING id)
  UPDATE dev_cli.workers SET beat = clock_timestamp(), passed = $4 WHERE worker = $1 AND process = $2
  RETURNING (SELECT array_agg(id) FROM renewed) AS claims`;

/** A worker's row, as other processes read it. */
export interface WorkerRow {
  worker: string;
  host: string;
  version: number;
  cli_version: string;
  slots: number;
  projects: { project: string; trust: string[] }[];
  passed: Record<string, Record<string, string>>;
  started: Date;
  /** Seconds since its last heartbeat. */
  silent: number;
}

/** Lists all workers. @throws DevCliError `FLEET_UNAVAILABLE` */
export function listWorkers(pool: Pool): Promise<WorkerRow[]> {
  return queryRows<WorkerRow>(
    pool,
    `SELECT worker, host, version, cli_version, slots, projects, passed, started,
       extract(epoch FROM clock_timestamp() - beat)::int AS silent
     FROM dev_cli.workers ORDER BY worker`,
  );
}
