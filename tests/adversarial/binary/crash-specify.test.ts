import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { chosenSeed } from '../../support/seeded.js';
import type { Extent } from './crash/points.js';
import { SPECIFY } from './crash/specify.story.js';
import { sweep, table } from './crash/sweep.js';

// storage.md, Proofs: in every command of a whole planning run, the binary is killed before, inside and after each call
// that changes a file. It is then restarted and must continue as if it had never been killed. DEV_CLI_CRASH=all tries
// all these points (hours), =states one for each state that can remain on the disk (minutes); the default is a sample.

const EXTENTS: readonly Extent[] = ['sample', 'states', 'all'];
const extent = EXTENTS.find((each) => each === process.env['DEV_CLI_CRASH']) ?? 'sample';
const lanes = Number(process.env['DEV_CLI_CRASH_LANES'] ?? Math.min(4, availableParallelism()));
const seed = chosenSeed();

it(`a planning run cut at every write goes on as if nothing had been (${extent})`, {
  timeout: 24 * 3_600_000,
}, async () => {
  const report = await sweep({ story: SPECIFY, extent, lanes, seed });
  console.log(`cut planning runs, seed ${seed}. ${table(report, extent)}`);
  expect(report.problems, `seed ${seed}`).toEqual([]);
});
