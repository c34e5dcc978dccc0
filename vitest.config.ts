import { defineConfig } from 'vitest/config';

/** Tests that drive the binary; they are built for once, before the first of them. */
const BLACK_BOX = ['tests/contract/**/*.test.ts', 'tests/e2e/**/*.test.ts', 'tests/adversarial/binary/**/*.test.ts'];

export default defineConfig({
  test: {
    // A hang is found as well; a busy machine is not one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Most tests wait for processes that they started.
    maxWorkers: '100%',
    projects: [
      { extends: true, test: { name: 'rooms', include: ['tests/**/*.test.ts'], exclude: BLACK_BOX } },
      {
        extends: true,
        test: {
          name: 'binary',
          include: BLACK_BOX,
          globalSetup: 'tests/support/build.ts',
          setupFiles: 'tests/support/setup.ts',
        },
      },
    ],
  },
});
