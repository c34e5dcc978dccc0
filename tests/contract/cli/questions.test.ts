import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuestionName } from '../../../src/app/questions.js';
import { FORMS, plainQuestion } from '../../../src/cli/question.js';
import { findSpec } from '../../../src/registry/find.js';
import { parseCommand } from '../../../src/registry/parse.js';
import { BINARY, CHECKOUT, createProject, type Project } from '../../support/project.mjs';

/** The whole program, which the questions' own one leaves calls to. */
const WHOLE = join(CHECKOUT, 'dist/cli.cjs');

const word = fc.oneof(
  fc.constantFrom(
    '--json',
    '--text',
    '--full',
    '--wait',
    '45',
    '--root',
    '.',
    '--help',
    '-h',
    '--',
    '-',
    '',
    '--x',
    '@f',
  ),
  fc.constantFrom('add-auth', 'name', '--name', '--full=1', 'two words', '--json=', '__proto__', '--constructor'),
  fc.string({ maxLength: 5 }).filter((text) => !text.includes('\0')),
);

describe('a question in its plain form', () => {
  it('is what the registry says of it', () => {
    for (const [name, form] of Object.entries(FORMS)) {
      const spec = findSpec(name);
      expect({ output: spec?.output, actor: spec?.actor }).toEqual({ output: form.output, actor: form.actor });
      expect(spec?.positionals.map(({ key }) => key)).toEqual(form.named ? ['name'] : []);
      const flags = spec?.options.filter((option) => option.form === 'flag').map(({ flag }) => flag);
      expect(flags).toEqual(form.flags);
    }
  });

  it('is read as the registry reads it, or not at all', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(FORMS)), fc.array(word, { maxLength: 4 }), (command, words) => {
        const question = plainQuestion([command, ...words]);
        if (question === null) return;
        read += 1;
        const { input, globals } = parseCommand([command, ...words]);
        expect({ command: question.command, input: question.input, globals: question.globals }).toEqual({
          command,
          input,
          globals,
        });
      }),
      { numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(50);
  });

  it.each(['next', 'manifest', 'status', 'list'] satisfies QuestionName[])('is the usual one of %s', (command) => {
    const named = FORMS[command].named ? ['add-auth'] : [];
    expect(plainQuestion([command, ...named, '--json'])).toMatchObject({ command, globals: { json: true } });
    expect(plainQuestion([command, ...named, '--bogus'])).toBeNull();
  });
});

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
