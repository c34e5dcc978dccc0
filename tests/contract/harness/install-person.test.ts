import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listHarnessMarks } from '../../../src/base/harness-mark.js';
import { type CallOptions, devCli, imageOf, init } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { CHECKOUT, createProject, type Project } from '../../support/project.mjs';
import { findTerminal } from '../../support/terminal.mjs';

// harness.md, Install: an agent must not change its own hooks and permissions, so a person is asked.

useProject();

const terminal = findTerminal();
const around = () => ({ HOME: project.home, XDG_STATE_HOME: '', PATH: '' });
const call = (words: string, options: CallOptions = {}) =>
  devCli(project, [...words.split(' '), '--json'], { ...options, env: { ...around(), ...options.env } });
const type = (words: string, answer?: string, env: NodeJS.ProcessEnv = {}) =>
  terminal?.(`dev-cli ${words}`, {
    cwd: project.root,
    env: { ...project.env, ...around(), ...env },
    ...(answer === undefined ? {} : { answers: [answer] }),
  });
const lookAtAll = () => [imageOf(project, '.'), imageOf({ root: project.home } as Project, '.')];
const beginGuarded = () => init(project, 'add-x', '--goal', 'Add X', '--recipe', 'specify-quick-interactive');

function expectRefused(words: string, options: CallOptions = {}): Record<string, unknown> {
  const before = lookAtAll();
  const { code, json } = call(words, options);
  expect([code, json.error?.code], JSON.stringify(json)).toEqual([3, 'TERMINAL_REQUIRED']);
  expect(lookAtAll()).toEqual(before);
  return json;
}

const MARKS = listHarnessMarks();

it('the marks are those that the protocol names', () => {
  const page = readFileSync(join(CHECKOUT, 'docs/spec/protocol.md'), 'utf8');
  const line = page.split('\n').find((one) => one.startsWith("A harness's mark")) ?? '';
  expect([...line.matchAll(/`([A-Z_]+)`/g)].map(([, mark]) => mark).sort()).toEqual([...MARKS].sort());
});

describe('the marks of whoever runs the tests', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('reach no project of a test (environment in tests/support/project.mjs)', () => {
    for (const mark of MARKS) vi.stubEnv(mark, '1');
    const made = createProject({ git: false });
    made.remove();
    expect(MARKS.filter((mark) => mark in made.env)).toEqual([]);
  });
});

describe.each(MARKS)('under %s', (mark) => {
  const env = { [mark]: '1' };

  it.each(['install --harness claude', 'install --harness claude --yes', 'install --user --harness codex --yes'])(
    '`%s` is a person’s',
    (words) => {
      const { error } = expectRefused(words, { env }) as { error: { message: string; answer: string } };
      expect(error.message).toContain(`${mark} is set`);
      expect(error.answer).toBe(
        `dev-cli ${words.replace(' --yes', '')}`.replace('--user --harness codex', '--harness codex --user'),
      );
    },
  );

  it('what stands is not taken away, with a live run and without, and what is there already is no refusal', () => {
    expect(call('install --harness claude --yes').code).toBe(0);
    expect(call('install --user --harness claude --yes').code).toBe(0);
    for (const words of ['uninstall --yes', 'uninstall --harness claude', 'uninstall --user --yes'])
      expectRefused(words, { env });
    beginGuarded();
    for (const words of ['uninstall --yes', 'uninstall --user --yes', 'install --harness codex --yes'])
      expectRefused(words, { env });
    expect(call('install --harness claude', { env }).code).toBe(0);
    for (const words of ['install --harness codex --dry-run', 'uninstall --dry-run'])
      expect(call(words, { env }).json, words).toMatchObject({ ok: true, status: 'planned' });
  });
});

it.skipIf(terminal === null)('a terminal is no person under a mark', () => {
  const before = lookAtAll();
  expect(type('install --harness claude', 'y', { GEMINI_CLI: '1' })?.exit).toBe(3);
  expect(lookAtAll()).toEqual(before);
});

describe('off a terminal', () => {
  it('shows what it would do to each file, and ends with 3; --yes does it, as in a script', () => {
    const shown = expectRefused('install --harness claude') as {
      harnesses: { files: { path: string; does: string }[] }[];
    };
    expect(shown).toMatchObject({
      ok: false,
      status: 'planned',
      error: { fix: 'dev-cli install --harness claude --yes' },
    });
    const would = shown.harnesses.flatMap(({ files }) => files);
    expect(would).toContainEqual(expect.objectContaining({ path: '.claude/settings.json', does: 'created' }));
    const { code, stdout } = devCli(project, ['install', '--harness', 'claude'], { env: around() });
    expect(code).toBe(3);
    expect(stdout).toMatch(/^Nothing was written\. What would be done:\nClaude Code\n {2}create {4}/);
    expect(stdout).toContain('To do it: dev-cli install --harness claude --yes');
    const done = call('install --harness claude --yes');
    expect([done.code, done.json['harnesses']]).toEqual([0, shown.harnesses]);
    // The second time nothing changes, so nothing is asked.
    expect(call('install --harness claude')).toMatchObject({ code: 0, json: { status: 'installed' } });
    expectRefused('uninstall');
    expect(call('uninstall --yes').code).toBe(0);
    expect(call('uninstall').code).toBe(0);
  });

  it('while a run is guarded uninstall is as `guard off`: --yes does not make up for the terminal', () => {
    expect(call('install --harness claude --yes').code).toBe(0);
    beginGuarded();
    for (const words of ['uninstall --yes', 'uninstall --harness claude --yes', 'uninstall --user --harness claude']) {
      if (words.includes('--user')) expect(call('install --user --harness claude --yes').code).toBe(0);
      expect(expectRefused(words)).toMatchObject({ error: { answer: expect.stringMatching(/^dev-cli uninstall/) } });
    }
    expect(call('abort add-x --reason enough').code).toBe(0);
    expect(call('uninstall --yes').code).toBe(0);
  });
});

it.skipIf(terminal === null)(
  'on a terminal a person may uninstall while a run is guarded, once asked or with --yes',
  () => {
    for (const [words, answer] of [
      ['uninstall', 'y'],
      ['uninstall --yes', undefined],
    ] as const) {
      expect(call('install --harness claude --yes').code).toBe(0);
      const { stdout } = devCli(project, ['status', 'add-x'], {});
      if (stdout.trim() === '' || stdout.includes('no run')) beginGuarded();
      const before = lookAtAll();
      if (answer !== undefined) {
        expect(type(words, 'n')?.exit).toBe(2);
        expect(lookAtAll()).toEqual(before);
      }
      expect(type(words, answer)?.exit).toBe(0);
      expect(lookAtAll()).not.toEqual(before);
    }
  },
);
