import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createFleet, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';

/** The desk of a project: only one at a time, and workers continue without it (fleet.md, Leases, loss). */

const fleet = createFleet({ url: await createDatabase(), lease: 5 });
afterAll(() => fleet.end());

const goal = (id: string) => `  - { id: ${id}, title: "Write ${id}", status: active }\n`;
const session = (id: string, sleep: number) => [{ sleep, write: { [`${id}.txt`]: `${id}\n` } }];

it('may be killed: workers go on to the branch, and the next call settles what it finds', async () => {
  const desk = fleet.addProject('killed', {
    goals: ['one', 'two'].map(goal).join(''),
    sessions: { one: session('one', 2), two: session('two', 2) },
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const worker = fleet.start(fleet.addMachine('first'), 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet');
  await until('both sessions are under way', () => fleet.listSessions(desk).length === 2);
  auto.kill('SIGKILL');
  await auto.ended;
  await until('both are on the branch', () => fleet.listDone(desk).length === 2);
  expect(fleet.call(desk, 'observe', '--json').json.goals).toMatchObject([{ status: 'active' }, { status: 'active' }]);
  // The root whose desk was killed may start a desk again at once.
  const { exit, stdout } = await fleet.start(desk, 'auto', '--recursive', '--fleet', '--json').ended;
  expect({ exit, stdout }).toMatchObject({ exit: 0 });
  expect(fleet.call(desk, 'observe', '--json').json.goals).toMatchObject([{ status: 'done' }, { status: 'done' }]);
  expect(fleet.listDone(desk).sort()).toEqual(['one', 'two']);
  expect(fleet.listSessions(desk).sort()).toEqual(['one', 'two']);
  worker.kill();
  await worker.ended;
});

it('is one root at a time; what another one asks shows the same', async () => {
  const desk = fleet.addProject('twice', { goals: goal('three'), sessions: { three: session('three', 1) } });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const clone = fleet.addClone(desk, 'clone');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  await until('it is begun', async () => (await fleet.readState(desk)).attempts['three#1'] !== undefined);
  // The desk's name does not depend on the boot, so that it is recognized after a restart of its machine.
  const [row] = await fleet.ask("SELECT desk FROM dev_cli.projects WHERE project = 'twice'");
  expect(row.desk).toMatch(/^[\w.-]+-[0-9a-f]{6}:\//);
  expect(row.desk.endsWith(`:${desk.root}`)).toBe(true);
  const refused = fleet.call(clone, 'auto', '--recursive', '--fleet', '--json');
  expect({ exit: refused.exit, code: refused.json.error.code }).toEqual({ exit: 4, code: 'LOCKED' });
  const worker = fleet.start(fleet.addMachine('second'), 'fleet', 'worker');
  await until('it is seen from there', () => {
    const { batch, attempts } = fleet.call(clone, 'observe', '--json').json;
    return (
      batch.running && attempts.some(({ id, state }: Record<string, string>) => id === 'three#1' && state === 'session')
    );
  });
  expect((await auto.ended).exit).toBe(0);
  // The ended `auto` is no longer the project's desk, so another root may become the desk.
  const later = fleet.call(clone, 'auto', '--recursive', '--fleet', '--json');
  expect(later.json.error?.code).not.toBe('LOCKED');
  worker.kill();
  await worker.ended;
});

it('writes nothing where another root has taken its place while it stood still', async () => {
  const desk = fleet.addProject('asleep', { goals: goal('five'), sessions: { five: session('five', 1) } });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const worker = fleet.start(fleet.addMachine('fourth'), 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  await until('a session is under way', () => fleet.listSessions(desk).length === 1);
  auto.kill('SIGSTOP');
  await fleet.ask("UPDATE dev_cli.projects SET desk = 'another root' WHERE project = 'asleep'");
  await until('it is to be settled', async () => {
    const { attempts } = await fleet.readState(desk);
    return attempts['five#1']?.state === 'settling';
  });
  auto.kill('SIGCONT');
  const { exit, stdout } = await auto.ended;
  expect({ exit, code: JSON.parse(stdout).error?.code }).toEqual({ exit: 4, code: 'LOCKED' });
  expect(readFileSync(join(desk.root, '.ai/goals.yaml'), 'utf8')).toContain('status: active');
  expect((await fleet.readState(desk)).attempts['five#1']?.state).toBe('settling');
  worker.kill();
  await worker.ended;
});

it('ends at a signal, and leaves what workers have to them', async () => {
  const desk = fleet.addProject('told', { goals: goal('four'), sessions: { four: session('four', 3) } });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const worker = fleet.start(fleet.addMachine('third'), 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  await until('a session is under way', () => fleet.listSessions(desk).length === 1);
  auto.kill();
  expect((await auto.ended).exit).toBe(130);
  await until('it is on the branch', () => fleet.listDone(desk).length === 1);
  worker.kill();
  await worker.ended;
});
