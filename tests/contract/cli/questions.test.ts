import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REGISTRY } from '../../../src/registry/find.js';
import { callDoor } from '../../support/door.js';
import { CHECKOUT, createProject, type Project } from '../../support/project.mjs';

/**
 * For every question (a command with a file in src/cli/questions/), one call with each of its options. JSON contains no
 * durations, which would differ between two calls; `--watch` would not end.
 */
const WITH_OPTIONS = REGISTRY.commands
  .filter(({ name }) => existsSync(join(CHECKOUT, `src/cli/questions/${name}.ts`)))
  .flatMap(({ name, options }) =>
    options.map(({ flag, form }) => [name, '--json', `--${flag}`, ...(form === 'flag' ? [] : ['0'])]),
  )
  .filter((args) => !args.includes('--watch'));

describe('a question is answered as the whole program answers it', () => {
  let project: Project;
  beforeAll(() => {
    project = createProject();
    ask(['init', 'one', '--recipe', 'specify-quick-autopilot', '--goal', 'Add a route']);
  });
  afterAll(() => project.remove());

  const ask = (argv: string[], whole = false) => callDoor({ argv, whole, cwd: project.root, env: project.env });

  it.each([
    ...WITH_OPTIONS,
    ['next'],
    ['next', 'one', '--text'],
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
    expect(ask(args)).toEqual(ask(args, true));
  });

  it('also when something has to be finished first, which next then does', () => {
    const state = join(project.root, '.dev/specs/one/state.json');
    const before = ask(['next', 'one']);
    rmSync(state);
    expect(ask(['manifest', 'one'])).toEqual(ask(['manifest', 'one'], true));
    expect(ask(['next', 'one'])).toEqual(before);
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ name: 'one' });
  });

  it('also when nothing can be answered', () => {
    const journal = join(project.root, '.dev/specs/one/events.jsonl');
    const whole = readFileSync(journal);
    appendFileSync(journal, '{"v":1}\n{"v":1}\n');
    const { exit, stdout } = ask(['next', 'one']);
    expect([exit, stdout]).toEqual([1, ask(['next', 'one'], true).stdout]);
    expect(stdout).toContain('JOURNAL_CORRUPT');
    writeFileSync(journal, whole);
  });
});
