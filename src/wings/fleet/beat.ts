import { DevCliError } from '../../base/errors.js';
import { parseOrNull } from '../../base/json.js';
import { identifyProcess, isGone, type ProcessIdentity } from '../../store/process.js';
import { type Pool, queryRows } from './database.js';

/** A worker's sign of life: its row and its leases, renewed in one statement by the database's clock (fleet.md, Leases). */

/** What a worker says of itself. */
export interface Introduction {
  worker: string;
  /** Of the steps that it knows. */
  version: number;
  cliVersion: string;
  slots: number;
  leaseSeconds: number;
  projects: readonly { project: string; trust: readonly string[] }[];
}

export interface Beat {
  /**
   * @param claims those that this process works on: one that it does not know of, as the answer was lost, is over in time
   * @returns those that are this worker's still
   * @throws DevCliError `FLEET_UNAVAILABLE`; `LOCKED` where another process has the name by now
   */
  renew(claims: readonly string[]): Promise<ReadonlySet<string>>;
  /** Milliseconds since the last one, by this process's own time. */
  silence(): number;
  /** Whether it has beaten for as long as a lease lasts, without a gap: what others lost is theirs no more. */
  isSteady(): boolean;
  /** Notes what is passed by in a project, each attempt with the reason, for `fleet list`. */
  note(project: string, passed: Readonly<Record<string, string>>): void;
  /** Takes the row away. */
  end(): Promise<void>;
}

/**
 * Makes a worker known, and frees what a process before it had.
 * @param last the process that this machine’s files say had the name last; null: they say nothing
 * @throws DevCliError `LOCKED` where a worker of that name is alive; `FLEET_UNAVAILABLE`
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
    // Of a process of another boot only this machine’s files say that it was this machine’s.
    const isOurs = other !== null && (other.host === own.host || row?.process === last);
    const isOver = row === undefined || (isOurs && isGone(other, own));
    if (!isOver || !(await introduce(row?.process ?? ''))) throw takenError(worker);
  }
  await queryRows(
    pool,
    `UPDATE dev_cli.leases SET status = 'released', closed = clock_timestamp(), reason = 'the worker began anew'
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
  new DevCliError('LOCKED', `A worker called ${worker} is at work in another process.`, {
    fix: 'Give this one another `name` in fleet.yaml, or end the other. One that was killed is forgotten after its lease.',
  });

/** A row whose process is silent for as long as a lease lasts, or is known to be gone, is to be had. */
const INTRODUCE = `
  INSERT INTO dev_cli.workers (worker, process, host, version, cli_version, slots, projects, started, beat)
  VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp(), clock_timestamp())
  ON CONFLICT (worker) DO UPDATE
  SET process = excluded.process, host = excluded.host, version = excluded.version, cli_version = excluded.cli_version,
    slots = excluded.slots, projects = excluded.projects, passed = '{}', started = excluded.started, beat = excluded.beat
  WHERE workers.beat < clock_timestamp() - make_interval(secs => $8) OR workers.process = $9
  RETURNING worker`;

/**
 * One that is past its time, or was closed for that, is had once more as long as nobody has taken its goal since: the database was away.
 * Whoever has lost the name renews nothing.
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

/** A worker as others see it. */
export interface WorkerRow {
  worker: string;
  host: string;
  version: number;
  cli_version: string;
  slots: number;
  projects: { project: string; trust: string[] }[];
  passed: Record<string, Record<string, string>>;
  started: Date;
  /** Seconds since its last sign of life. */
  silent: number;
}

/** @throws DevCliError `FLEET_UNAVAILABLE` */
export function listWorkers(pool: Pool): Promise<WorkerRow[]> {
  return queryRows<WorkerRow>(
    pool,
    `SELECT worker, host, version, cli_version, slots, projects, passed, started,
       extract(epoch FROM clock_timestamp() - beat)::int AS silent
     FROM dev_cli.workers ORDER BY worker`,
  );
}
