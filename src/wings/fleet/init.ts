import type { Answer } from '../../base/answer.js';
import type { Context } from '../../run/context.js';
import { resolveDatabaseUrl } from './config.js';
import { openDatabase } from './database.js';
import { migrateEngine } from './engine.js';
import type { FleetCall } from './ports.js';
import { FLEET_SCHEMA_VERSION, migrate } from './schema.js';

/** `fleet init` (fleet.md, Commands). @throws DevCliError `FLEET_UNAVAILABLE`, `FLEET_VERSION` */
export async function initFleet(context: Context, call: FleetCall): Promise<Answer> {
  const url = await resolveDatabaseUrl(context, call);
  const pool = await openDatabase(url);
  try {
    const { from, roles, lacks } = await migrate(pool, () =>
      migrateEngine({ url, version: FLEET_SCHEMA_VERSION, log: call.tell }),
    );
    const json = { ok: true, schema_version: FLEET_SCHEMA_VERSION, was: from, roles, lacks };
    const did = from === 0 ? 'created' : from === FLEET_SCHEMA_VERSION ? 'already up to date' : `upgraded from ${from}`;
    const granted = [
      ...(roles.length === 0 ? [] : [`Roles: ${roles.join(', ')}.`]),
      ...lacks.map((one) => `This user may not ${one}.`),
    ];
    return {
      exit: 0,
      json,
      text: () =>
        [`Schema dev_cli, version ${FLEET_SCHEMA_VERSION}: ${did}. Schema dbos: up to date.`, ...granted].join('\n'),
    };
  } finally {
    await pool.end();
  }
}
