import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { leaveRun } from '../../support/hooks.js';

// harness.md, Sessions: Claude Code started below the root loads the skills of the project, but none of its hooks.

let below: string;
useProject();
beforeEach(() => {
  below = join(project.root, 'packages/a');
  mkdirSync(below, { recursive: true });
});

const mark = (session: string) => ({ CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: session });
const by = (session: string, words: string[], cwd = below) =>
  devCli(project, [...words, '--json'], { env: mark(session), cwd });
const warningsOf = (...given: Parameters<typeof by>) => {
  const { code, json, stdout } = by(...given);
  expect(code, stdout).toBe(0);
  return ((json.warnings ?? []) as string[]).filter((warning) => warning.includes('no hook of dev-cli'));
};
const install = (...words: string[]) =>
  expect(devCli(project, ['install', '--harness', 'claude', ...words, '--yes']).code).toBe(0);
const INIT = ['init', 'add-x', '--goal', 'Add X', '--recipe', 'specify-quick-interactive'];
const WHY = [
  expect.stringMatching(/only if it is started there, but this session is in .*packages\/a\. Tell the user/),
];

/** Simulates a session of Claude Code that begins at the root, where it runs the installed line. */
function beginSession(session: string): void {
  const { hooks } = JSON.parse(readFileSync(join(project.root, '.claude/settings.json'), 'utf8'));
  const { status, stderr } = spawnSync('sh', ['-c', hooks.SessionStart[0].hooks[0].command], {
    cwd: project.root,
    env: {
      ...project.env,
      PATH: `${join(dirname(project.root), 'bin')}:${process.env['PATH']}`,
      CLAUDE_PROJECT_DIR: project.root,
    },
    input: JSON.stringify({
      session_id: session,
      cwd: project.root,
      source: 'startup',
      hook_event_name: 'SessionStart',
    }),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
}

describe('a session of Claude Code in which no hook was heard', () => {
  it('is told so by init, once, with the cause', () => {
    install();
    expect(warningsOf('s-1', INIT)).toEqual(WHY);
    expect(warningsOf('s-1', INIT)).toEqual([]);
    expect(warningsOf('s-1', ['next'])).toEqual([]);
  });

  it('is told so by next, once, beside the same action, and nothing of the run is written', () => {
    install();
    by('s-1', INIT);
    const before = imageOf(project, '.dev/specs');
    const told = by('s-2', ['next', 'add-x']).json;
    expect(told.warnings).toEqual(WHY);
    expect(warningsOf('s-4', ['next', 'add-x'], project.root)).toEqual([expect.stringContaining('`dev-cli doctor`')]);
    const { json: again, stdout } = by('s-2', ['next', 'add-x']);
    expect(again).toEqual({ ...told, warnings: undefined });
    expect(by('s-2', ['next', 'add-x']).stdout).toBe(stdout);
    expect(imageOf(project, '.dev/specs')).toEqual(before);
    const text = devCli(project, ['next', 'add-x', '--text'], { env: mark('s-3'), cwd: below }).stdout;
    expect(text).toMatch(/\nwarning: no hook of dev-cli has been heard/);
  });

  it('at the root, where the cause is another, is told by init what looks for it', () => {
    install();
    expect(warningsOf('s-1', INIT, project.root)).toEqual([expect.stringContaining('`dev-cli doctor`')]);
  });

  it('a refused init tells nothing, and the next one does', () => {
    install();
    expect(by('s-1', ['init', 'add-x', '--recipe', 'no-such']).code).not.toBe(0);
    expect(warningsOf('s-1', INIT)).toEqual(WHY);
  });

  it('is asked by doctor, which has the cause, also when init has bound it', () => {
    install();
    const session = () =>
      (
        by('s-1', ['doctor']).json['findings'] as { check: string; severity: string; message: string; fix: string }[]
      ).find(({ check }) => check === 'session');
    const cause = {
      severity: 'problem',
      message: expect.stringMatching(/No hook .*only if it is started there, but this session is in .*packages\/a/),
      fix: expect.stringContaining('dev-cli install --harness claude --user'),
    };
    expect(session()).toMatchObject(cause);
    by('s-1', INIT);
    expect(session()).toMatchObject(cause);
    beginSession('s-1');
    expect(session()).toMatchObject({ severity: 'ok', message: expect.stringContaining('in "add-x"') });
  });
});

describe('nothing is said', () => {
  it('where hooks were heard, in a project without runs, too; git sees nothing of it', () => {
    install();
    execFileSync('git', ['add', '-A'], { cwd: project.root });
    beginSession('s-1');
    const seen = execFileSync('git', ['ls-files', '--others', '--exclude-standard'], {
      cwd: project.root,
      encoding: 'utf8',
    });
    expect(seen).toBe('');
    expect(warningsOf('s-1', INIT)).toEqual([]);
    expect(warningsOf('s-1', ['next'])).toEqual([]);
    leaveRun(project, 'add-x', 's-1');
    expect(warningsOf('s-1', ['next', 'add-x'])).toEqual([]);
  });

  it('outside of Claude Code, where nothing is installed, or only for the user', () => {
    expect(warningsOf('s-1', INIT)).toEqual([]);
    install('--user');
    expect(warningsOf('s-2', ['next', 'add-x'])).toEqual([]);
    install();
    const none = { CLAUDECODE: '', CLAUDE_CODE_SESSION_ID: 's-3' };
    expect(devCli(project, ['next', 'add-x', '--json'], { env: none, cwd: below }).json.warnings).toBeUndefined();
    expect(warningsOf('s-3', ['next', 'add-x'])).toEqual(WHY);
  });

  it('in a clone before its first run, where hooks could not leave a trace', () => {
    install();
    rmSync(join(project.root, '.dev'), { recursive: true });
    expect(warningsOf('s-1', INIT)).toEqual([]);
    expect(warningsOf('s-2', ['next', 'add-x'])).toEqual(WHY);
  });
});
