import { availableParallelism } from 'node:os';
import fastGlob from 'fast-glob';
import { defineConfig } from 'vitest/config';
import { LongestFirst, SECONDS } from './tests/support/longest-first.js';
import { chosenSeed, numberFrom, SEED, seeded } from './tests/support/seeded.js';

// Chosen here, since the samples depend on it as well.
const seed = chosenSeed();
process.env[SEED] = String(seed);

/** Rooms and wings. */
const ROOMS = ['tests/{core,wings,conformance}/**/*.test.ts'];

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
 * show that a test can fail. So `npm test` ends in time with an eighth of the stories and of the long files of rooms and wings,
 * `npm run verify` with half of them and a sixth of the proofs; `npm run test:all` and `npm run prove` take all, and so does a call
 * that names files.
 */
function sample(patterns: string[], variable: string, { ignore = [], keep = () => false }: Options = {}): string[] {
  const every = numberFrom(variable, 1);
  if (every <= 1 || process.argv.some((word) => word.includes('.test'))) return patterns;
  const files = fastGlob.sync(patterns, { cwd: import.meta.dirname, ignore }).toSorted();
  // One after the other by what they take, so that no sample has all the long ones.
  const drawn = files.filter((file) => !keep(file)).toSorted((one, other) => secondsOf(other) - secondsOf(one));
  // Not the seed's own remainder, by which tests choose, so that a file that is taken does not always choose the same.
  const first = seeded(seed).below(every);
  const taken = new Set(drawn.filter((_, at) => at % every === first));
  return files.filter((file) => taken.has(file) || keep(file) || file.includes('planted'));
}

interface Options {
  ignore?: string[];
  /** Whether a file is always taken. */
  keep?: (file: string) => boolean;
}

const secondsOf = (file: string) => SECONDS[file] ?? 0;
const SHARE = 'DEV_CLI_TEST_SHARE';

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
      {
        extends: true,
        test: { name: 'core', include: sample(ROOMS, SHARE, { keep: (file) => secondsOf(file) === 0 }) },
      },
      {
        extends: true,
        test: { name: 'stories', include: sample(STORIES, SHARE, { ignore: PROOFS }), exclude: PROOFS },
      },
      // Some bend node:fs.
      { extends: true, test: { name: 'proofs', include: sample(PROOFS, 'DEV_CLI_TEST_PROOFS'), isolate: true } },
    ],
  },
});
