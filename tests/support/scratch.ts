import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a directory in the one that is removed after all tests (build.ts): test files share what they import, so that a module
 * which several use has nothing after which it could remove its own.
 */
export function scratchDirectory(prefix: string): string {
  return mkdtempSync(join(process.env['DEV_CLI_TESTS_MODELS'] ?? tmpdir(), prefix));
}
