import { availableParallelism } from 'node:os';
import fastGlob from 'fast-glob';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/support/longest-first.js';
import { chosenSeed, numberFrom, SEED, seeded } from './tests/support/seeded.js';

// Chosen here, since the samples depend on it as well.
const seed = chosenSeed();
process.env[SEED] = String(seed);

/** Whole runs and black boxes. */
const STORIES = ['tests/{contract,e2e}/**/*.test.ts'];

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
 * Returns what to run of the files that match. If the variable is N, that is every Nth file, as the seed says, and always those that
 * show that a test can fail. So `npm test` ends in time with a fourth of the stories, `npm run verify` with half of them and a sixth
 * of the proofs; `npm run test:all` and `npm run prove` take all, and so does a call that names files.
 */
function sample(patterns: string[], variable: string, ignore: string[] = []): string[] {
  const every = numberFrom(variable, 1);
  if (every <= 1 || process.argv.some((word) => word.includes('.test'))) return patterns;
  const files = fastGlob.sync(patterns, { cwd: import.meta.dirname, ignore }).toSorted();
  // Not the seed's own remainder, by which tests choose, so that a file that is taken does not always choose the same.
  const first = seeded(seed).below(every);
  return files.filter((file, at) => at % every === first || file.includes('planted'));
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
    // What has not changed is not compiled again: a file alone starts in a third of the time.
    experimental: { fsModuleCache: true },
    globalSetup: 'tests/support/build.ts',
    setupFiles: 'tests/support/setup.ts',
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'core', include: ['tests/{core,wings,conformance}/**/*.test.ts'] } },
      {
        extends: true,
        test: { name: 'stories', include: sample(STORIES, 'DEV_CLI_TEST_STORIES', PROOFS), exclude: PROOFS },
      },
      // Some bend node:fs.
      { extends: true, test: { name: 'proofs', include: sample(PROOFS, 'DEV_CLI_TEST_PROOFS'), isolate: true } },
    ],
  },
});
