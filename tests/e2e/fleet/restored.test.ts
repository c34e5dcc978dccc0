import { afterAll, expect, it } from 'vitest';
import { createFleet, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';

/** The database is older than the branch: somebody restored a backup (fleet.md, Git). */

const fleet = createFleet({ url: await createDatabase(), lease: 5 });
afterAll(() => fleet.end());

const goal = (id: string) => `  - { id: ${id}, title: "Write ${id}", status: active }\n`;
const page = (id: string) => [{ sleep: 1, write: { [`${id}.txt`]: `${id}\n` } }];

it('puts nothing on the branch twice, and reuses no number', async () => {
  const desk = fleet.addProject('restored', {
    goals: ['one', 'two', 'three'].map(goal).join(''),
    sessions: { one: page('one'), two: page('two'), three: page('three') },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const worker = fleet.start(fleet.addMachine('first', { slots: 1 }), 'fleet', 'worker');
  const begun = fleet.start(desk, 'auto', '--recursive', '--fleet');
  await until('one is kept', async () => {
    const { attempts } = await fleet.readState(desk);
    return Object.values(attempts).some(({ state }) => state === 'judging' || state === 'integrating');
  });
  const tables = await fleet.ask("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'dev_cli'");
  for (const { name } of tables) await fleet.ask(`CREATE TABLE public."${name}" AS SELECT * FROM dev_cli."${name}"`);
  await until('two are on the branch', () => fleet.listDone(desk).length >= 2);
  for (const one of [begun, worker]) {
    one.kill('SIGKILL');
    await one.ended;
  }
  const before = [...fleet.listRefs(desk).keys()];
  for (const { name } of tables)
    await fleet
      .ask(`TRUNCATE dev_cli."${name}"`)
      .then(() => fleet.ask(`INSERT INTO dev_cli."${name}" SELECT * FROM public."${name}"`));
  const other = fleet.start(fleet.addMachine('second'), 'fleet', 'worker');
  const { exit, stdout } = await fleet.start(desk, 'auto', '--recursive', '--fleet', '--json').ended;
  expect({ exit, stdout }).toMatchObject({ exit: 0 });
  expect(fleet.listDone(desk).sort()).toEqual(['one', 'three', 'two']);
  expect([...fleet.listRefs(desk).keys()]).toEqual(expect.arrayContaining(before));
  other.kill();
  await other.ended;
});
