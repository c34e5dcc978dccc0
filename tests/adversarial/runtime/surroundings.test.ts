import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { imageOf } from '../../support/cli.js';
import { BINARY } from '../../support/project.mjs';
import type { Script } from '../../support/provider.mjs';
import { chosenSeed, numberFrom, seeded } from '../../support/seeded.js';
import { eventually, isRunning } from '../binary/victims.js';
import { beginRun, driveAsAsked, findFaults, readCounter, type Stage } from './stage.js';

// The surroundings of a drive are broken: it ends with a clear error, and once they are repaired the same call goes on.

const seed = chosenSeed();
const FULL = numberFrom('DEV_CLI_TEST_DRIVE_FULL', 2);

const begin = (script?: Parameters<typeof beginRun>[1]) => beginRun(undefined, script);

const preload = (file: string) => `--require=${join(import.meta.dirname, file)}`;

it(`a disk that gets full while a run is driven: IO, and with room again it goes on (${FULL} moments, seed ${seed})`, {
  timeout: 300_000 + FULL * 40_000,
}, async () => {
  const random = seeded(seed);
  let full = 0;
  for (let n = 0; n < FULL; n += 1) {
    const stage = await begin();
    const from = 1 + random.below(500);
    const env = { NODE_OPTIONS: preload('../binary/hooks/full-disk.cjs'), TEST_FULL_FROM: String(from) };
    const first = await stage.startDrive(env).ended;
    // Exit 99: the disk never became full.
    if (first.exit !== 99) full += 1;
    if (first.exit !== 99)
      expect([first.exit, first.json.error?.code], `${from}: ${first.stdout}${first.stderr}`).toEqual([1, 'IO']);
    expect(await findFaults(stage, await stage.drive()), `full from ${from}`).toEqual([]);
  }
  expect(full).toBeGreaterThan(0);
});

it('a .dev that is read-only: IO, nothing is sent, nothing changes', async () => {
  const stage = await begin();
  const image = imageOf(stage.project);
  const { exit, json, stdout, stderr } = await stage.startDrive({ NODE_OPTIONS: preload('read-only.cjs') }).ended;
  expect([exit, json.error?.code, stderr], stdout).toEqual([1, 'IO', '']);
  expect(stage.served.requests).toHaveLength(0);
  expect(imageOf(stage.project)).toEqual(image);
  expect(await findFaults(stage, await stage.drive())).toEqual([]);
});

it('standard input that is closed is no hindrance', async () => {
  const stage = await begin();
  const { child, ended } = stage.startDrive({}, ['sh', '-c', `exec "$0" "$@" <&-`, process.execPath, BINARY]);
  expect(child.pid).toBeGreaterThan(0);
  expect(await findFaults(stage, await ended)).toEqual([]);
});

/** Starts a drive, and sends it a signal once `until` holds. */
async function interrupt(stage: Stage, signal: NodeJS.Signals, until: () => boolean) {
  const { child, ended } = stage.startDrive();
  while (!until() && child.exitCode === null) await sleep(5);
  await sleep(100);
  child.kill(signal);
  return ended;
}

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', (signal) => {
  it.each<[string, Script]>([
    ['while an answer streams', () => ({ fault: 'stall', pings: true })],
    ['before an answer', () => new Promise(() => {})],
    ['while a request waits to be made again', () => ({ fault: { status: 429, retryAfter: 300 } })],
  ])('%s: interrupted, and the same call goes on', async (when, disturb) => {
    let disturbed = false;
    const stage = await begin((project, counter) => {
      const script = driveAsAsked(project, counter);
      return (request, n) => {
        // Disturbs the first session's second request, because no other session is active then.
        if (n !== 1) return script(request, n);
        disturbed = true;
        return disturb(request, n);
      };
    });
    const { exit, json, stderr } = await interrupt(stage, signal, () => disturbed);
    expect([exit, json.status, stderr], JSON.stringify(json)).toEqual([130, 'interrupted', '']);
    const last = await stage.drive();
    expect((await findFaults(stage, last)).filter((fault) => !fault.startsWith('refused: 429'))).toEqual([]);
    // The provider does not charge for refused requests.
    expect(last.json.unanswered).toBe(when === 'while a request waits to be made again' ? 0 : 1);
  });

  it('while a command runs: it goes on, is collected, and what it left behind it ends with it', async () => {
    let pids = '';
    const stage = await begin((project, counter) => {
      const script = driveAsAsked(project, counter);
      pids = join(project.home, 'pids');
      const command = `sleep 1000 & echo $! > ${pids}; sleep 3; echo long >> ${counter}`;
      return (request, n) => (n === 0 ? { calls: [{ name: 'bash', input: { command } }] } : script(request, n));
    });
    const { exit, json } = await interrupt(stage, signal, () => existsSync(pids));
    expect([exit, json.status]).toEqual([130, 'interrupted']);
    const last = await stage.drive();
    expect(await findFaults(stage, last)).toEqual([]);
    expect(readCounter(stage).filter((line) => line === 'long')).toEqual(['long']);
    const left = Number(readFileSync(pids, 'utf8'));
    await eventually('what the command began ends', () => !isRunning(left));
  });
});
