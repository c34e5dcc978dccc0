import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callDoor } from '../../support/door.js';
import { git } from '../../support/loop.js';
import { createProject, type Project } from '../../support/project.mjs';

// loop-operations.md, Explore: the `explore` command.

let project: Project;

const FILES: Record<string, string> = {
  'src/lease.ts': 'export function expireLease() {}\n',
  'src/queue.ts': "import { expireLease } from './lease.js';\n",
  'tests/queue.test.ts': "import { take } from '../src/queue.js';\n",
  'pkg/__init__.py': '',
  'pkg/zebra.py': 'STRIPES = 7\n',
  'pkg/main.py': 'from . import (\n    zebra,\n)\n',
  'ru.txt': 'Здесь Поиск по словам\n',
  'zh.txt': '用户登录失败\n',
  'min.js': `${'x;'.repeat(400_000)}needle${';y'.repeat(400_000)}\n`,
  'binary.bin': 'needle\0needle\n',
  'secret.txt': 'hidden token=ghp_abcdefghijklmnopqrstuvwxyz0123456789 \u001b[31mred\n',
  'long.txt': `${'- '.repeat(80)}ghp_abcdefghijklmnopqrstuvwxyz0123456789 ${'. '.repeat(30)} lion ${'. '.repeat(400)}\n`,
  'odd "na\nme .txt': 'quagga\n',
  'logs/kept.log': 'okapi\n',
  'logs/.gitignore': '*.log\n',
  '.ai/goals.yaml': 'goals: [{id: x, title: quagga, status: active}]\n',
};

beforeAll(() => {
  project = createProject({ sample: null });
  for (const [path, text] of Object.entries(FILES)) put(path, text);
  writeFileSync(
    Buffer.concat([Buffer.from(`${project.root}/bad-`), Buffer.from([0xff]), Buffer.from('.txt')]),
    'gnu\n',
  );
  symlinkSync('src/lease.ts', join(project.root, 'link.ts'));
  git(project, 'add', '-A');
  git(project, 'add', '-f', 'logs/kept.log');
  git(project, 'commit', '-q', '-m', 'files');
  put('logs/ignored.log', 'okapi\n');
  put('new/fresh.txt', 'okapi new\n');
  put('.ai/handoffs/new.md', 'okapi\n');
  git(project, 'init', '-q', 'nested');
  put('nested/own.txt', 'okapi nested\n');
});

afterAll(() => project.remove());

function put(path: string, text: string): void {
  mkdirSync(dirname(join(project.root, path)), { recursive: true });
  writeFileSync(join(project.root, path), text);
}

function call(args: string[], { cwd = project.root, env = {} as NodeJS.ProcessEnv } = {}) {
  return callDoor({ argv: ['explore', ...args], cwd, env: { ...project.env, ...env } });
}

function report(question: string, about?: Parameters<typeof call>[1]) {
  const { exit, stdout, stderr } = call([question, '--json'], about);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return JSON.parse(stdout).report;
}

const pathsOf = (question: string, about?: Parameters<typeof call>[1]): string[] =>
  report(question, about).matches.map(({ path }: { path: string }) => path);

