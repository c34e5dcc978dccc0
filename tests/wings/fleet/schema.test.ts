import { describe, expect, it } from 'vitest';
import { openDatabase, type Pool, queryRows } from '../../../src/wings/fleet/database.js';
import {
  FLEET_SCHEMA_VERSION,
  migrate,
  requireSameRepository,
  requireSchema,
} from '../../../src/wings/fleet/schema.js';
import { LOOP } from '../../../src/wings/loop/streams.js';
import { createDatabase, dropDatabase } from '../../support/postgres.js';
import { startServer } from '../../support/postgres-server.mjs';
import { begin, openProject } from './shared.js';

// Schema and roles (fleet.md, Upgrades; What a team starts).

const nothing = async (): Promise<void> => {};

/** Runs `work` on an empty database. */
async function inDatabase(work: (pool: Pool, url: string) => Promise<void>): Promise<void> {
  const url = await createDatabase();
  const pool = await openDatabase(url);
  try {
    await work(pool, url);
  } finally {
    await pool.end();
    await dropDatabase(url);
  }
}

let users = 0;
/** Runs `work` as a database user who has only these roles. */
async function asUser(
  { pool, url, roles = [], more = '' }: { pool: Pool; url: string; roles?: readonly string[]; more?: string },
  work: (pool: Pool, user: string) => Promise<void>,
): Promise<void> {
  const user = `user_${process.pid}_${++users}`;
  await queryRows(pool, `CREATE ROLE ${user} LOGIN PASSWORD 'x' ${more}`);
  for (const role of roles) await queryRows(pool, `GRANT ${role} TO ${user}`);
  const as = await openDatabase(Object.assign(new URL(url), { username: user, password: 'x' }).href);
  try {
    await work(as, user);
  } finally {
    await as.end();
    await queryRows(pool, `DROP OWNED BY ${user} CASCADE`);
    await queryRows(pool, `DROP ROLE ${user}`);
  }
}

const ROLES = ['dev_cli_desk', 'dev_cli_worker', 'dev_cli_reader'];

describe('the schema', () => {
  it('is made once, and is there the second time', async () => {
    await inDatabase(async (pool) => {
      await expect(requireSchema(pool)).rejects.toMatchObject({
        code: 'FLEET_VERSION',
        fix: [{ command: 'fleet init', input: {} }],
      });
      expect(await migrate(pool, nothing)).toEqual({ from: 0, roles: ROLES, lacks: [] });
      await requireSchema(pool);
      await openProject(pool, 'kept').transact(LOOP, begin('a'));
      expect(await migrate(pool, nothing)).toEqual({ from: FLEET_SCHEMA_VERSION, roles: ROLES, lacks: [] });
      expect(await openProject(pool, 'kept').transact(LOOP, begin('a'))).toBe(2);
    });
  });

  it('is made by one of many at once, and what comes behind it is done by one at a time', async () => {
    await inDatabase(async (_pool, url) => {
      let [within, most] = [0, 0];
      const one = async (): Promise<number> => {
        const pool = await openDatabase(url);
        const { from } = await migrate(pool, async () => {
          within += 1;
          most = Math.max(most, within);
          await queryRows(pool, 'SELECT pg_sleep(0.05)');
          within -= 1;
        });
        await pool.end();
        return from;
      };
      const found = await Promise.all(Array.from({ length: 4 }, one));
      expect(found.toSorted()).toEqual([0, FLEET_SCHEMA_VERSION, FLEET_SCHEMA_VERSION, FLEET_SCHEMA_VERSION]);
      expect(most).toBe(1);
    });
  });

  it('is left as it was where what comes behind it fails, or its maker is gone in the middle', async () => {
    await inDatabase(async (pool) => {
      const failing = migrate(pool, async () => {
        throw new Error('not so');
      });
      await expect(failing).rejects.toThrow('not so');
      await queryRows(pool, 'ALTER TABLE dev_cli.schema_version RENAME TO hidden');
      // Without its version table, the schema seems to be missing. Creating its tables fails, because they exist, and
      // the whole step is rolled back.
      await expect(migrate(pool, nothing)).rejects.toMatchObject({ code: 'FLEET_UNAVAILABLE' });
      await expect(requireSchema(pool)).rejects.toMatchObject({ code: 'FLEET_VERSION' });
      await queryRows(pool, 'ALTER TABLE dev_cli.hidden RENAME TO schema_version');
      expect(await migrate(pool, nothing)).toMatchObject({ from: FLEET_SCHEMA_VERSION });
    });
  });

  it('that is newer is left alone', async () => {
    await inDatabase(async (pool) => {
      await migrate(pool, nothing);
      await queryRows(pool, 'UPDATE dev_cli.schema_version SET version = version + 1');
      const refused = { code: 'FLEET_VERSION', fix: 'Update dev-cli on this machine.' };
      await expect(requireSchema(pool)).rejects.toMatchObject(refused);
      await expect(migrate(pool, nothing)).rejects.toMatchObject(refused);
    });
  });

  it('is not made by whoever may not, who is told which right is lacking', async () => {
    await inDatabase(async (pool, url) => {
      const name = new URL(url).pathname.slice(1);
      await asUser({ pool, url }, async (as) => {
        await expect(migrate(as, nothing)).rejects.toMatchObject({
          code: 'FLEET_UNAVAILABLE',
          message: expect.stringContaining(`the user lacks the right CREATE on database ${name}`),
        });
        await migrate(pool, nothing);
        await expect(requireSchema(as)).rejects.toMatchObject({
          code: 'FLEET_UNAVAILABLE',
          message: expect.stringContaining('permission denied for schema dev_cli'),
        });
      });
    });
  });

  it('is made without roles by whoever may make none, and says so', async () => {
    // Roles belong to the cluster, so this test starts a server that has none.
    const server = await startServer();
    const pool = await openDatabase(server.url);
    await asUser({ pool, url: server.url }, async (as, user) => {
      await queryRows(pool, `GRANT CREATE ON DATABASE postgres TO ${user}`);
      expect(await migrate(as, nothing)).toEqual({
        ...{ from: 0, roles: [] },
        lacks: ROLES.map((role) => `create the role ${role} (CREATEROLE)`),
      });
      await requireSchema(as);
      expect(await openProject(as, 'own').transact(LOOP, begin('a'))).toBe(1);
      expect(await migrate(pool, nothing)).toEqual({ from: FLEET_SCHEMA_VERSION, roles: ROLES, lacks: [] });
    });
    await pool.end();
    await server.stop();
  });

  it('of somebody else is granted by its owner alone', async () => {
    await inDatabase(async (pool, url) => {
      await migrate(pool, nothing);
      await asUser({ pool, url, roles: ['dev_cli_worker'] }, async (as) => {
        const { roles, lacks } = await migrate(as, nothing);
        expect(roles).toEqual([]);
        expect(lacks).toEqual([expect.stringMatching(/^grant rights on schema dev_cli \(owned by \w+\)$/)]);
      });
    });
  });
});

