import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a directory inside the one that is removed after all tests (build.ts). It is for modules that several test
 * files import, since such a module cannot know when the last of them has ended.
 */
export function scratchDirectory(prefix: string): string {
  return mkdtempSync(join(process.env['DEV_CLI_TESTS_MODELS'] ?? tmpdir(), prefix));
}