describe('explore', () => {
  it('answers with lines, who imports them, tests and figures', () => {
    const { stdout } = call(['where is expireLease?', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      root: project.root,
      report: {
        question: 'where is expireLease?',
        terms: expect.arrayContaining(['expirelease', 'where']),
        dropped: [],
        matches: [
          {
            path: 'src/lease.ts',
            line: 1,
            text: 'export function expireLease() {}',
            score: expect.any(Number),
            terms: expect.arrayContaining(['lease']),
          },
          {
            path: 'src/queue.ts',
            line: 1,
            text: "import { expireLease } from './lease.js';",
            score: expect.any(Number),
            terms: expect.arrayContaining(['lease']),
          },
        ],
        callers_by_file: { 'src/lease.ts': ['src/queue.ts'], 'src/queue.ts': ['tests/queue.test.ts'] },
        related_tests: ['tests/queue.test.ts'],
        impact: { matched_files: 2, caller_files: 2, related_tests: 1, estimated_total_impacted_files: 3 },
      },
    });
    expect(report('stripes').callers_by_file).toEqual({ 'pkg/zebra.py': ['pkg/main.py'] });
  });

  it('takes any script, any name, a long line and a long question', () => {
    expect(pathsOf('поиск')).toEqual(['ru.txt']);
    expect(pathsOf('登录')).toEqual(['zh.txt']);
    expect(pathsOf('quagga')).toEqual(['odd "na\nme .txt']);
    expect(pathsOf('gnu')).toEqual(['bad-\\xff.txt']);
    expect(pathsOf(`${'quagga '.repeat(14_000)}`)).toEqual(['odd "na\nme .txt']);
    const [{ path, text }, ...others] = report('needle').matches;
    expect({ path, others }).toEqual({ path: 'min.js', others: [] });
    expect(text).toMatch(/^….*needle.*…$/);
    expect(text.length).toBeLessThanOrEqual(240);
  });

  it('reads what git lists: tracked though ignored, and new; nothing ignored, linked or of another repository', () => {
    expect(pathsOf('okapi').sort()).toEqual(['logs/kept.log', 'new/fresh.txt']);
  });

  it('masks secrets, and shows no control characters', () => {
    const { stdout } = call(['hidden', '--text']);
    expect(report('hidden').matches[0].text).toBe('hidden token=[masked] red');
    // Secrets must be masked before a line is shortened: half a secret would no longer be recognized as one.
    expect(report('lion').matches[0].text).not.toMatch(/wxyz0123/);
    expect(stdout).toContain('secret.txt:1: hidden token=[masked] red');
    expect(call(['quagga', '--text']).stdout).toContain('odd "na me .txt:1: quagga');
  });

  it('is not misled by the environment or the configuration of git', () => {
    for (const key of ['grep.column', 'grep.fullName', 'submodule.recurse']) git(project, 'config', key, 'true');
    git(project, 'config', 'color.grep', 'always');
    const env = { GIT_DIR: '/nowhere', GIT_LITERAL_PATHSPECS: '1' };
    expect(pathsOf('expireLease', { env })).toEqual(['src/lease.ts', 'src/queue.ts']);
    expect(pathsOf('okapi', { env })).toHaveLength(2);
    expect(report('поиск', { env }).matches[0].text).toBe('Здесь Поиск по словам');
  });

  it('says which words it left out, since they are everywhere', () => {
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) put(`cart/${n}.txt`, n === 1 ? 'cart tapir\n' : 'cart\n');
    expect(report('cart tapir')).toMatchObject({ terms: ['tapir'], dropped: ['cart'] });
    expect(call(['cart tapir', '--text']).stdout).toMatch(/\nIgnored, [^\n]*: cart\n/);
    rmSync(join(project.root, 'cart'), { recursive: true });
  });

  it('stays below a root that is a part of its repository', () => {
    const { stdout } = call(['expireLease', '--json', '--root', 'src']);
    const { root, report: found } = JSON.parse(stdout);
    expect(root).toBe(join(project.root, 'src'));
    expect(found.callers_by_file).toEqual({ 'lease.ts': ['queue.ts'] });
  });

  it.each([
    [['…!'], 2, 'USAGE'],
    [[' '], 2, 'USAGE'],
    [['\u0007\u001b\u202e'], 2, 'USAGE'],
    [['lease', '--max-matches', '0'], 2, 'USAGE'],
    [['lease', '--max-matches', '201'], 2, 'USAGE'],
    [['lease', '--root', '/'], 3, 'NEEDS_MISSING'],
  ])('refuses %j', (args, exit, code) => {
    const answered = call([...args, '--json']);
    expect([answered.exit, JSON.parse(answered.stdout).error.code]).toEqual([exit, code]);
  });

  it('lists as many lines as are asked for', () => {
    expect(JSON.parse(call(['import', '--max-matches', '1', '--json']).stdout).report.matches).toHaveLength(1);
  });
});
