import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endCommand, inspectJob, launchDetached } from '../../../src/jobs/detached.js';
import { RunnerProcesses } from '../../../src/jobs/runner-process.js';
import { DISK_READER } from '../../../src/project/reader.js';
import { removeStray } from '../../../src/wings/loop/stray.js';
import { CHECKOUT } from '../../support/project.mjs';
import { scratchDirectory } from '../../support/scratch.js';

// Trees and sessions of attempts that are no longer this machine's (loop-core.md, auto; fleet.md, Leases).

it('ends a session in a tree that goes, and leaves one alone whose attempt goes on here', async () => {
  const root = scratchDirectory('stray');
  execFileSync('git', ['init', '--quiet', root]);
  const trees = join(root, 'trees');
  const begin = (goal: string): string => {
    mkdirSync(join(trees, `${goal}-1`), { recursive: true });
    const directory = join(root, '.dev/loop/attempts', goal, '1/session-1');
    const spec = { key: goal, argv: ['sleep', '60'], shell: false, cwd: root, timeoutSeconds: 60 };
    const runners = new RunnerProcesses();
    launchDetached({ ...spec, directory, runner: join(CHECKOUT, 'dist/runner.cjs') }, runners);
    runners.release();
    return directory;
  };
  const [moved, own] = [begin('moved-on'), begin('own')];
  for (const one of [moved, own]) await expect.poll(() => inspectJob(one).state).toBe('running');
  const attempts = { 'moved-on#1': { tree: '/elsewhere/moved-on-1' }, 'own#1': { tree: join(trees, 'own-1') } };
  const streams = { read: async () => ({ attempts, variants: [] }) };
  await removeStray({ streams, context: { root, reader: DISK_READER }, trees, top: root, git: {} } as never);
  expect([inspectJob(moved).state, inspectJob(own).state]).toEqual(['finished', 'running']);
  expect([existsSync(join(trees, 'moved-on-1')), existsSync(join(trees, 'own-1'))]).toEqual([false, true]);
  await endCommand(own);
});
