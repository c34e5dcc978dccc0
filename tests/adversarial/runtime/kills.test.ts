import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { git } from '../../support/loop.js';
import { chosenSeed, numberFrom, type Random, seeded } from '../../support/seeded.js';
import { beginRun, type Ended, findFaults, RUN, readCounter, type Stage } from './stage.js';

// runtime.md, Sessions: the driver of an execution is killed at random instants. At the end each todo is committed
// once, no command ran twice, and the tests pass. DEV_CLI_TEST_DRIVE_KILLS sets the number of kills (`npm run
// prove:drive`: 100).

const KILLS = numberFrom('DEV_CLI_TEST_DRIVE_KILLS', 4);
/** How often one execution's driver is killed before the execution may complete. */
const KILLS_A_RUN = 5;
/** A driver is killed after at most REQUESTS requests, and up to LATEST milliseconds later. */
const REQUESTS = 6;
const LATEST = 400;
const LANES = 2;
const seed = chosenSeed();

async function begin(): Promise<Stage> {
  const stage = await beginRun();
  expect((await stage.drive()).exit).toBe(0);
  const execution = ['--execute', '--quick', '--set', 'approve_commands=auto'];
  expect((await stage.run('init', RUN, ...execution)).exit).toBe(0);
  return stage;
}

async function findExecutionFaults(stage: Stage, last: Ended): Promise<string[]> {
  const { project } = stage;
  const tasks = git(project, 'log', '--format=%(trailers:key=Dev-Cli-Task,valueonly)').split('\n').filter(Boolean);
  const faults = await findFaults(stage, last);
  if (new Set(tasks).size !== tasks.length) faults.push(`committed twice: ${tasks}`);
  if (tasks.length !== 5) faults.push(`${tasks.length} commits: ${tasks}`);
  const status = git(project, 'status', '--porcelain');
  if (status !== '?? .dev/' && status !== '?? .dev/\n') faults.push(`the tree: ${status}`);
  try {
    execFileSync('npm', ['test'], { cwd: project.root, env: project.env, stdio: 'pipe' });
  } catch (error) {
    faults.push(`npm test: ${error}`);
  }
  return faults;
}

async function disturbed(random: Random, kills: number, tally: { kills: number }): Promise<string[]> {
  const stage = await begin();
  const instants: string[] = [];
  for (let n = 0; n < kills; n += 1) {
    const [requests, after] = [random.below(REQUESTS), Math.round(random.unit() * LATEST)];
    instants.push(`${requests} requests and ${after} ms`);
    const { child, ended } = stage.startDrive();
    const from = stage.served.requests.length;
    while (child.exitCode === null && stage.served.requests.length < from + requests) await sleep(5);
    await Promise.race([sleep(after), ended]);
    if (child.kill('SIGKILL')) tally.kills += 1;
    await ended;
  }
  const found = await findExecutionFaults(stage, await stage.drive());
  await stage.close();
  return found.map((fault) => `killed after ${instants.join(', ')}: ${fault}`);
}

it(`a driver of an execution killed at random instants is followed by one that goes on (${KILLS} kills, seed ${seed})`, {
  timeout: 600_000 + KILLS * 30_000,
}, async () => {
  const tally = { kills: 0 };
  let left = KILLS;
  const faults = await Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      const random = seeded(seed + lane);
      const found: string[] = [];
      while (left > 0) {
        const kills = Math.min(left, KILLS_A_RUN);
        left -= kills;
        found.push(...(await disturbed(random, kills, tally)));
      }
      return found;
    }),
  );
  console.log(`kill -9 of drives, seed ${seed}: ${tally.kills} of ${KILLS} hit`);
  expect(faults.flat(), `seed ${seed}`).toEqual([]);
  expect(tally.kills).toBeGreaterThan(0);
});

it('what is lost or doubled is found', async () => {
  const stage = await begin();
  const last = await stage.drive();
  expect(await findExecutionFaults(stage, last)).toEqual([]);
  expect(readCounter(stage).length).toBeGreaterThan(8);
  const message = git(stage.project, 'log', '-1', '--format=%B');
  git(stage.project, 'commit', '--quiet', '--allow-empty', '--message', message);
  expect((await findExecutionFaults(stage, last)).join('\n')).toMatch(/^committed twice: .+\n6 commits/);
});
