import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BINARY, CHECKOUT, createProject, type Project } from '../../support/project.mjs';

/** The whole program, which the questions' own one leaves calls to. */
const WHOLE = join(CHECKOUT, 'dist/cli.cjs');

describe('through the binary, a question is answered as the whole program answers it', () => {
  let project: Project;
  beforeAll(() => {
    project = createProject();
    ask(BINARY, ['init', 'one', '--recipe', 'specify-quick-autopilot', '--goal', 'Add a route']);
  });
  afterAll(() => project.remove());

  function ask(program: string, args: string[]): { status: number | null; stdout: string; stderr: string } {
    const options = { cwd: project.root, env: project.env, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
    return { status, stdout, stderr };
  }

  it.each([
    ['next'],
    ['next', 'one', '--full'],
    ['next', 'one', '--text'],
    ['next', 'one', '--wait', '0'],
    ['next', '--root', '.'],
    ['manifest', 'one'],
    ['manifest', 'one', '--json'],
    ['status', 'one', '--json'],
    ['list', '--json'],
    ['next', 'two'],
    ['next', '../x'],
    ['manifest', 'two', '--json'],
    ['status', 'two'],
    ['next', 'one', '--bogus'],
    ['status', '--help'],
  ])('%j %j %j %j', (...args) => {
    expect(ask(BINARY, args)).toEqual(ask(WHOLE, args));
  });

  it('also when something has to be finished first, which next then does', () => {
    const state = join(project.root, '.dev/specs/one/state.json');
    const before = ask(BINARY, ['next', 'one']);
    rmSync(state);
    expect(ask(BINARY, ['manifest', 'one'])).toEqual(ask(WHOLE, ['manifest', 'one']));
    expect(ask(BINARY, ['next', 'one'])).toEqual(before);
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ name: 'one' });
  });

  it('also when nothing can be answered', () => {
    const journal = join(project.root, '.dev/specs/one/events.jsonl');
    const whole = readFileSync(journal);
    appendFileSync(journal, '{"v":1}\n{"v":1}\n');
    const { status, stdout } = ask(BINARY, ['next', 'one']);
    expect([status, stdout]).toEqual([1, ask(WHOLE, ['next', 'one']).stdout]);
    expect(stdout).toContain('JOURNAL_CORRUPT');
    writeFileSync(journal, whole);
  });
});
