import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock, systemIds } from '../../../src/app/system.js';
import { identifyProcess } from '../../../src/store/process.js';
import { callContractTool } from '../../../src/wings/neutral/call.js';
import { devCli, imageOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// Cases that the suite of the neutral contract does not cover: broken files, hostile values, the environment
// (neutral.md, All tools; neutral.md, Writing).

useProject();

const STATE = '.nexus/state';
const call = (name: string, given: object = {}) =>
  devCli(project, ['nexus', 'call', name, '--data', JSON.stringify(given)]);
const put = (path: string, content: unknown) => {
  const file = join(project.root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
};
const read = (path: string) => JSON.parse(readFileSync(join(project.root, path), 'utf8'));
const error = (name: string, given: object = {}) => {
  const before = imageOf(project, '.nexus');
  const { code, json } = call(name, given);
  expect(code, name).toBe(3);
  expect(imageOf(project, '.nexus'), name).toEqual(before);
  return json.error?.message;
};
const addTask = (title = 'T') => call('task_add', { title, context: 'c' });

describe('files that are of no use (neutral.md, All tools)', () => {
  it.each([
    ['cut in half', '{"goal": "g", "tasks": [', 'it is not JSON'],
    ['with a merge marker', '<<<<<<< ours\n{"goal": "g", "tasks": []}\n', 'it is not JSON'],
    ['empty', '', 'it is empty'],
    ['zero bytes', '\0\0\0', 'it is not JSON'],
    ['with a byte order mark', '\ufeff{"goal": "g", "decisions": [], "tasks": []}', 'it begins with a byte order mark'],
    ['an array', '[]', 'it has no list "tasks"'],
    ['without its list', '{"goal": "g"}', 'it has no list "tasks"'],
  ])('tasks.json %s is refused, and kept', (_, text, why) => {
    put(`${STATE}/tasks.json`, text);
    const message = `tasks.json cannot be used: ${why}`;
    expect(error('task_add', { title: 'T', context: 'c' })).toBe(message);
    expect(error('task_list')).toBe(message);
    expect(error('task_update', { id: 1, status: 'completed' })).toBe(message);
    expect(error('task_close')).toBe(message);
    expect(call('context')).toMatchObject({ code: 0, json: { activeMode: null } });
  });

  it('what is no object in a list, and no list in an object, is refused, too', () => {
    put(`${STATE}/tasks.json`, { goal: 'g', decisions: [], tasks: [{ id: 1, title: 'T', deps: null }, null] });
    for (const name of ['task_add', 'task_list', 'task_update', 'task_close']) {
      expect(error(name, { title: 'T', context: 'c' })).toBe(
        'tasks.json cannot be used: item 2 of its list is no object',
      );
    }
    expect(call('context').json['activeMode']).toBe(null);
    put(`${STATE}/tasks.json`, { goal: 'g', decisions: 'abc', tasks: [] });
    expect(error('task_add', { title: 'T', context: 'c' })).toBe('tasks.json cannot be used: "decisions" is no list');
    put(`${STATE}/plan.json`, { id: 1, topic: 't', issues: ['a'] });
    expect(error('plan_status')).toBe('plan.json cannot be used: item 1 of its list is no object');
    put(`${STATE}/agent-tracker.json`, [{ agent_id: 'a', files_touched: 'x' }]);
    expect(error('agent_complete', { agent_id: 'a' })).toBe(
      'agent-tracker.json cannot be used: "files_touched" is no list',
    );
    put('.nexus/history.json', { cycles: [{ tasks: 3, plan: 'x', deps: 1 }, 7] });
    expect(error('history_search')).toBe('history.json cannot be used: item 2 of its list is no object');
    expect(devCli(project, ['check', '.nexus/history.json'])).toMatchObject({
      code: 3,
      json: { kind: 'nexus-history' },
    });
  });

  it('what may be left out may be null, and an id that none can follow counts for nothing', () => {
    put(`${STATE}/tasks.json`, {
      goal: 'g',
      decisions: null,
      tasks: [{ id: 1e21, title: 'T', deps: null }, { id: 1.5 }],
    });
    expect(call('context').json).toMatchObject({ decisions: [] });
    expect(addTask().json).toMatchObject({ task: { id: 1 } });
    expect(addTask().json).toMatchObject({ task: { id: 2 } });
    expect(call('task_list').json['summary']).toMatchObject({ ready: [1, 2] });
  });

  it('so are a history without cycles, and a file of more than 64 MiB', () => {
    addTask();
    put('.nexus/history.json', '{"cycles": {}}');
    expect(error('task_close')).toBe('history.json cannot be used: it has no list "cycles"');
    expect(error('history_search')).toBe('history.json cannot be used: it has no list "cycles"');
    truncateSync(join(project.root, '.nexus/history.json'), 65 * 1024 * 1024);
    expect(call('task_close').json.error?.message).toMatch(
      /^history.json cannot be used: it is no regular file, or has more/,
    );
    expect(existsSync(join(project.root, STATE, 'tasks.json'))).toBe(true);
  });

  it('a directory in the place of a file that a close removes', () => {
    addTask();
    mkdirSync(join(project.root, STATE, 'edit-tracker.json'));
    expect(error('task_close')).toMatch(/^edit-tracker.json cannot be used: it is no regular file/);
    expect(addTask()).toMatchObject({ code: 0 });
  });

  it('no file becomes larger than what is read', () => {
    const large = { id: 1, title: 't', context: 'x'.repeat(63 * 1024 * 1024), status: 'completed', deps: [] };
    put(`${STATE}/tasks.json`, { goal: 'g', decisions: [], tasks: [large] });
    put('.nexus/history.json', { cycles: [{ context: 'x'.repeat(2 * 1024 * 1024) }] });
    const before = imageOf(project, '.nexus');
    expect(call('task_close').json.error?.message).toBe('.nexus/history.json would have more than 64 MiB.');
    expect(imageOf(project, '.nexus')).toEqual(before);
    expect(addTask()).toMatchObject({ code: 0 });
    expect(call('task_list').json['summary']).toMatchObject({ total: 2, completed: 1, ready: [2] });
  });

  it('a link out of the project is refused, a directory that is a file too', () => {
    symlinkSync(project.home, join(project.root, '.nexus'));
    expect(addTask()).toMatchObject({ code: 1, json: { error: { code: 'IO' } } });
    rmSync(join(project.root, '.nexus'));
    writeFileSync(join(project.root, '.nexus'), 'a file');
    expect(addTask()).toMatchObject({ code: 1, json: { error: { code: 'IO' } } });
    expect(readFileSync(join(project.root, '.nexus'), 'utf8')).toBe('a file');
  });

  it('other versions are read and searched, and their cycles kept to the byte', () => {
    const other = {
      schema_version: 2,
      completed_at: '2026-01-01T00:00:00Z',
      branch: '',
      tasks: { tasks: [{ id: 'a' }] },
    };
    put('.nexus/history.json', { cycles: [other], later: true });
    expect(call('history_search', { query: 'SCHEMA_VERSION' }).json).toMatchObject({
      total: 1,
      cycles: [{ task_count: 1 }],
    });
    expect(call('task_close').json).toMatchObject({ total_cycles: 2 });
    expect(read('.nexus/history.json')).toMatchObject({ cycles: [other, { plan: null, tasks: [] }], later: true });
    expect(call('plan_start', { topic: 'x', issues: [], research_summary: 's' }).json['plan_id']).toBe(1);
  });
});

describe('parameters (neutral.md, All tools)', () => {
  it('are checked behind the state file, and before ids', () => {
    expect(error('plan_decide', {})).toBe('No active plan session');
    expect(error('task_update', {})).toBe('tasks.json not found');
    addTask();
    expect(error('task_update', { id: 9 })).toBe('status is required');
    expect(error('task_update', { id: 9, status: 'x' })).toBe('status must be pending, in_progress or completed');
    for (const id of [-1, 9, '9'])
      expect(error('task_update', { id, status: 'pending' })).toBe(`Task id ${id} not found`);
    for (const id of ['x', 1.5, 1e21, true, [1], '1e3'])
      expect(error('task_update', { id, status: 'pending' })).toBe('id must be a whole number');
    for (const id of [null, '', ' ']) expect(error('task_update', { id, status: 'pending' })).toBe('id is required');
    expect(call('task_update', { id: '1', status: 'completed' }).json).toMatchObject({
      task: { id: 1, status: 'completed' },
    });
  });

  it('texts and lists are what they say', () => {
    expect(error('task_add', { title: ' \n', context: 'c' })).toBe('title is required');
    expect(error('task_add', { title: 3, context: 'c' })).toBe('title must be a text');
    expect(error('task_add', { title: 't', context: 'c', deps: '1' })).toBe('deps must be a list of whole numbers');
    expect(error('task_add', { title: 't', context: 'c', deps: [1e21] })).toBe('deps must be a list of whole numbers');
    expect(error('task_add', { title: 't', context: 'c', decisions: ['a', ''] })).toBe(
      'decisions must be a list of texts',
    );
    expect(error('task_add', { title: 't', context: 'c', deps: [7] })).toBe('Task id 7 not found');
    expect(error('task_add', { title: 't', context: 'c', owner_reuse_policy: 'x' })).toMatch(
      /^owner_reuse_policy must be/,
    );
    expect(existsSync(join(project.root, STATE))).toBe(false);
    const { json } = call('task_add', { title: 't', context: 'c', goal: '', nope: 1, more: 2 });
    expect(json['warnings']).toEqual(['There is no parameter "nope", "more".']);
    expect(read(`${STATE}/tasks.json`)).toMatchObject({ goal: 't' });
  });

  it('a decision may be called so, too', () => {
    call('plan_start', { topic: 'x', issues: ['a', 'b'], research_summary: 's' });
    expect(call('plan_decide', { issue_id: 1, decision: 'yes' }).json).toMatchObject({ decided: true });
    expect(read(`${STATE}/plan.json`).issues[0]).toMatchObject({ status: 'decided', decision: 'yes' });
  });

  it('no tool of that name, and no object', () => {
    expect(devCli(project, ['nexus', 'call', 'constructor'])).toMatchObject({
      code: 2,
      json: { error: { code: 'USAGE' } },
    });
    const text = devCli(project, ['nexus', 'call', 'task_list', '--data', '[]']);
    expect(text).toMatchObject({ code: 2, json: { error: { code: 'DATA_MALFORMED' } } });
  });

  it.each(['/etc/passwd', '../x', 'a/../../x', 'a\\x', 'a\0b', '', 'a/', './a', 'out/x'])(
    'no artifact %j',
    (filename) => {
      mkdirSync(join(project.root, STATE, 'artifacts'), { recursive: true });
      symlinkSync(project.home, join(project.root, STATE, 'artifacts/out'));
      const refused = call('artifact_write', { filename, content: 'x' }).json.error?.message;
      expect(refused).toBe(
        filename === '' ? 'filename is required' : 'filename must be a relative path inside artifacts/',
      );
    },
  );

  it('an artifact has exactly its bytes, and a name that is too long is told', () => {
    const content = '\ufeff# Ä\r\n\u0000end';
    expect(call('artifact_write', { filename: 'a/b.md', content }).json['path']).toBe(
      join(project.root, STATE, 'artifacts/a/b.md'),
    );
    expect(readFileSync(join(project.root, STATE, 'artifacts/a/b.md'), 'utf8')).toBe(content);
    for (const blank of ['', ' \n']) {
      expect(call('artifact_write', { filename: 'a/b.md', content: blank }).code).toBe(0);
      expect(readFileSync(join(project.root, STATE, 'artifacts/a/b.md'), 'utf8')).toBe(blank);
    }
    const long = `b/${'x'.repeat(300)}`;
    expect(call('artifact_write', { filename: long, content }).json.error).toMatchObject({
      code: 'IO',
      details: [{ target: `${STATE}/artifacts/${long}` }],
    });
    expect(existsSync(join(project.root, STATE, 'artifacts/b'))).toBe(false);
    expect(call('artifact_write', { filename: 'a', content }).json.error?.message).toBe(
      `${STATE}/artifacts/a: a directory stands where a file is needed (EISDIR).`,
    );
  });
});

describe('the surroundings (neutral.md, Files)', () => {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8' });

  it('the branch is read whole, and git keeps the history alone', () => {
    git('checkout', '-q', '-b', 'feature/x/y');
    expect(call('context').json).toMatchObject({ branch: 'feature/x/y' });
    addTask();
    call('task_close');
    expect(read('.nexus/history.json').cycles[0]).toMatchObject({ branch: 'feature/x/y' });
    addTask();
    put('.nexus/memory/note.md', 'mine');
    const listed = git('status', '--short', '--untracked-files=all', '.nexus').trim().split('\n');
    expect(listed.map((line) => line.slice(3))).toEqual([
      '.nexus/.gitignore',
      '.nexus/history.json',
      '.nexus/memory/note.md',
    ]);
    git('checkout', '-q', '--detach');
    expect(call('context').json).toMatchObject({ branch: 'HEAD' });
    git('checkout', '-q', '--orphan', 'unborn');
    expect(call('context').json).toMatchObject({ branch: 'unborn' });
    rmSync(join(project.root, '.git'), { recursive: true });
    expect(call('context').json).toMatchObject({ branch: 'unknown' });
  });

  it('what others wrote into the files stays', () => {
    put(`${STATE}/tasks.json`, { goal: 'g', decisions: [], tasks: [{ id: 4, title: 'a', mine: 1 }], theirs: true });
    addTask('b');
    expect(read(`${STATE}/tasks.json`)).toMatchObject({
      theirs: true,
      tasks: [{ id: 4, title: 'a', mine: 1 }, { id: 5 }],
    });
    call('task_update', { id: 4, status: 'completed' });
    expect(read(`${STATE}/tasks.json`).tasks[0]).toEqual({ id: 4, title: 'a', mine: 1, status: 'completed' });
  });

  it('an empty lock of another tool counts, until it is old', () => {
    addTask();
    const lock = join(project.root, STATE, 'tasks.json.lock');
    writeFileSync(lock, '');
    const long = new Date(Date.now() - 31_000);
    utimesSync(lock, long, long);
    expect(addTask()).toMatchObject({ code: 0 });
    expect(existsSync(lock)).toBe(false);
    writeFileSync(lock, '');
    expect(addTask()).toMatchObject({ code: 4, json: { error: { code: 'LOCKED' } } });
    expect(readFileSync(lock, 'utf8')).toBe('');
  });

  it('what a killed call left goes with its lock, and beside a file without one when that is written', () => {
    addTask();
    const { pid } = spawnSync('true');
    const left = { ...identifyProcess(), pid, start: null, token: 'a', at: '', for: 'x' };
    put(`${STATE}/tasks.json.lock`, left);
    const halves = ['tasks.json', 'dev-cli-agent/closing.json', 'artifacts/a.md'].map(
      (name) => `${STATE}/${name}.lock.${pid}.ab`,
    );
    for (const half of halves) put(half, '{"goal": "g", "ta');
    put(`${STATE}/tasks.json.lock.break-cd`, left);
    put(`${STATE}/tasks.json.lock.break-ef`, { ...left, pid: process.pid });
    put(`${STATE}/artifacts/a.md.lock.${process.pid}.ab`, 'of a call that is at work');
    addTask();
    expect(halves.map((half) => existsSync(join(project.root, half)))).toEqual([false, true, true]);
    call('task_close');
    call('artifact_write', { filename: 'a.md', content: 'x' });
    const files = Object.keys(imageOf(project, '.nexus')).filter((file) => file.includes('.lock'));
    expect(files.map((file) => file.split('/').at(-1))).toEqual([
      `a.md.lock.${process.pid}.ab`,
      'tasks.json.lock.break-ef',
    ]);
  });

  it('a file keeps its mode', () => {
    addTask();
    const file = join(project.root, STATE, 'tasks.json');
    chmodSync(file, 0o640);
    addTask();
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('a call that is cancelled while it waits for a lock changes nothing', async () => {
    addTask();
    put(`${STATE}/tasks.json.lock`, '');
    const before = imageOf(project, '.nexus');
    const cancelled = new AbortController();
    const context = { workTree: project.root, clock: systemClock, ids: systemIds, signal: cancelled.signal };
    const made = callContractTool(context, 'task_add', { title: 'T', context: 'c' });
    cancelled.abort();
    await expect(made).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(imageOf(project, '.nexus')).toEqual(before);
  });

  it('an add takes the lock of the plan where it reads it, and only there', () => {
    call('plan_start', { topic: 'x', issues: [], research_summary: 's' });
    const lock = join(project.root, STATE, 'plan.json.lock');
    const leave = () => {
      writeFileSync(lock, '');
      const long = new Date(Date.now() - 31_000);
      utimesSync(lock, long, long);
    };
    leave();
    addTask();
    expect(existsSync(lock)).toBe(false);
    expect(call('task_list').json['goal']).toBe('x');
    leave();
    addTask();
    expect(existsSync(lock)).toBe(true);
  });

  it('a lock of a process that has ended is broken', () => {
    addTask();
    const lock = join(project.root, STATE, 'tasks.json.lock');
    const { pid } = spawnSync('true');
    writeFileSync(lock, JSON.stringify({ ...identifyProcess(), pid, start: null, token: 'a', at: '', for: 'x' }));
    expect(addTask()).toMatchObject({ code: 0 });
    expect(existsSync(lock)).toBe(false);
  });

  it('a linked work tree has files of its own, and a directory below has those of its project', () => {
    addTask();
    const below = join(project.root, 'src');
    expect(devCli(project, ['nexus', 'call', 'task_list'], { cwd: below }).json).toMatchObject({ exists: true });
    const tree = join(project.home, 'tree');
    git('worktree', 'add', '-q', '-b', 'side/x', tree);
    expect(devCli(project, ['nexus', 'call', 'task_list'], { cwd: tree }).json).toMatchObject({ exists: false });
    expect(devCli(project, ['nexus', 'call', 'context'], { cwd: tree }).json).toMatchObject({ branch: 'side/x' });
  });
});

describe('what an archiving call left undone (neutral.md, Writing)', () => {
  const CLOSING = `${STATE}/dev-cli-agent/closing.json`;
  const tasks = { goal: 'g', decisions: [], tasks: [] };
  const cycle = { completed_at: '2026-01-01T00:00:00.000Z', branch: 'main', plan: null, tasks: [] };
  const leave = (was: string) => {
    put(`${STATE}/tasks.json`, tasks);
    put(CLOSING, { cycle, files: [{ path: `${STATE}/tasks.json`, was, content: null }] });
  };
  const digest = () =>
    createHash('sha256')
      .update(readFileSync(join(project.root, STATE, 'tasks.json')))
      .digest('hex');
  const setUp = () => {
    put(`${STATE}/tasks.json`, tasks);
    leave(digest());
  };

  it('is finished where the history has its cycle', () => {
    setUp();
    put('.nexus/history.json', { cycles: [cycle] });
    const before = imageOf(project, '.nexus');
    expect(call('task_list').json).toMatchObject({ exists: false });
    expect(imageOf(project, '.nexus')).toEqual(before);
    expect(addTask('new').json).toMatchObject({ task: { id: 1 } });
    expect(read('.nexus/history.json').cycles).toHaveLength(1);
    expect(existsSync(join(project.root, CLOSING))).toBe(false);
  });

  it('is dropped where it has not', () => {
    setUp();
    expect(call('task_list').json).toMatchObject({ exists: true });
    expect(call('task_close').json).toMatchObject({ total_cycles: 1, archived: { tasks: 0 } });
    expect(existsSync(join(project.root, CLOSING))).toBe(false);
  });

  it('leaves a file that somebody changed since', () => {
    leave('0'.repeat(64));
    put('.nexus/history.json', { cycles: [cycle] });
    const { json } = call('task_add', { title: 'n', context: 'c' });
    expect(json['warnings']).toEqual([`${STATE}/tasks.json was changed after its cycle was archived, and stays.`]);
    expect(read(`${STATE}/tasks.json`)).toMatchObject({ goal: 'g', tasks: [{ id: 1 }] });
  });

  it('and a note that is none is refused, and kept', () => {
    put(CLOSING, { files: [{ path: '/etc/passwd', was: null, content: 'x' }] });
    expect(error('task_close')).toMatch(/^closing.json cannot be used/);
  });
});
