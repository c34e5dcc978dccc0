import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import type { Extent } from './crash/points.js';
import { SPECIFY } from './crash/specify.story.js';
import { sweep, table } from './crash/sweep.js';

// storage.md, Proofs: the binary is killed before, inside and after each call that changes a file, in every command of a whole
// planning run; it is started again and goes on as if nothing had been.

const wanted = process.env['DEV_CLI_CRASH'];
const extent: Extent = wanted === 'all' ? 'all' : 'states';
const left = wanted === undefined ? '; skipped: takes minutes, DEV_CLI_CRASH=states or =all runs it' : '';

it.skipIf(left !== '')(
  `a planning run cut at every write goes on as if nothing had been (${extent}${left})`,
  {
    timeout: 24 * 3_600_000,
  },
  async () => {
    const report = await sweep({
      story: SPECIFY,
      extent,
      lanes: Number(process.env['DEV_CLI_CRASH_LANES'] ?? Math.min(4, availableParallelism())),
    });
    console.log(table(report, extent));
    expect(report.problems).toEqual([]);
  },
);
