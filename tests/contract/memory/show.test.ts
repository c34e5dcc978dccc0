import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendFact } from '../../../src/project/facts.js';
import { devCli, imageOf, init, writeProjectFile } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import type { Project } from '../../support/project.mjs';

// memory.md, Commands; Truth: the output of `memory show`.

const create = freshProjects();
const memory = (project: Project, ...args: string[]) => devCli(project, ['memory', ...args]);
const show = (project: Project, ...args: string[]) => memory(project, 'show', ...args).json;
const git = (project: Project, ...args: string[]) =>
  execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8' });
const factsIn = (project: Project) => join(project.root, '.dev/memory');

describe('what is shown', () => {
  it('is nothing where nobody used memory, and nothing is written', () => {
    const project = create();
    const before = imageOf(project, '.');
    expect(show(project)).toMatchObject({
      ok: true,
      branch: 'main',
      intent: null,
      next: null,
      decisions: [],
      warnings: [],
    });
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('is what was judged, oldest first and the newest of each, and all on demand', () => {
    const project = create();
    for (let n = 1; n <= 6; n++) memory(project, 'decide', '--text', `d${n}`, '--reason', 'r');
    for (let n = 1; n <= 11; n++) memory(project, 'relevant', `src/${n}.js`, '--why', 'w');
    memory(project, 'note', '--kind', 'blocked', '--text', 'no key');
    memory(project, 'next', '--text', 'go');
    const before = imageOf(project, '.');
    const shown = show(project);
    const texts = (all: unknown) => (all as { text: string }[]).map(({ text }) => text);
    expect(texts(shown['decisions'])).toEqual(['d2', 'd3', 'd4', 'd5', 'd6']);
    expect(shown).toMatchObject({
      intent: { text: 'd6', source: 'decision', id: 'm6' },
      next: { text: 'go' },
      notes: [{ kind: 'blocked', text: 'no key' }],
      waiting: [{ kind: 'blocked', summary: 'no key' }],
      counts: { decision: { shown: 5, kept: 6 }, relevant: { shown: 10, kept: 11 }, next: { shown: 1, kept: 1 } },
    });
    expect(texts(show(project, '--all')['decisions'])).toHaveLength(6);
    expect(show(project, '--all')).toMatchObject({ counts: { relevant: { shown: 11, kept: 11 } } });
    expect(memory(project, 'show', '--text').stdout).toContain('Next: go');
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('takes the aim from this branch first, then a run, and a request last', () => {
    const project = create();
    memory(project, 'note', '--kind', 'risk', '--text', 'x');
    appendFact(factsIn(project), { kind: 'request', at: '2026-11-27T00:00:00.000Z', text: 'please mend it' });
    expect(show(project)['intent']).toEqual({ text: 'please mend it', source: 'request' });
    init(project, 'one', '--goal', 'Add a route');
    expect(show(project)['intent']).toEqual({ text: 'Add a route', source: 'run' });
    git(project, 'checkout', '-qb', 'other');
    memory(project, 'decide', '--text', 'elsewhere');
    git(project, 'checkout', '-q', 'main');
    expect(show(project)['intent']).toMatchObject({ text: 'elsewhere', source: 'decision', branch: 'other' });
    memory(project, 'decide', '--text', 'here');
    expect(show(project)['intent']).toMatchObject({ text: 'here', source: 'decision', id: 'm3' });
    git(project, 'commit', '--allow-empty', '-qm', 'Decide otherwise');
    expect(show(project)['intent']).toMatchObject({ text: 'here' });
  });

  it('says whether a verification still holds', () => {
    const project = create();
    memory(project, 'verify', '--text', 'npm test -> ok', '--outcome', 'passed');
    memory(project, 'verify', '--', 'true');
    const freshness = () => (show(project)['verification'] as { freshness: string }[]).map((one) => one.freshness);
    expect(freshness()).toEqual(['fresh', 'told']);
    writeProjectFile(project, 'src/new.js', '');
    expect(freshness()).toEqual(['stale', 'told']);
    memory(project, 'verify', '--', 'true');
    git(project, 'add', '-A');
    git(project, 'commit', '-qm', 'exactly that');
    expect(freshness()).toEqual(['fresh', 'told']);
  });

  it('goes on without a book or facts that cannot be read, and warns', () => {
    const project = create();
    memory(project, 'decide', '--text', 'a');
    const book = join(factsIn(project), 'book/state.json');
    writeFileSync(book, JSON.stringify({ ...JSON.parse(readFileSync(book, 'utf8')), schemaVersion: 9 }));
    symlinkSync('/etc/passwd', join(factsIn(project), 'facts.jsonl'));
    expect(show(project)).toMatchObject({
      ok: true,
      decisions: [],
      warnings: [expect.stringContaining('schema version 9'), expect.stringContaining('ELOOP')],
    });
  });
});
