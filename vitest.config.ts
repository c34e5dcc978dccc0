import { availableParallelism } from 'node:os';
import fastGlob from 'fast-glob';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/support/longest-first.js';

/** What proves by many tries, or by doing to the program and its files what nobody should: `npm run prove`. */
const PROOFS = [
  'tests/adversarial/**/*.test.ts',
  'tests/e2e/{amnesia*,golden}.test.ts',
  'tests/e2e/fleet/{clocks,lost,outage,passed-by,restart,restored,schema-dropped}.test.ts',
  'tests/conformance/mutants.test.ts',
  // Each adds something made up to a copy of the program.
  'tests/contract/{block-type,wing}.test.ts',
  'tests/contract/harness/fourth.test.ts',
];

/**
 * The files of the proofs. `npm run verify` takes every sixth one of them, as the seed of its tree says, so that it ends in time on
 * two cores: what shows that a proof can fail is always among them, and `npm run prove` takes all.
 */
function listProofs(): string[] {
  if (process.env['DEV_CLI_TEST_PROOFS'] !== 'sixth') return PROOFS;
  const first = Number(process.env['DEV_CLI_TEST_SEED'] ?? 0) % 6;
  const files = fastGlob.sync(PROOFS, { cwd: import.meta.dirname }).toSorted();
  return files.filter((file, at) => at % 6 === first || file.includes('planted'));
}

export default defineConfig({
  test: {
    // A hang is found as well; a busy machine is not one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Most tests wait for more than half of their time, for processes that they started or for time to pass: a core is kept busy by
    // two workers, where there are few cores. A worker takes some 300 MB.
    maxWorkers: Math.max(availableParallelism() + 1, Math.min(2 * availableParallelism() + 1, 9)),
    // Tests of a file that are made at once wait together.
    maxConcurrency: 24,
    // Files share what they import, and the front door; none leaves behind what another would find.
    isolate: false,
    globalSetup: 'tests/support/build.ts',
    setupFiles: 'tests/support/setup.ts',
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'core', include: ['tests/{core,wings,conformance}/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'stories', include: ['tests/{contract,e2e}/**/*.test.ts'], exclude: PROOFS },
      },
      // Some bend node:fs.
      { extends: true, test: { name: 'proofs', include: listProofs(), isolate: true } },
    ],
  },
});
