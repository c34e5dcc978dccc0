import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { createFleet } from '../../support/fleet.mjs';
import { createDatabase, dropDatabase } from '../../support/postgres.js';

// Each role has the database privileges that it needs, and no others (fleet.md, Trust).

const url = await createDatabase();
const fleet = createFleet({ url });
const name = new URL(url).pathname.slice(1);
const roles = ['desk', 'worker', 'reader'];

async function tell(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

afterAll(async () => {
  await fleet.end();
  await tell(...roles.map((role) => `DROP ROLE IF EXISTS ${name}_${role}`));
  await dropDatabase(url);
});

it('a desk, a worker and a reader have a user each, who owns nothing', async () => {
  const goals = '  - { id: one, title: One, status: active }\n';
  const desk = fleet.addProject('p', { goals, sessions: { one: [{ write: { 'one.txt': '1\n' } }] } });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const machine = fleet.addMachine('m1');
  const clone = fleet.addClone(desk, 'reader');
  for (const [role, place] of [
    ['desk', desk],
    ['worker', machine],
    ['reader', clone],
  ] as const) {
    const user = `${name}_${role}`;
    await tell(`CREATE ROLE ${user} LOGIN PASSWORD 'x' IN ROLE dev_cli_${role}`);
    place.env['DEV_CLI_DATABASE'] = Object.assign(new URL(url), { username: user, password: 'x' }).href;
  }
  const worker = fleet.start(machine, 'fleet', 'worker');
  const { exit, stderr } = fleet.call(desk, 'auto', '--recursive', '--fleet');
  expect([exit, stderr]).toEqual([0, expect.stringContaining('one')]);
  worker.kill();
  expect((await worker.ended).exit).toBe(130);
  for (const words of [
    'observe',
    'attempt list',
    'queue list',
    'inbox list',
    'events replay',
    'fleet list',
    'fleet export out',
  ]) {
    const called = fleet.call(clone, ...words.split(' '));
    expect([words, called.exit, called.stderr]).toEqual([words, 0, '']);
  }
  expect(fleet.call(clone, 'queue', 'claim', '--worker', 'w', '--json').json).toMatchObject({
    error: { code: 'FLEET_UNAVAILABLE', message: expect.stringContaining('the user lacks a right') },
  });
});
