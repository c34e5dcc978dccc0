import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chosenSeed, numberFrom, seeded } from '../../support/seeded.js';
import { beginRun, doubleLastLine, findFaults } from './stage.js';

// runtime.md, Sessions: a driver is killed at a write to the journal of the run or of a session, and another driver
// continues. No command runs twice, no request is refused because of its history, and the bill contains every answer
// that was received. DEV_CLI_TEST_DRIVE_CUTS sets the number of cuts; `npm run prove:drive` cuts at every write.

const CUTS = numberFrom('DEV_CLI_TEST_DRIVE_CUTS', 4);
const HOOK = join(import.meta.dirname, 'cut.cjs');
const AT = ['before', 'inside', 'behind'] as const;
const seed = chosenSeed();

async function countWrites(): Promise<number> {
  const stage = await beginRun();
  const count = join(stage.project.home, 'count');
  const whole = await stage.startDrive({ NODE_OPTIONS: `--require=${HOOK}`, DEV_CLI_TEST_COUNT: count }).ended;
  expect(await findFaults(stage, whole)).toEqual([]);
  doubleLastLine(stage);
  expect((await findFaults(stage, whole)).join('\n')).toMatch(/^run twice: \w+$/);
  return Number(readFileSync(count, 'utf8'));
}

it(`a driver killed at writes to journals is followed by one that goes on (${CUTS} writes, seed ${seed})`, {
  timeout: 600_000 + CUTS * 20_000,
}, async () => {
  const writes = await countWrites();
  expect(writes).toBeGreaterThan(30);
  const random = seeded(seed);
  const all = Array.from({ length: writes }, (_, index) => index + 1);
  const chosen = CUTS >= writes ? all : Array.from({ length: CUTS }, () => random.pick(all as [number, ...number[]]));
  const found: string[] = [];
  let killed = 0;
  const trial = async (n: number, at: (typeof AT)[number]): Promise<void> => {
    const stage = await beginRun();
    const env = {
      NODE_OPTIONS: `--require=${HOOK}`,
      DEV_CLI_TEST_CUT: String(n),
      DEV_CLI_TEST_CUT_AT: at,
    };
    const first = await stage.startDrive(env).ended;
    if (first.exit === null) killed += 1;
    const last = await stage.drive();
    found.push(...(await findFaults(stage, last)).map((fault) => `write ${n}, ${at}: ${fault}`));
    await stage.close();
  };
  const trials = chosen.flatMap((n) => (CUTS >= writes ? AT : [random.pick(AT)]).map((at) => ({ n, at })));
  const lane = async (): Promise<void> => {
    for (let next = trials.shift(); next !== undefined; next = trials.shift()) await trial(next.n, next.at);
  };
  const size = trials.length;
  await Promise.all([lane(), lane()]);
  console.log(`cut drives, seed ${seed}: ${writes} writes, ${size} trials, ${killed} killed, ${found.length} faults`);
  expect(found, `seed ${seed}`).toEqual([]);
  expect(killed).toBeGreaterThan(0);
});
