import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DISK_READER } from '../../../src/project/reader.js';
import type { Context } from '../../../src/run/context.js';
import { renderFirstTest } from '../../../src/wings/authoring/new/new-recipe.js';
import { simulate } from '../../../src/wings/authoring/simulate.js';
import { runTestFile } from '../../../src/wings/authoring/tests/run-file.js';
import { openSnapshots } from '../../../src/wings/authoring/tests/snapshots.js';

const PACKAGE = resolve(import.meta.dirname, '../../..');
const context = {
  library: { reader: DISK_READER, shipped: PACKAGE, project: null },
  signal: new AbortController().signal,
};
const list = (ending: string, but = '\n') =>
  ['recipes', 'workflows'].flatMap((directory) =>
    readdirSync(join(PACKAGE, directory))
      .filter((name) => name.endsWith(ending) && !name.endsWith(but))
      .map((name) => `${directory}/${name}`),
  );
const run = (file: string) =>
  runTestFile(context, {
    path: join(PACKAGE, file),
    file,
    threshold: 100,
    snapshots: openSnapshots(null, false),
  });

describe('the shipped recipes (authoring.md, Coverage)', () => {
  it('each have a test file', () => {
    const recipes = list('.yaml', '.test.yaml').map((file) => file.replace(/\.yaml$/, '.test.yaml'));
    expect(list('.test.yaml')).toEqual(recipes.sort((a, b) => (a < b ? -1 : 1)));
    expect(recipes.length).toBeGreaterThan(9);
  });

  it.each(list('.test.yaml'))('%s passes, and covers every transition', async (file) => {
    const { problems, coverage, cases } = await run(file);
    expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
    expect(coverage).toMatchObject({ percent: 100, uncovered: [] });
    expect(cases.length).toBeGreaterThan(2);
  });

  it('each pass at once with the test that a new recipe gets', async () => {
    for (const file of list('.test.yaml')) {
      const [, name = ''] = /([^/]+)\.test\.yaml$/.exec(file) ?? [];
      const reader = {
        ...DISK_READER,
        read: (path: string) => (path === '/new' ? renderFirstTest(name, 'new') : DISK_READER.read(path)),
      };
      const { problems, cases } = await runTestFile(
        { ...context, library: { ...context.library, reader } },
        { path: '/new', file: 'new', threshold: undefined, snapshots: openSnapshots(null, false) },
      );
      expect([name, problems, cases.length]).toEqual([name, [], 1]);
    }
  });

  it.each(list('.test.yaml'))('%s: its recipe comes to an end whatever chance does', async (file) => {
    const [, name = ''] = /([^/]+)\.test\.yaml$/.exec(file) ?? [];
    for (const seed of [11, 12]) {
      const { exit, json } = await simulate(
        { ...context, root: PACKAGE } as unknown as Context,
        name,
        { seed },
        PACKAGE,
      );
      expect([name, seed, exit, json]).toMatchObject([name, seed, 0, { end: { outcome: expect.any(String) } }]);
    }
  });
});
