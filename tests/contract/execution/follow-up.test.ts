import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { aCommand, aPlan, aTodo } from '../../core/plan/fixture.js';
import { devCli, journalOf, runDir, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { git } from '../../support/executing.js';
import { again, begin, type Dispatch, followed, judged, part, told, worked } from '../../support/told.js';

// Executing again under the same name keeps what the previous execution did, proved and left open (engine.md, A further
// execution).

useProject();

const SHIP = { verdict: 'SHIP', issues: [], summary: 'Good.' };
const EVIDENCE = 'Read notes/one.txt line by line; it says what was asked.';
const HOLDS = judged('VERIFIED', [{ id: 'as-1', pass: true, evidence: EVIDENCE }], 'It holds.');
const report = () => told(project, 'report.md');

/** A plan whose requirement r-1 is proved only by an agent's word. */
const PLAN: PlanContent = aPlan({
  requirements: [{ id: 'r-1', quote: 'JWT', from: 'request', text: 'The note reads well' }],
  todos: [
    aTodo('todo-1', {
      title: 'Write the note',
      files: ['notes/one.txt'],
      serves: ['r-1'],
      acceptance: [
        aCommand('ac-1', ['test', '-f', 'notes/one.txt']),
        { id: 'as-1', kind: 'assertion', text: 'The note reads well.', proves: ['r-1'] },
      ],
    }),
  ],
});

function executed(): Dispatch {
  const first = begin(project, PLAN, ['--autopilot']);
  const verify = followed(
    project,
    first,
    'todo-1',
    worked(project, { 'notes/one.txt': 'one' }, { issues: ['A dot is missing'] }),
  );
  const review = followed(project, verify, 'todo-1', HOLDS);
  return followed(project, review, null, SHIP);
}

/** Adds a todo after the execution has ended, and executes again; returns the first action. */
function followUp(id = 'todo-2', files = ['notes/two.txt']): Dispatch {
  const todo = aTodo(id, {
    title: `Write ${id}`,
    files,
    acceptance: [aCommand('ac-1', ['test', '-f', files[0] ?? ''])],
  });
  writeProjectFile(project, '.dev/todo.json', JSON.stringify(todo));
  const added = devCli(project, ['plan', 'add', 'work', '--data', '@.dev/todo.json']);
  expect(added.code, added.stdout).toBe(0);
  expect(added.json).toMatchObject({ resume: 'dev-cli init work --execute' });
  return again(project, ['--autopilot']);
}

const requirement = (text: string) => /^\| r-1 .*$/m.exec(text)?.[0] ?? '';

describe('a further execution', () => {
  it('keeps the report of the one before, and names its commits', () => {
    executed();
    const before = report();
    expect(requirement(before)).toMatch(/\| met \|$/);
    const [sha = ''] = git(project, 'log', '-1', '--format=%H').split('\n');
    const review = followed(project, followUp(), 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    followed(project, review, null, SHIP);
    expect(told(project, 'report-1.md')).toBe(before);
    expect(part(report(), 'Earlier executions')).toEqual([
      expect.stringMatching(/^\[report-1\.md\]\(report-1\.md\): completed \(\d{4}-.*Z\)$/),
      `todo-1: ${sha.slice(0, 12)} Write the note`,
    ]);
    expect(part(report(), 'Commits')).toEqual([
      `todo-2: ${git(project, 'log', '-1', '--format=%H').slice(0, 12)} Write todo-2`,
    ]);
    expect(part(report(), 'Done')[0]).toBe('todo-1: Write the note (by an earlier execution)');
    expect(part(report(), 'Skipped or degraded')).toEqual([]);
    expect(git(project, 'status', '--porcelain', '--untracked-files=all', '--', '.dev')).toContain('report-1.md');
  });

  it('lists what executions reported, and no file that is only called so', () => {
    writeProjectFile(project, '.dev/specs/work/report.md', '# Mine\n\nOutcome: none of theirs\n');
    writeProjectFile(project, '.dev/specs/work/report-2.md', '# Mine, too\n\nOutcome: nor of these\n');
    executed();
    const before = report();
    expect(told(project, 'report-1.md')).toContain('# Mine\n');
    expect(part(before, 'Earlier executions')).toEqual([]);
    const review = followed(project, followUp(), 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    followed(project, review, null, SHIP);
    expect(told(project, 'report-2.md')).toContain('# Mine, too');
    expect(told(project, 'report-3.md')).toBe(before);
    expect(part(report(), 'Earlier executions')).toEqual([
      expect.stringMatching(/^\[report-3\.md\]\(report-3\.md\): completed/),
      expect.stringMatching(/^todo-1: /),
    ]);
    const seen = git(project, 'status', '--porcelain', '--untracked-files=all', '--', '.dev');
    expect(seen).toContain('report-3.md');
    expect(seen).not.toContain('report-2.md');
  });

  it('names each commit by what it says, also where a hook has written that', () => {
    const hook = join(project.root, '.git/hooks/commit-msg');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\nsed -i.orig "1s/^/ABC-7: /" "$1"\n', { mode: 0o755 });
    executed();
    const [line = ''] = git(project, 'log', '-1', '--format=%H %s').split('\n');
    expect(line).toMatch(/ ABC-7: Write the note$/);
    expect(part(report(), 'Commits')).toEqual([`todo-1: ${line.slice(0, 12)} ABC-7: Write the note`]);
    const committed = journalOf(project, 'work').find(({ type }) => type === 'committed');
    expect(committed?.data).toMatchObject({ subject: 'ABC-7: Write the note' });
  });

  it('keeps the proof of a requirement while no file of its todo has changed, and says whose it is', () => {
    executed();
    const [, at = ''] = /^Outcome: completed \((.*)\)$/m.exec(report()) ?? [];
    const review = followed(project, followUp(), 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    const done = followed(project, review, null, SHIP);
    expect(requirement(report())).toBe(
      `| r-1 | The note reads well | todo-1 as-1: an agent (in the execution that ended ${at}; no file of it changed since) | met |`,
    );
    expect(done).not.toHaveProperty('warnings');
    const third = followed(
      project,
      followUp('todo-3', ['notes/three.txt']),
      'todo-3',
      worked(project, { 'notes/three.txt': '3' }),
    );
    followed(project, third, null, SHIP);
    expect(requirement(report())).toContain(`in the execution that ended ${at}`);
    expect(part(report(), 'Earlier executions').filter((line) => line.includes('report-'))).toHaveLength(2);
  });

  it('has the code review asked where a file of the todo has changed since', () => {
    executed();
    writeFileSync(join(project.root, 'notes/one.txt'), 'something else');
    git(project, 'commit', '--quiet', '-am', 'By hand');
    const review = followed(project, followUp(), 'todo-2', worked(project, { 'notes/two.txt': 'two' }));
    const prompt = readFileSync(join(project.root, review.tasks[0]?.promptFile ?? ''), 'utf8');
    expect(prompt).toContain('The note reads well');
    const refused = { ...SHIP, requirements: [{ id: 'r-1', met: true, why: 'It still reads well, as I have read.' }] };
    followed(project, review, null, refused);
    expect(requirement(report())).toContain('(judged before its files changed) | met, as the code review says');
  });

  it('is no less proved for a todo that is done again in it', () => {
    executed();
    const path = join(runDir(project, 'work'), 'PLAN.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace('Write the note', 'Write the note anew'));
    expect(devCli(project, ['plan', 'apply', 'work']).code).toBe(0);
    const verify = followed(
      project,
      again(project, ['--autopilot']),
      'todo-1',
      worked(project, { 'notes/one.txt': '1' }),
    );
    followed(project, followed(project, verify, 'todo-1', HOLDS), null, SHIP);
    expect(requirement(report())).toBe('| r-1 | The note reads well | todo-1 as-1: an agent | met |');
    expect(existsSync(join(runDir(project, 'work'), 'report-1.md'))).toBe(true);
  });
});
