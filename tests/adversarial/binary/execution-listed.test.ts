import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCliAsync, journalOf, nextOf, runPrinted, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import {
  begin,
  committed,
  document,
  engineOf,
  git,
  hand,
  lastCommit,
  making,
  planOf,
  RUN,
  status,
  taskOf,
  worker,
} from './executing.js';

// Hostile and mistaken lists of changed files in results (engine.md, Commits).

useProject({ sample: null });

const COMPLETED = { done: true, outcome: 'completed' };
const WIDE = planOf(making('todo-1', [['true']], { files: ['made/**'] }));
const ack = (action: { ack?: string }) => runPrinted(project, action.ack ?? '');

describe('a list of changed files', () => {
  it('of ten thousand entries, most of them nonsense, is taken, and only what is there is committed', () => {
    const first = begin(project, WIDE);
    const paths = Array.from({ length: 5000 }, (_, index) => `made/d${index % 50}/f${index}`);
    for (const path of paths.slice(0, 300)) writeProjectFile(project, path, path);
    const nonsense = Array.from({ length: 5000 }, (_, index) => `../../x${index}`);
    hand(project, taskOf(first), worker({ filesChanged: [...nonsense, ...paths] }));
    const answer = ack(first);
    expect(nextOf(answer.json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toHaveLength(300);
    expect(answer.stdout.length).toBeLessThan(4000);
    expect(document(project, 'report.md').length).toBeLessThan(5000);
  });

  it('of options, patterns, line breaks, null characters and blanks takes each for what it is', () => {
    const first = begin(project, WIDE);
    const names = ['-rf', ':(glob)**', 'line\nbreak', '--', 'ü'];
    for (const name of [...names, 'other']) writeProjectFile(project, `made/${name}`, name);
    const odd = ['', '   ', 'made/\u0000', '-rf', ':(glob)made/**', 'made/*', '--cached', '\u001b[2J'];
    hand(project, taskOf(first), worker({ filesChanged: [...odd, ...names.map((name) => `made/${name}`)] }));
    const refused = ack(first).json.error?.details as { problem: string }[];
    expect(refused.map(({ problem }) => problem)).toEqual([expect.stringContaining('"made/other"')]);
    const answer = ack(first);
    expect(nextOf(answer.json)).toMatchObject(COMPLETED);
    expect(answer.json.warnings?.join('')).not.toMatch(/[\u0000-\u001f]/);
    expect(lastCommit(project).sort()).toEqual(names.map((name) => `made/${name}`).sort());
    expect(status(project)).toBe('?? made/other\0');
  });

  it('that names the whole tree covers its own files and nothing of others', () => {
    const first = begin(project, planOf(making('todo-1'), making('todo-2')));
    for (const todo of ['todo-1', 'todo-2']) writeProjectFile(project, `made/${todo}.txt`, todo);
    hand(project, taskOf(first, 'todo-1'), worker({ filesChanged: ['.'] }));
    hand(project, taskOf(first, 'todo-2'), worker({ filesChanged: [`${project.root}/`] }));
    expect(nextOf(ack(first).json)).toMatchObject(COMPLETED);
    expect(git(project, 'show', '--name-only', '--format=', 'HEAD~1').trim()).toBe('made/todo-1.txt');
    expect(lastCommit(project)).toEqual(['made/todo-2.txt']);
  });

  it('that reaches into a repository inside, or into .dev, commits nothing of either', () => {
    const first = begin(project, WIDE);
    mkdirSync(join(project.root, 'made/inner'), { recursive: true });
    git(project, 'init', '--quiet', 'made/inner');
    writeProjectFile(project, 'made/inner/a', '1');
    writeProjectFile(project, 'made/todo-1.txt', '1');
    const filesChanged = ['made/todo-1.txt', 'made/inner/a', 'made/inner/.git/config', '.dev/preferences.yaml', '.dev'];
    hand(project, taskOf(first), worker({ filesChanged }));
    expect(nextOf(ack(first).json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(['made/todo-1.txt']);
  });

  it('is kept over an attempt whose commit a hook refused, and dropped by nobody', () => {
    const first = begin(project, WIDE, { retries: 1 });
    writeProjectFile(project, 'made/first.txt', '1');
    hand(project, taskOf(first), worker({ filesChanged: ['made/first.txt'] }));
    const path = writeProjectFile(project, '.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n');
    chmodSync(path, 0o755);
    const again = nextOf(ack(first).json) as typeof first;
    expect(taskOf(again).attempt).toBe(2);
    writeFileSync(path, '#!/bin/sh\nexit 0\n');
    hand(project, taskOf(again));
    expect(nextOf(ack(again).json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(['made/first.txt']);
  });
});

describe('a result that is asked about', () => {
  it('is asked about once, whoever asks at the same moment, and taken once', async () => {
    const first = begin(project, WIDE);
    writeProjectFile(project, 'made/a', '1');
    hand(project, taskOf(first));
    const collect = ['step', 'complete', RUN, '--action', first.actionId ?? '', '--collect'];
    const answers = await Promise.all([1, 2, 3].map(() => devCliAsync(project, collect)));
    expect(answers.filter(({ code }) => code === 3)).toHaveLength(1);
    const of = (type: string) => journalOf(project, RUN).filter((entry) => entry.type === type);
    expect([of('result-refused').length, of('task-done').length]).toEqual([1, 1]);
    expect(committed(project)).toEqual([]);
    expect(document(project, 'report.md')).toContain('made/a (no result lists it)');
  });

  it('loses no patience by it: four that do not fit are still taken for mended', () => {
    const first = begin(project, WIDE);
    const task = taskOf(first);
    writeProjectFile(project, 'made/a', '1');
    hand(project, task);
    expect(ack(first).code).toBe(3);
    for (const bad of ['{', '[]', '{"status":"MAYBE"}']) {
      hand(project, task, bad);
      ack({ ack: `dev-cli step complete ${RUN} --action ${task.actionId}` });
    }
    expect(engineOf(project).tasks[task.actionId]).toMatchObject({ attempt: 1 });
    hand(project, task, worker({ filesChanged: ['made/a'] }));
    expect(nextOf(ack(first).json)).toMatchObject(COMPLETED);
    expect(lastCommit(project)).toEqual(['made/a']);
  });
});