describe('a role', () => {
  it.each(['dev_cli_desk', 'dev_cli_worker'])('%s changes rows and makes nothing', async (role) => {
    await inDatabase(async (pool, url) => {
      await migrate(pool, nothing);
      await asUser({ pool, url, roles: [role] }, async (as) => {
        await requireSchema(as);
        expect(await requireSameRepository(as, 'own', 'aaaa', { registers: true })).toBe(true);
        expect(await openProject(as, 'own').transact(LOOP, begin('a'))).toBe(1);
        await expect(queryRows(as, 'CREATE TABLE dev_cli.more (id int)')).rejects.toMatchObject({
          message: expect.stringContaining('permission denied for schema dev_cli'),
        });
      });
    });
  });

  it('dev_cli_reader reads, and is told which right is lacking for more', async () => {
    await inDatabase(async (pool, url) => {
      await migrate(pool, nothing);
      await requireSameRepository(pool, 'own', 'aaaa', { registers: true });
      await openProject(pool, 'own').transact(LOOP, begin('a'));
      await asUser({ pool, url, roles: ['dev_cli_reader'] }, async (as) => {
        await requireSchema(as);
        expect(await requireSameRepository(as, 'own', 'aaaa', { registers: false })).toBe(true);
        expect(await openProject(as, 'own').read(LOOP)).toMatchObject({ seq: 1 });
        await expect(openProject(as, 'own').transact(LOOP, begin('a'))).rejects.toMatchObject({
          code: 'FLEET_UNAVAILABLE',
          message: expect.stringContaining('permission denied for table streams'),
        });
      });
    });
  });
});

describe('a project', () => {
  it('is that of the repository whose desk was first', async () => {
    await inDatabase(async (pool) => {
      await migrate(pool, nothing);
      // A worker never registers a repository: its configured address may be wrong.
      expect(await requireSameRepository(pool, 'api', 'dddd', { registers: false })).toBe(false);
      const origins = ['aaaa', 'bbbb', 'aaaa', 'bbbb', 'aaaa', 'bbbb'];
      const tried = await Promise.allSettled(
        origins.map((origin) => requireSameRepository(pool, 'api', origin, { registers: true })),
      );
      const [row] = await queryRows<{ origin: string }>(pool, 'SELECT origin FROM dev_cli.projects');
      expect(tried.map(({ status }) => status)).toEqual(
        origins.map((origin) => (origin === row?.origin ? 'fulfilled' : 'rejected')),
      );
      for (const registers of [true, false])
        await expect(requireSameRepository(pool, 'api', 'cccc', { registers })).rejects.toMatchObject({
          code: 'USAGE',
        });
    });
  });
});
