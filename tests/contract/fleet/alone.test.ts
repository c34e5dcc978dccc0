import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFleet } from '../../support/fleet.mjs';
import { freshProjects } from '../../support/fresh.js';
import { COUNTER, takeLoaded } from '../../support/loaded.js';
import { readDigest, runLoop, setUpLoop, subjectsOf } from '../../support/loop.js';
import { createDatabase } from '../../support/postgres.js';
import { BINARY, CHECKOUT } from '../../support/project.mjs';

/** A user without a fleet sees nothing of it (fleet.md, Commands). */

const create = freshProjects();

/** Whether a file belongs to the part that uses the database. */
const isOfFleet = (file: string): boolean =>
  /node_modules\/(?:pg|@dbos-inc)/.test(file) || /dev_cli\.(?:streams|leases|workers)/.test(readFileSync(file, 'utf8'));

const goal = '  - id: one\n    title: The one\n    status: active\n';

describe('a project without `fleet`', () => {
  it('is worked off without a module of a fleet, and nothing is pushed', () => {
    const project = create();
    const notes = join(project.home, 'loaded.jsonl');
    setUpLoop(project, { goals: goal, sessions: { one: [{ write: { 'one.txt': '1\n' } }] } });
    const digest = readDigest(project);
    Object.assign(project.env, {
      NODE_OPTIONS: `--require ${COUNTER}`,
      DEV_CLI_TEST_LOADED: notes,
      DEV_CLI_DATABASE: 'postgresql://nobody@127.0.0.1:1/none',
    });
    const lines = ['auto --recursive --trust', 'observe', 'queue list', 'inbox list', 'attempt list'];
    for (const line of lines) {
      const words = [...line.split(' '), ...(line.startsWith('auto') ? [digest] : [])];
      const { status } = spawnSync(process.execPath, [BINARY, ...words], { cwd: project.root, env: project.env });
      expect([line, status]).toEqual([line, 0]);
    }
    expect(subjectsOf(project)).toEqual(['feat(one): The one']);
    const files = takeLoaded(notes).flatMap((one) => one.files);
    expect(files.length).toBeGreaterThan(5);
    expect(files.map((file) => join(CHECKOUT, file)).filter(isOfFleet)).toEqual([]);
  });

  it('refuses --fleet, and one that has it refuses to be worked off without', async () => {
    const project = create();
    setUpLoop(project, { goals: goal, sessions: {} });
    expect(runLoop(project, 'auto', '--fleet')).toMatchObject({ exit: 2, json: { error: { code: 'USAGE' } } });
    const fleet = createFleet({ url: await createDatabase() });
    try {
      const desk = fleet.addProject('p', { goals: goal, sessions: {} });
      const { exit, stderr, stdout } = fleet.call(desk, 'auto', '--recursive');
      expect([exit, stderr + stdout]).toEqual([2, expect.stringContaining('dev-cli auto --fleet')]);
    } finally {
      await fleet.end();
    }
  });

  it('has a planted module that would be found', () => {
    expect(isOfFleet(join(CHECKOUT, 'src/wings/fleet/streams.ts'))).toBe(true);
  });
});
