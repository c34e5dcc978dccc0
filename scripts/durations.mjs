// npm run durations: runs all tests and records how long the longest files take, for tests/support/longest-first.ts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'dev-cli-durations-'));
const report = join(scratch, 'report.json');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
spawnSync('npx', ['vitest', 'run', ...reporters], { cwd: root, stdio: 'inherit' });
const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
rmSync(scratch, { recursive: true });
const seconds = testResults
  .map(({ name, startTime, endTime }) => [relative(root, name), Math.round((endTime - startTime) / 1000)])
  .filter(([, taken]) => taken >= 5)
  .toSorted(([one], [other]) => one.localeCompare(other));
writeFileSync(join(root, 'tests/durations.json'), `${JSON.stringify(Object.fromEntries(seconds), null, 2)}\n`);
