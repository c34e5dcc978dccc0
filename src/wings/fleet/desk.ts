import { DevCliError } from '../../base/errors.js';
import { type Pool, queryRows } from './database.js';
import { retryWhileAway } from './streams.js';

/** The desk of a project: the one root whose people decide, and whose files say what is done (fleet.md, Three truths). */

/** Seconds for which a root is the desk without saying so again. */
const SECONDS = 60;

/** A root that is the desk of its project, or would be. */
interface Desk {
  project: string;
  /** By which the root is known, also after its machine was started anew. */
  desk: string;
}

/**
 * Has a root be the desk until it is released. The same root may begin anew at once: a lock of its own says that it is alone there.
 * @throws DevCliError `LOCKED` where another root is the desk; `FLEET_UNAVAILABLE`
 */
export async function holdDesk(pool: Pool, { project, desk }: Desk): Promise<() => Promise<void>> {
  requireMine(project, await queryRows<DeskRow>(pool, HOLD, [project, desk, SECONDS, true]));
  const renew = (seconds: number) => queryRows(pool, HOLD, [project, desk, seconds, false]).catch(() => {});
  // One that is missed is made up for by the next; whether the place is lost is asked before anything is written.
  const timer = setInterval(() => void renew(SECONDS), (SECONDS * 1_000) / 6);
  timer.unref();
  return async () => {
    clearInterval(timer);
    // It is over in time by itself, or another root’s by now.
    await renew(0);
  };
}

/**
 * Lets a root write nothing whose place another one has taken meanwhile, as while its machine was asleep.
 * @throws DevCliError `LOCKED`, `FLEET_UNAVAILABLE`
 */
export async function requireDesk(pool: Pool, { project, desk }: Desk, signal?: AbortSignal): Promise<void> {
  const asked = () => queryRows<DeskRow>(pool, HOLD, [project, desk, SECONDS, false]);
  requireMine(project, await retryWhileAway(asked, signal));
}

function requireMine(project: string, [row]: readonly DeskRow[]): void {
  if (row === undefined || row.is_mine) return;
  throw new DevCliError('LOCKED', `Another root is the desk of ${project}.`, {
    details: [{ target: row.desk, problem: `is its desk until ${row.until.toISOString()}, unless it goes on` }],
    fix: 'Wait until it has ended; one that was cut off is over by that time.',
  });
}

/** Whether a root is, or was last, the desk of its project, or there has been none. @throws DevCliError `FLEET_UNAVAILABLE` */
export async function isDesk(pool: Pool, { project, desk }: Desk): Promise<boolean> {
  const asked = 'SELECT desk FROM dev_cli.projects WHERE project = $1';
  const [row] = await queryRows<{ desk: string | null }>(pool, asked, [project]);
  return row?.desk == null || row.desk === desk;
}

/** Whether some root is at it. @throws DevCliError `FLEET_UNAVAILABLE` */
export async function isDeskHeld(pool: Pool, project: string): Promise<boolean> {
  const asked = 'SELECT FROM dev_cli.projects WHERE project = $1 AND desk_until > clock_timestamp()';
  return (await queryRows(pool, asked, [project])).length > 0;
}

interface DeskRow {
  desk: string;
  until: Date;
  is_mine: boolean;
}

/** Whoever only goes on takes nothing that another root has had since. */
const HOLD = `
  WITH held AS (
    UPDATE dev_cli.projects
    SET desk = $2, desk_until = clock_timestamp() + make_interval(secs => $3)
    WHERE project = $1 AND (desk = $2 OR $4 AND (desk IS NULL OR desk_until <= clock_timestamp()))
    RETURNING desk, desk_until)
  SELECT desk, desk_until AS until, true AS is_mine FROM held
  UNION ALL
  SELECT desk, desk_until, false FROM dev_cli.projects WHERE project = $1 AND NOT EXISTS (SELECT FROM held)`;
