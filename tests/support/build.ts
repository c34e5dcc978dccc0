import { execFileSync } from 'node:child_process';
import { CHECKOUT } from './project.mjs';

/** Builds the binary once before all tests: what they drive is what ships. */
export function setup(): void {
  if (process.env['DEV_CLI_TESTS_BUILT'] === '1') return;
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: CHECKOUT, stdio: ['ignore', 'ignore', 'inherit'] });
}
