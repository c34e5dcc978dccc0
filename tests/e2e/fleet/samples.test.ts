import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createFleet, type Desk, digestOf, type Machine, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';
import { CHECKOUT } from '../../support/project.mjs';

// The samples that people copy to start a worker (docs/fleet.md): runs those parts that a shell can run.

const SAMPLES = join(CHECKOUT, 'samples/fleet');
const read = (name: string): string => readFileSync(join(SAMPLES, name), 'utf8');

const fleet = createFleet({ url: await createDatabase() });
afterAll(() => fleet.end());

let desk: Desk;
beforeAll(() => {
  const goals = '  - { id: one, title: Write one, status: active }\n';
  desk = fleet.addProject('api', { goals, sessions: { one: [{ write: { 'one.txt': '1\n' } }] } });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
});

/** Returns the variables that the CI job sets, for a fresh runner. */
function describeJob(name: string, more: NodeJS.ProcessEnv = {}): Machine & { job: NodeJS.ProcessEnv } {
  const machine = fleet.addMachine(name);
  const own = {
    FLEET_PROJECT: desk.project,
    FLEET_REMOTE: desk.remote,
    FLEET_TRUST: `${digestOf(desk)} ${'0'.repeat(64)}`,
  };
  return { ...machine, job: { ...machine.env, ...own, ...more } };
}

it('a job of CI works until nothing is ready', () => {
  const { job, config } = describeJob('runner');
  const done = spawnSync('sh', [join(SAMPLES, 'ci.sh')], { env: job, encoding: 'utf8' });
  expect([done.status, done.stdout]).toEqual([0, expect.stringContaining('attempts carried on: 0')]);
  const [first, second] = (job['FLEET_TRUST'] ?? '').split(' ');
  expect(parse(readFileSync(config, 'utf8'))).toEqual({
    slots: 2,
    projects: [{ project: 'api', remote_url: desk.remote, trust: [first, second] }],
  });
});

it('a job of CI works for its minutes, and what it gives is on the branch', async () => {
  const { job } = describeJob('longer', { FLEET_MINUTES: '0.2', FLEET_SLOTS: '1' });
  const child = spawn('sh', [join(SAMPLES, 'ci.sh')], { env: job, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const auto = await fleet.start(desk, 'auto', '--fleet', '--recursive').ended;
  expect([auto.exit, fleet.listDone(desk)]).toEqual([0, ['one']]);
  expect(await ended).toBe(0);
});

it('a service runs until its signal of the unit, which it takes for no failure', async () => {
  const unit = new Map(
    read('dev-cli-worker.service')
      .split('\n')
      .flatMap((line) => (/^\w+=/.test(line) ? [line.split(/=(.*)/s).slice(0, 2) as [string, string]] : [])),
  );
  const [program = '', ...words] = unit.get('ExecStart')?.split(' ') ?? [];
  const { env } = fleet.addMachine('service');
  const child = spawn(program, words, { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('close', resolve));
  await until(
    'the worker is known',
    async () => (await fleet.ask("SELECT FROM dev_cli.workers WHERE worker = 'service'")).length > 0,
  );
  child.kill(unit.get('KillSignal') as NodeJS.Signals);
  expect(String(await ended)).toBe(unit.get('SuccessExitStatus'));
});

it('the workflow gives the job what it reads, and its lines are lines of a shell', () => {
  const { jobs } = parse(read('github-actions.yml')) as {
    jobs: { worker: { steps: { run?: string; env?: Record<string, unknown> }[] } };
  };
  const steps = jobs.worker.steps.filter(({ run }) => run !== undefined);
  for (const { run = '' } of steps) execFileSync('sh', ['-n', '-c', run]);
  const given = Object.keys(steps.at(-1)?.env ?? {});
  const needed = [...read('ci.sh').matchAll(/^# {3}(\w+) /gm)].map(([, name]) => name);
  expect(needed.length).toBeGreaterThan(4);
  expect(needed.filter((name) => !given.includes(name ?? ''))).toEqual(['FLEET_SLOTS']);
});
