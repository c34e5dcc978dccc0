import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, imageOf, writeProjectFile } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import type { Project } from '../../support/project.mjs';

// memory.md, Entries; Commands; Where: the commands that record entries.

const create = freshProjects();
const memory = (project: Project, ...args: string[]) => devCli(project, ['memory', ...args]);
const bookPath = (project: Project) => join(project.root, '.dev/memory/book/state.json');
const bookOf = (project: Project) => JSON.parse(readFileSync(bookPath(project), 'utf8'));
const head = (project: Project) =>
  execFileSync('git', ['rev-parse', 'HEAD'], { cwd: project.root, encoding: 'utf8' }).trim();

describe('a judgment', () => {
  it('is added, replaced or unchanged, and says so', () => {
    const project = create();
    const first = memory(project, 'decide', '--text', 'Use Redis', '--reason', 'it is there').json;
    expect(first).toMatchObject({ ok: true, stored: 'added', id: 'm1' });
    expect(first).not.toHaveProperty('advice');
    expect(first['entry']).toEqual({
      text: 'Use Redis',
      reason: 'it is there',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      by: { kind: 'agent', via: 'cli' },
      branch: 'main',
      head: head(project),
    });
    const before = imageOf(project);
    expect(memory(project, 'decide', '--text', 'Use Redis', '--reason', 'it is there').json).toMatchObject({
      stored: 'none',
      id: 'm1',
    });
    expect(imageOf(project)).toEqual(before);
    expect(memory(project, 'next', '--text', 'Wire it', '--done-when', 'tests pass').json['id']).toBe('m2');
    expect(memory(project, 'decide', '--text', 'Use  Redis').json).toMatchObject({
      stored: 'replaced',
      id: 'm3',
      advice: expect.stringContaining('--reason'),
    });
    expect(memory(project, 'next', '--text', 'Test it').json).toMatchObject({ stored: 'replaced', id: 'm4' });
    expect(Object.keys(bookOf(project).next)).toEqual(['m4']);
  });

  it('supersedes a decision that is there, and no other', () => {
    const project = create();
    memory(project, 'decide', '--text', 'a');
    expect(memory(project, 'decide', '--text', 'b', '--supersedes', 'm1').json['entry']).toMatchObject({
      supersedes: 'm1',
    });
    const before = imageOf(project);
    const refused = memory(project, 'decide', '--text', 'c', '--supersedes', 'm7');
    expect([refused.code, refused.json]).toMatchObject([2, { error: { code: 'UNKNOWN_ENTRY' } }]);
    expect(imageOf(project)).toEqual(before);
  });

  it('is masked in every text, and told so', () => {
    const project = create();
    const key = `AKIA${'B'.repeat(16)}`;
    const calls = [
      ['decide', '--text', `a ${key}`, '--reason', `b ${key}`],
      ['next', '--text', 'c', '--done-when', `d ${key}`],
      ['note', '--kind', 'risk', '--text', `e ${key}`],
      ['relevant', 'src/x.js', '--why', `f ${key}`],
    ];
    for (const call of calls) expect(memory(project, ...call).json).toMatchObject({ ok: true, masked: true });
    expect(Object.values(imageOf(project)).join()).not.toContain(key);
    for (const file of ['state.json', 'events.jsonl'])
      expect(readFileSync(join(project.root, '.dev/memory/book', file), 'utf8')).not.toContain(key);
  });

  it('changes no byte where it is refused', () => {
    const project = create();
    const before = imageOf(project, '.');
    const blank = [
      ['decide', '--text', ' '],
      ['decide', '--text', '\u200b\u202e'],
      ['decide', '--text', 'a', '--reason', '\u200b'],
      ['next', '--text', ''],
      ['note', '--kind', 'tried', '--text', '\n'],
      ['relevant', ' '],
      ['relevant', 'src', '--why', '\u200b'],
    ];
    for (const call of blank) {
      const { code, json } = memory(project, ...call);
      expect([call, code, json]).toMatchObject([call, 2, { error: { code: 'DATA_MISSING' } }]);
    }
    expect(memory(project, 'note', '--kind', 'other', '--text', 'x').json).toMatchObject({ error: { code: 'USAGE' } });
    expect(memory(project, 'forget', 'm1').json).toMatchObject({ error: { code: 'UNKNOWN_ENTRY' } });
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('takes a text of 1 MB from a file only as far as a text goes, and one with fences and markers as one line', () => {
    const project = create();
    writeFileSync(join(project.root, '.git/large'), 'x'.repeat(1_000_000));
    expect(memory(project, 'decide', '--text', '@.git/large').json).toMatchObject({
      error: { code: 'DATA_MALFORMED' },
    });
    const given = '# Head\n```sh\nrm -rf /\n```\n<!-- dev-cli:handoff v1 -->\u202e';
    const { entry } = memory(project, 'decide', '--text', given).json as { entry?: { text: string } };
    expect(entry?.text).toBe('# Head ```sh rm -rf / ``` <!-- dev-cli:handoff v1 -->');
  });

  it('is forgotten: the journal keeps it', () => {
    const project = create();
    memory(project, 'note', '--kind', 'blocked', '--text', 'no key');
    expect(memory(project, 'forget', 'm1').json).toMatchObject({ ok: true, id: 'm1', entry: { text: 'no key' } });
    expect(bookOf(project).note).toEqual({});
    expect(readFileSync(join(project.root, '.dev/memory/book/events.jsonl'), 'utf8')).toContain('no key');
  });
});

describe('a path', () => {
  it('is kept relative to the work tree, wherever the call is made', () => {
    const project = create();
    mkdirSync(join(project.root, 'src/deep'), { recursive: true });
    const kept = (path: string, cwd = project.root) =>
      (devCli(project, ['memory', 'relevant', path], { cwd }).json['entry'] as { path: string } | undefined)?.path;
    expect(kept('./src//store.js')).toBe('src/store.js');
    expect(kept('src/')).toBe('src');
    expect(kept('a.js', join(project.root, 'src/deep'))).toBe('src/deep/a.js');
    expect(kept(':(top)odd*[name]')).toBe(':(top)odd*[name]');
    expect(memory(project, 'relevant', 'README.md', '--why', '').json).toMatchObject({
      entry: { why: 'Part of the work at hand.' },
      advice: expect.stringContaining('Part of the work at hand.'),
    });
  });

  it('is refused where it is unsafe', () => {
    const project = create();
    symlinkSync('/etc', join(project.root, 'out'));
    symlinkSync('.git/config', join(project.root, 'inner'));
    symlinkSync('nowhere', join(project.root, 'dangling'));
    writeProjectFile(project, '.gitignore', 'ignored/\n*.log\n');
    const unsafe = [
      ...[
        '/etc/passwd',
        'C:x',
        'c:\\x',
        '\\\\host\\x',
        '../x',
        'a/../b',
        '~',
        '~root/x',
        'a\nb',
        'a\u001bb',
        'a\u202eb',
      ],
      ...['out/passwd', 'inner', 'dangling', '.', './', 'x'.repeat(201), '.git/config', '.GIT/x', 'a/.git/x', '.dev/x'],
      ...['node_modules/a', 'a/node_modules/b', 'ignored/x', 'a.log', `a/AKIA${'C'.repeat(16)}`],
    ];
    const before = imageOf(project, '.');
    for (const path of unsafe) {
      const { code, json } = memory(project, 'relevant', '--', path);
      expect([path, code, json]).toMatchObject([path, 3, { error: { code: 'PATH_UNSAFE' } }]);
    }
    expect(imageOf(project, '.')).toEqual(before);
  });
});

describe('the book', () => {
  it('of a newer version is refused by every writer', () => {
    const project = create();
    memory(project, 'decide', '--text', 'a');
    writeFileSync(bookPath(project), JSON.stringify({ ...bookOf(project), schemaVersion: 2 }));
    const before = imageOf(project);
    for (const call of [
      ['decide', '--text', 'b'],
      ['next', '--text', 'b'],
      ['relevant', 'a'],
      ['forget', 'm1'],
      ['checkpoint', '--message', 'b'],
      ['verify', '--again'],
      ['verify', '--', 'touch', 'ran'],
    ]) {
      expect(memory(project, ...call).json).toMatchObject({ error: { code: 'STATE_NEWER' } });
    }
    expect(imageOf(project)).toEqual(before);
    expect([existsSync(join(project.root, 'ran')), existsSync(join(project.root, '.git/refs/dev-cli'))]).toEqual([
      false,
      false,
    ]);
  });

  it('keeps what it does not know', () => {
    const project = create();
    memory(project, 'decide', '--text', 'a');
    const { decision, ...rest } = bookOf(project);
    writeFileSync(
      bookPath(project),
      JSON.stringify({ ...rest, decision: { m1: { ...decision.m1, tint: 1 } }, topic: { m9: {} } }),
    );
    expect(memory(project, 'decide', '--text', 'b').code).toBe(0);
    expect(bookOf(project)).toMatchObject({ decision: { m1: { tint: 1 } }, topic: { m9: {} } });
  });

  it('is rebuilt from its journal, and a torn end never happened', () => {
    const project = create();
    memory(project, 'decide', '--text', 'a');
    memory(project, 'decide', '--text', 'b');
    const whole = bookOf(project);
    writeFileSync(bookPath(project), '{"half');
    const journal = join(project.root, '.dev/memory/book/events.jsonl');
    writeFileSync(journal, `${readFileSync(journal, 'utf8')}{"torn`);
    expect(memory(project, 'decide', '--text', 'c').json).toMatchObject({ stored: 'added', id: 'm3' });
    expect(bookOf(project).decision).toMatchObject(whole.decision);
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"text":"a"', '"text":"z"'));
    writeFileSync(bookPath(project), '');
    expect(memory(project, 'decide', '--text', 'd').json).toMatchObject({ error: { code: 'JOURNAL_CORRUPT' } });
  });

  it('is one for all work trees of a clone', () => {
    const project = create();
    const linked = `${project.root}-linked`;
    execFileSync('git', ['worktree', 'add', '-q', '-b', 'side', linked], { cwd: project.root });
    expect(devCli(project, ['memory', 'decide', '--text', 'a'], { cwd: linked }).json).toMatchObject({ ok: true });
    expect(existsSync(join(linked, '.dev'))).toBe(false);
    expect(bookOf(project).decision.m1).toMatchObject({ branch: 'side' });
  });
});
