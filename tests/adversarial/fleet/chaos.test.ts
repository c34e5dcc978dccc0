import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { createFleet, type Machine, type Started } from '../../support/fleet.mjs';
import { replayJournal } from '../../support/journal-reader.mjs';
import { startServer } from '../../support/postgres-server.mjs';
import { chosenSeed, numberFrom, seeded } from '../../support/seeded.js';

/**
 * Machines, their desk and their database are lost at any moment (fleet.md, Leases, loss). `npm run prove:fleet` runs
 * longer.
 */

const GOALS = numberFrom('DEV_CLI_TEST_FLEET_GOALS', 6);
const KILLS = numberFrom('DEV_CLI_TEST_FLEET_KILLS', 6);
const OUTAGES = numberFrom('DEV_CLI_TEST_FLEET_OUTAGES', 1);
/** Seconds without a heartbeat after which a machine counts as lost. */
const LEASE = 5;
const LONGEST = 60 + GOALS * 4 + KILLS * 8 + OUTAGES * 20;

const server = await startServer({ durable: true });
const fleet = createFleet({ url: server.url, lease: LEASE });
let isOver = false;
afterAll(async () => {
  isOver = true;
  await fleet.end();
  await server.stop();
});

const names = Array.from({ length: GOALS }, (_, at) => `g${at + 1}`);
const random = seeded(chosenSeed());

function open() {
  const desk = fleet.addProject('chaos', {
    config:
      'test_command: "sleep 0.3"\nworktree_setup: ["sleep 0.1"]\nbackoff_minutes: [0.01, 0.01, 0.01]\nlimits: { sessions: 100000 }\n',
    goals: names.map((id) => `  - { id: ${id}, title: "Write ${id}", status: active }\n`).join(''),
    sessions: Object.fromEntries(
      names.map((id) => [id, [{ sleep: random.below(4) / 2, write: { [`${id}.txt`]: `${id}\n` } }]]),
    ),
  });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  return desk;
}

/** Simulates a power loss of a machine: kills every process that its worker started. */
function endAllOf(home: string): void {
  if (!existsSync('/proc/self/environ')) return;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`\0HOME=${home}\0`))
        process.kill(Number(pid), 'SIGKILL');
    } catch {
      // The process has ended meanwhile, or belongs to somebody else.
    }
  }
}

/** Restarts a process whenever it ends, as a service manager does. */
function keepUp(start: () => Started, told: string[]) {
  let [isLast, now] = [false, start()];
  const ended = (async () => {
    while (!isLast) {
      const { exit } = await now.ended;
      told.push(`${exit}`);
      if (isLast || isOver) return;
      await sleep(300);
      now = start();
    }
  })();
  return {
    kill: (signal: NodeJS.Signals) => now.kill(signal),
    async end() {
      // If the process has just ended by itself, waits until it has been restarted, so that the signals reach it.
      await sleep(1_000);
      isLast = true;
      now.kill('SIGCONT');
      now.kill('SIGTERM');
      await ended;
      return (await now.ended).exit;
    },
  };
}

it(`loses and doubles nothing: ${GOALS} goals, ${KILLS} losses`, { timeout: LONGEST * 1_000 + 60_000 }, async () => {
  const desk = open();
  const told: string[] = [];
  const machines: Machine[] = ['w1', 'w2', 'w3'].map((name) => fleet.addMachine(name));
  const workers = machines.map((machine) => keepUp(() => fleet.start(machine, 'fleet', 'worker'), told));
  let isDone = false;
  let auto: Started | undefined;
  const desks = (async () => {
    for (;;) {
      auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
      const { exit, stdout } = await auto.ended;
      if (exit === 0 || isOver) return stdout;
      told.push(`desk ${exit} ${stdout}`);
      await sleep(300);
    }
  })().finally(() => {
    isDone = true;
  });

  let lost = 0;
  const lose = async (): Promise<void> => {
    await sleep(200 + random.below(1_500));
    const at = random.below(workers.length);
    const worker = workers[at];
    lost += 1;
    switch (random.pick(['kill', 'kill', 'stop', 'stop', 'crash', 'end', 'desk'] as const)) {
      case 'kill':
        return worker?.kill('SIGKILL');
      case 'end':
        return worker?.kill('SIGTERM');
      case 'crash':
        worker?.kill('SIGKILL');
        return endAllOf(machines[at]?.root ?? '-');
      case 'desk':
        return void auto?.kill('SIGKILL');
      case 'stop':
        worker?.kill('SIGSTOP');
        await sleep(500 + random.below(2 * LEASE * 1_000));
        return worker?.kill('SIGCONT');
    }
  };
  const losses = (async () => {
    for (let left = KILLS; left > 0 && !isDone; left -= 1) await lose();
  })();
  const outages = (async () => {
    for (let left = OUTAGES; left > 0 && !isDone; left -= 1) {
      await sleep(1_000 + random.below(6_000));
      await server.kill();
      await sleep(300 + random.below(random.chance(0.3) ? 2 * LEASE * 1_000 : 2_000));
      await server.start();
    }
  })();
  const said = await Promise.race([desks, sleep(LONGEST * 1_000).then(() => null)]);
  await Promise.all([losses, outages]);
  const state = await fleet.readState(desk);
  console.log(`${lost} losses until all was settled`);
  const how = `${JSON.stringify(state.attempts)} ${told.join('\n')}`;
  expect(said, how).not.toBeNull();
  expect(fleet.listDone(desk).sort()).toEqual([...names].sort());
  expect(state.attempts).toEqual({});

  const ends = await Promise.all(workers.map((worker) => worker.end()));
  expect(ends).toEqual([130, 130, 130]);
  const { leases } = await fleet.readState(desk);
  expect(leases.filter(({ status }) => status === 'active')).toEqual([]);

  // No transition occurs twice, and no loss of a machine counts against an attempt.
  const written = join(fleet.base, 'written');
  expect(fleet.call(desk, 'fleet', 'export', written).exit).toBe(0);
  expect(replayJournal(written)).toEqual([]);
  const entries = readFileSync(join(written, 'events.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(
      (line) => JSON.parse(line) as { type?: string; data?: { id?: string; event?: string; classification?: string } },
    );
  const once = ['PREPARED', 'ENDED', 'SAVED', 'ACCEPT', 'INTEGRATED', 'OVER', undefined];
  const arrows = entries
    .filter(({ type, data }) => (type === 'attempt' || type === 'settled') && once.includes(data?.event))
    .map(({ type, data }) => `${type} ${data?.id} ${data?.event}`);
  expect(arrows.filter((one, at) => arrows.indexOf(one) !== at)).toEqual([]);
  const ended = entries.filter(({ type }) => type === 'settled').map(({ data }) => data?.classification ?? '');
  expect(ended.filter((one) => one === 'complete')).toHaveLength(GOALS);
  expect(
    ended.filter((one) => one !== 'complete' && one !== 'interrupted'),
    how,
  ).toEqual([]);
});
