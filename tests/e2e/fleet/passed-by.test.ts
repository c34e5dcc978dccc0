import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createFleet, type Machine, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';

/**
 * An attempt that a worker does not take (no trust, no tool, no repository) blocks nothing else, and people learn why
 * (fleet.md, Commands).
 */

const fleet = createFleet({ url: await createDatabase(), lease: 5 });
afterAll(() => fleet.end());

const goal = '  - { id: one, title: "Write one", status: active }\n';
const listWaiting = (machine: Machine): object[] => fleet.call(machine, 'fleet', 'list', '--json').json.waiting;

it('tells at the desk and in the list why no worker goes on with an attempt: no trust, no tool', async () => {
  const config = 'test_command: "true"\nai_tool: no-such-agent {prompt_file}\n';
  const desk = fleet.addProject('waits', { goals: goal, sessions: {}, config });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const [distrusts, lacks] = [fleet.addMachine('distrusts', { trust: ['a'.repeat(64)] }), fleet.addMachine('lacks')];
  const workers = [distrusts, lacks].map((machine) => fleet.start(machine, 'fleet', 'worker'));
  await until('both are there', () => fleet.call(desk, 'fleet', 'list', '--json').json.workers.length === 2);
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet');
  await until('the desk says why it waits', () =>
    auto.told().includes('one#1 waits, because every worker passes it by'),
  );
  expect(auto.told()).toContain('distrusts: its commands are not trusted here');
  expect(auto.told()).toContain('lacks: The tool no-such-agent was not found.');
  expect(auto.told().split('because every worker')).toHaveLength(2);
  expect(listWaiting(lacks)).toMatchObject([{ project: 'waits', attempt: 'one#1' }]);
  // No worker has begun the attempt, so it is still the goal's first.
  expect((await fleet.readState(desk)).attempts).toMatchObject({ 'one#1': { state: 'preparing' } });
  auto.kill();
  for (const worker of workers) worker.kill();
  await Promise.all([auto, ...workers].map(({ ended }) => ended));
});

it('works for other projects where one cannot be had, and lets no wrong address say which repository a project is', async () => {
  const desk = fleet.addProject('had', { goals: goal, sessions: { one: [{ write: { 'one.txt': 'one\n' } }] } });
  const stranger = fleet.addProject('stranger', { sample: 'todo-api', goals: '', sessions: {} });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const wrong = fleet.addMachine('wrong', { trust: [] });
  writeFileSync(
    wrong.config,
    `name: wrong\nlease_seconds: 5\nprojects: [{ project: had, remote_url: "${stranger.remote}" }]\n`,
  );
  const misled = fleet.start(wrong, 'fleet', 'worker');
  await until('it is known that its desk has not begun', () =>
    JSON.stringify(listWaiting(wrong)).includes('no desk of this project has started yet'),
  );
  const machine = fleet.addMachine('partly');
  const away = `  - { project: away, remote_url: "${join(fleet.base, 'away.git')}" }\n`;
  writeFileSync(machine.config, readFileSync(machine.config, 'utf8').replace('projects:\n', `projects:\n${away}`));
  const worker = fleet.start(machine, 'fleet', 'worker');
  const { exit, stdout } = await fleet.start(desk, 'auto', '--recursive', '--fleet', '--json').ended;
  expect({ exit, stdout }).toMatchObject({ exit: 0 });
  expect(fleet.listDone(desk)).toEqual(['one']);
  await until('the wrong address is told', () => misled.told().includes('belongs to another repository'));
  await until('both are in the list', () => listWaiting(machine).length >= 2);
  expect(listWaiting(machine)).toEqual(
    expect.arrayContaining([
      { project: 'away', attempt: null, reason: expect.stringMatching(/^not on partly: .*git/) },
      { project: 'had', attempt: null, reason: expect.stringMatching(/^not on wrong: .*another repository/) },
    ]),
  );
  for (const one of [misled, worker]) one.kill();
  expect((await worker.ended).exit).toBe(130);
  await misled.ended;
  // With `--once`, as in a CI job, the worker does what it can, then fails because of the missing remote.
  const once = fleet.call(machine, 'fleet', 'worker', '--once', '--json');
  expect({ exit: once.exit, code: once.json.error?.code }).toEqual({ exit: 1, code: 'GIT_FAILED' });
  // The missing remote is back.
  execFileSync('git', ['clone', '--quiet', '--bare', stranger.remote, join(fleet.base, 'away.git')]);
  expect(fleet.call(machine, 'fleet', 'worker', '--once').exit).toBe(0);
});
