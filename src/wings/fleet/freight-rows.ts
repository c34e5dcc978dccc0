import { type Pool, queryRows, withTransaction } from './database.js';
import type { Freight } from './freight.js';
import type { LoopAttempt } from './ports.js';

/** Freight as rows: the journal of an attempt's run at the last boundary (fleet.md, An attempt). */

/**
 * Stores freight while the attempt's claim holds, so that a late worker cannot overwrite the freight of the next owner.
 * @returns false if the claim is over
 * @throws DevCliError `FLEET_UNAVAILABLE`
 */
export function storeFreight(
  pool: Pool,
  project: string,
  { goal, n, run, claim }: LoopAttempt,
  { journal, objects, recipeHash, root }: Freight,
): Promise<boolean> {
  return withTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `SELECT FROM dev_cli.leases
       WHERE project = $1 AND id = $2 AND status = 'active' AND expires > clock_timestamp() FOR SHARE`,
      [project, claim],
    );
    if (rowCount === 0) return false;
    await client.query(
      `INSERT INTO dev_cli.freight VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (project, goal, n) DO UPDATE
       SET run = excluded.run, recipe_hash = excluded.recipe_hash, root = excluded.root, journal = excluded.journal`,
      [project, goal, n, run, recipeHash, root, journal],
    );
    await client.query(
      `INSERT INTO dev_cli.freight_objects
       SELECT $1, sha256, $4, $5, content FROM unnest($2::text[], $3::bytea[]) AS t (sha256, content) ON CONFLICT DO NOTHING`,
      [project, [...objects.keys()], [...objects.values()], goal, n],
    );
    return true;
  });
}

/** Loads the freight of an attempt. @returns null if there is none @throws DevCliError `FLEET_UNAVAILABLE` */
export async function loadFreight(pool: Pool, project: string, { goal, n }: LoopAttempt): Promise<Freight | null> {
  const [row] = await queryRows<{ journal: Buffer; recipe_hash: string; root: string }>(
    pool,
    'SELECT journal, recipe_hash, root FROM dev_cli.freight WHERE project = $1 AND goal = $2 AND n = $3',
    [project, goal, n],
  );
  if (row === undefined) return null;
  const objects = await queryRows<{ sha256: string; content: Buffer }>(
    pool,
    'SELECT sha256, content FROM dev_cli.freight_objects WHERE project = $1 AND goal = $2 AND n = $3',
    [project, goal, n],
  );
  const { journal, recipe_hash: recipeHash, root } = row;
  return { journal, recipeHash, root, objects: new Map(objects.map(({ sha256, content }) => [sha256, content])) };
}

/** Deletes the freight of an attempt. @throws DevCliError `FLEET_UNAVAILABLE` */
export async function forgetFreight(
  pool: Pool,
  project: string,
  { goal, n }: Pick<LoopAttempt, 'goal' | 'n'>,
): Promise<void> {
  for (const table of ['freight', 'freight_objects'])
    await queryRows(pool, `DELETE FROM dev_cli.${table} WHERE project = $1 AND goal = $2 AND n = $3`, [
      project,
      goal,
      n,
    ]);
}
