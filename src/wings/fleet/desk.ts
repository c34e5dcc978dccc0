import { DevCliError } from '../../base/errors.js';
import type { Context } from '../../run/context.js';
import { identifyProcess } from '../../store/process.js';
import { ask, type Pool } from './database.js';

/** The desk of a project: the one root whose people decide, and whose files say what is done (fleet.md, Three truths). */

/** Seconds for which a root is the desk without saying so again. */
const SECONDS = 60;

/**
 * Has a root be the desk until it is released. The same root may begin anew at once: a lock of its own says that it is alone there.
 * @throws DevCliError `LOCKED` where another root is the desk; `FLEET_UNAVAILABLE`
 */
export async function holdDesk(
  pool: Pool,
  project: string,
  { root }: Pick<Context, 'root'>,
): Promise<() => Promise<void>> {
  const desk = nameDesk(root);
  const hold = async (seconds: number): Promise<void> => {
    const [row] = await ask<{ desk: string; until: Date; is_mine: boolean }>(pool, HOLD, [project, desk, seconds]);
    if (row === undefined || row.is_mine) return;
    throw new DevCliError('LOCKED', `Another root is the desk of ${project}.`, {
      details: [{ target: row.desk, problem: `is its desk until ${row.until.toISOString()}, unless it goes on` }],
      fix: 'Wait until it has ended; one that was cut off is over by that time.',
    });
  };
  await hold(SECONDS);
  // One that is missed is made up for by the next, and whatever this root does is fenced by the rows.
  const timer = setInterval(() => void hold(SECONDS).catch(() => {}), (SECONDS * 1_000) / 6);
  timer.unref();
  return async () => {
    clearInterval(timer);
    // It is over in time by itself, or another root’s by now.
    await hold(0).catch(() => {});
  };
}

const nameDesk = (root: string): string => `${identifyProcess().host}:${root}`;

/** Whether a root is, or was last, the desk of its project, or there has been none. @throws DevCliError `FLEET_UNAVAILABLE` */
export async function isDesk(pool: Pool, project: string, { root }: Pick<Context, 'root'>): Promise<boolean> {
  const asked = 'SELECT desk FROM dev_cli.projects WHERE project = $1';
  const [row] = await ask<{ desk: string | null }>(pool, asked, [project]);
  return row?.desk == null || row.desk === nameDesk(root);
}

/** Whether some root is at it. @throws DevCliError `FLEET_UNAVAILABLE` */
export async function isDeskHeld(pool: Pool, project: string): Promise<boolean> {
  const asked = 'SELECT FROM dev_cli.projects WHERE project = $1 AND desk_until > clock_timestamp()';
  return (await ask(pool, asked, [project])).length > 0;
}

const HOLD = `
  WITH held AS (
    UPDATE dev_cli.projects
    SET desk = $2, desk_until = clock_timestamp() + make_interval(secs => $3)
    WHERE project = $1 AND (desk IS NULL OR desk = $2 OR desk_until <= clock_timestamp())
    RETURNING desk, desk_until)
  SELECT desk, desk_until AS until, true AS is_mine FROM held
  UNION ALL
  SELECT desk, desk_until, false FROM dev_cli.projects WHERE project = $1 AND NOT EXISTS (SELECT FROM held)`;
