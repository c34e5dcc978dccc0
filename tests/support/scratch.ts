import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a directory inside the one that is removed after all tests (build.ts). Test files share imported modules, so a
 * shared module cannot know when to remove a directory of its own.
 */
export function scratchDirectory(prefix: string): string {
  return mkdtempSync(join(process.env['DEV_CLI_TESTS_MODELS'] ?? tmpdir(), prefix));
}
