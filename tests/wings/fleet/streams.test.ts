import { ask } from '../../../src/wings/fleet/database.js';
import { listDocuments } from '../../../src/wings/fleet/entries.js';
import { openLeases } from '../../../src/wings/loop/leases.js';
import { leasesSuite } from '../loop/leases-suite.js';
import { SYSTEM } from '../loop/replay-loop.js';
import { streamsSuite } from '../loop/streams-suite.js';
import { listTold, nameProject, openProject, replayProject, useDatabase } from './shared.js';

// The loop's stream in the database (fleet.md, A stream in PostgreSQL): what every stream does, and what can happen to this one alone.

const shared = useDatabase();

streamsSuite('a database', () => {
  const { pool } = shared;
  const project = nameProject();
  return {
    streams: openProject(pool, project),
    async document(path) {
      const documents = await listDocuments(pool, project, { after: 0 });
      return documents.find((one) => one.path === path)?.content ?? null;
    },
    replay: () => replayProject(pool, project),
  };
});

leasesSuite('a database', () => {
  const { pool } = shared;
  const project = nameProject();
  const streams = openProject(pool, project);
  return {
    leases: openLeases(streams, SYSTEM.ids),
    streams,
    // The clock is the database's: what it is compared with becomes older.
    async pass(minutes) {
      const older = ['created', 'expires', 'closed'].map((name) => `${name} = ${name} - make_interval(mins => $2)`);
      await ask(pool, `UPDATE dev_cli.leases SET ${older.join(', ')} WHERE project = $1`, [project, minutes]);
    },
    told: () => listTold(pool, project),
  };
});
