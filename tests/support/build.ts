import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from './project.mjs';

/**
 * Builds the binary once before all tests: what they drive is what ships. Makes the directory in which the tests keep what
 * their projects are copied from, and gives what removes it: their processes are ended without notice.
 */
export function setup(): () => void {
  if (process.env['DEV_CLI_TESTS_BUILT'] !== '1') {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: CHECKOUT, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const models = mkdtempSync(join(tmpdir(), 'dev-cli-models-'));
  process.env['DEV_CLI_TESTS_MODELS'] = models;
  return () => rmSync(models, { recursive: true, force: true });
}
