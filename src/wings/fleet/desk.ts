import { DevCliError } from '../../base/errors.js';
import { type Pool, queryRows } from './database.js';
import { retryWhileAway } from './streams.js';

/** The desk of a project: the one root where people decide and whose files define the goals (fleet.md, Three truths). */

/** Seconds for which a root stays the desk without a renewal. */
const SECONDS = 60;

/** A root that is, or wants to be, the desk of its project. */
interface Desk {
  project: string;
  /** The id of the root; it survives a reboot. */
  desk: string;
}

/**
 * Makes a root the desk until it is released. A root that is already the desk may become it again at once, since a
 * local lock ensures that only one process of the root does so at a time.
 * @throws DevCliError `LOCKED` if another root is the desk; `FLEET_UNAVAILABLE`
 */
export async function holdDesk(pool: Pool, { project, desk }: Desk): Promise<() => Promise<void>> {
  requireMine(project, await queryRows<DeskRow>(pool, HOLD, [project, desk, SECONDS, true]));
  const renew = (seconds: number) => queryRows(pool, HOLD, [project, desk, seconds, false]).catch(() => {});
  // If a renewal fails, the next makes up for it; `requireDesk` checks before each write that this is still the desk.
  const timer = setInterval(() => void renew(SECONDS), (SECONDS * 1_000) / 6);
  timer.unref();
  return async () => {
    clearInterval(timer);
    // If this fails, the root stays the desk until its last renewal expires.
    await renew(0);
  };
}

/**
 * Throws if another root has become the desk meanwhile, for example while this machine was asleep.
 * @throws DevCliError `LOCKED`, `FLEET_UNAVAILABLE`
 */
export async function requireDesk(pool: Pool, { project, desk }: Desk, signal?: AbortSignal): Promise<void> {
  const asked = () => queryRows<DeskRow>(pool, HOLD, [project, desk, SECONDS, false]);
  requireMine(project, await retryWhileAway(asked, signal));
}

function requireMine(project: string, [row]: readonly DeskRow[]): void {
  if (row === undefined || row.is_mine) return;
  throw new DevCliError('LOCKED', `Another root is the desk of ${project}.`, {
    details: [
      { target: row.desk, problem: `is its desk until ${row.until.toISOString()}, or longer if it is still running` },
    ],
    fix: 'Wait until it has ended. If it was interrupted, its place is free at that time.',
  });
}

/**
 * Whether a root is or last was the desk of its project, or the project never had one. @throws DevCliError
 * `FLEET_UNAVAILABLE`
 */
export async function isDesk(pool: Pool, { project, desk }: Desk): Promise<boolean> {
  const asked = 'SELECT desk FROM dev_cli.projects WHERE project = $1';
  const [row] = await queryRows<{ desk: string | null }>(pool, asked, [project]);
  return row?.desk == null || row.desk === desk;
}

/** Whether any root is the desk now. @throws DevCliError `FLEET_UNAVAILABLE` */
export async function isDeskHeld(pool: Pool, project: string): Promise<boolean> {
  const asked = 'SELECT FROM dev_cli.projects WHERE project = $1 AND desk_until > clock_timestamp()';
  return (await queryRows(pool, asked, [project])).length > 0;
}

interface DeskRow {
  desk: string;
  until: Date;
  is_mine: boolean;
}

/** Lets root $2 stay the desk; if $4 is true, also lets it become the desk where no other root is. */
const HOLD = `
  WITH held AS (
    UPDATE dev_cli.projects
    SET desk = $2, desk_until = clock_timestamp() + make_interval(secs => $3)
    WHERE project = $1 AND (desk = $2 OR $4 AND (desk IS NULL OR desk_until <= clock_timestamp()))
    RETURNING desk, desk_until)
  SELECT desk, desk_until AS until, true AS is_mine FROM held
  UNION ALL
  SELECT desk, desk_until, false FROM dev_cli.projects WHERE project = $1 AND NOT EXISTS (SELECT FROM held)`;
