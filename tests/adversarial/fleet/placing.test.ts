import { execFileSync } from 'node:child_process';
import fs, { existsSync, readdirSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeRun } from '../../../src/wings/fleet/place-run.js';
import { devCli } from '../../support/cli.js';
import { callDoor } from '../../support/door.js';
import {
  addAttemptTree,
  askNext,
  contextOn,
  type Machine,
  openAtGate,
  RUN,
  translate,
} from '../../wings/fleet/moving.js';

/** A machine that stops while it places a run (fleet.md, An attempt). */

/** The functions that change files. */
const CHANGING = [
  ...['writeSync', 'writeFileSync', 'fsyncSync', 'ftruncateSync', 'renameSync', 'linkSync', 'unlinkSync'],
  ...['mkdirSync', 'rmdirSync', 'rmSync', 'chmodSync'],
] as const;

/**
 * Runs `work` until its n-th change of a file. From there on all changes fail, so, as on a dead machine, nothing is
 * cleaned up.
 * @returns whether `work` ended before that
 */
async function dieAt(n: number, work: () => Promise<void>): Promise<boolean> {
  const files = fs as unknown as Record<string, (...given: unknown[]) => unknown>;
  const before = new Map(CHANGING.map((name) => [name, files[name] as (...given: unknown[]) => unknown]));
  let count = 0;
  for (const [name, real] of before) {
    files[name] = (...given) => {
      count += 1;
      if (count >= n) throw new Error('the machine has stopped');
      return real(...given);
    };
  }
  syncBuiltinESMExports();
  try {
    await work();
    return count < n;
  } catch (error) {
    if (count < n) throw error;
    return false;
  } finally {
    Object.assign(files, Object.fromEntries(before));
    syncBuiltinESMExports();
  }
}

/**
 * Removes the locks that the simulated death left. Their owner is this test process, which still runs, so no call would
 * break them.
 */
function breakLocks(machine: Machine): void {
  for (const path of ['.dev', `.dev/specs/${RUN}`]) {
    if (!existsSync(join(machine.root, path))) continue;
    for (const name of readdirSync(join(machine.root, path)))
      if (/^lock(\.|$)/.test(name)) rmSync(join(machine.root, path, name));
  }
}

/**
 * What the machine has of the run before it takes the run up: nothing, an earlier state, or a later state, which it
 * made under a claim that has ended since.
 */
const BEFORE = ['nothing', 'an earlier state', 'a later state'] as const;

describe('taking a run up', () => {
  it.each(BEFORE)(
    'on %s, cut off at any change of a file, leaves no half of a run, and succeeds when repeated',
    {
      timeout: 600_000,
    },
    async (before) => {
      const { here, there, freight, earlier, placing, base } = await openAtGate();
      const asked = { ...placing, ahead: 'discard' as const };
      const home = join(there.root, '.dev');
      const kept = join(there.home, 'kept');
      if (before === 'an earlier state') await placeRun(contextOn(there), RUN, earlier, asked);
      if (before === 'a later state') {
        await placeRun(contextOn(there), RUN, freight, asked);
        await addAttemptTree(there, base);
        const again = { argv: ['approve', RUN, '--choice', 'again'], cwd: there.root, env: there.env };
        expect(callDoor({ ...again, typed: ['yes', 'more'] })).toMatchObject({ exit: 0 });
      }
      if (existsSync(home)) execFileSync('cp', ['-a', home, kept]);
      const wanted = translate(askNext(here).answer, here, there);
      const place = () => placeRun(contextOn(there), RUN, freight, asked);
      let n = 1;
      for (let isOver = false; !isOver; n += 1) {
        rmSync(home, { recursive: true, force: true });
        if (existsSync(kept)) execFileSync('cp', ['-a', kept, home]);
        isOver = await dieAt(n, place);
        breakLocks(there);
        // There is either no run or a whole one.
        const found = devCli(there, ['replay', RUN, '--check', '--json']);
        expect([found.code, found.json?.error?.code], `${n}: ${found.stdout}`).toBeOneOf([
          [0, undefined],
          [2, 'NO_SUCH_RUN'],
          // The journal is in place, but the documents that it names are not yet.
          [3, undefined],
        ]);
        await place();
        expect(askNext(there).answer, `${n}`).toBe(wanted);
        expect(devCli(there, ['replay', RUN, '--check']).code, `${n}`).toBe(0);
        expect(readdirSync(join(home, 'specs')), `${n}`).toEqual([RUN]);
      }
      expect(n).toBeGreaterThan(20);
    },
  );
});
