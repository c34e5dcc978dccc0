import { afterAll, expect, it } from 'vitest';
import { createFleet, until } from '../../support/fleet.mjs';
import { buildNext } from '../../support/next-version.mjs';
import { createDatabase } from '../../support/postgres.js';

/** Workers and desks of two versions side by side (fleet.md, Upgrades). */

const fleet = createFleet({ url: await createDatabase(), lease: 5 });
afterAll(() => fleet.end());
const binary = await buildNext();

const goal = (id: string) => `  - { id: ${id}, title: "Write ${id}", status: active }\n`;
const page = (id: string) => [{ write: { [`${id}.txt`]: `${id}\n` } }];

it('each worker takes what desks of its own version began, and a new desk hands over what is open', async () => {
  const desk = fleet.addProject('versions', { goals: goal('one'), sessions: { one: page('one') } });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const next = fleet.start({ ...fleet.addMachine('next'), binary }, 'fleet', 'worker');
  const old = fleet.addMachine('old');
  const first = fleet.start(desk, 'auto', '--recursive', '--fleet');
  const waiting = await until('it is said why it waits', () => {
    const { waiting: rows } = fleet.call(desk, 'fleet', 'list', '--json').json;
    const ofAttempts = rows.filter(({ attempt }: { attempt: string | null }) => attempt !== null);
    return ofAttempts.length > 0 && ofAttempts;
  });
  expect(waiting).toMatchObject([
    { attempt: 'one#1', reason: expect.stringMatching(/with version 1 of the steps; this one has 2/) },
  ]);
  // A worker of the desk's own version carries the attempt on, while the newer worker also runs.
  expect(fleet.call(old, 'fleet', 'worker', '--once').exit).toBe(0);
  await first.ended;
  expect(fleet.listDone(desk)).toEqual(['one']);

  const second = fleet.addProject('handed-over', { goals: goal('two'), sessions: { two: page('two') } });
  const both = fleet.start({ ...fleet.addMachine('newer'), binary }, 'fleet', 'worker');
  const begun = fleet.start(second, 'auto', '--recursive', '--fleet');
  await until('it is begun', async () => (await fleet.readState(second)).attempts['two#1'] !== undefined);
  begun.kill('SIGKILL');
  await begun.ended;
  expect(fleet.listDone(second)).toEqual([]);
  const { exit } = await fleet.start({ ...second, binary }, 'auto', '--recursive', '--fleet', '--json').ended;
  expect(exit).toBe(0);
  expect(fleet.listDone(second)).toEqual(['two']);
  expect(fleet.listSessions(second)).toEqual(['two']);
  for (const worker of [next, both]) worker.kill();
  expect((await next.ended).exit).toBe(130);
});
