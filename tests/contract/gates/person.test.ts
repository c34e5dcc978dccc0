import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { listHarnessMarks } from '../../../src/base/harness-mark.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, imageOf, journalOf, nextOf, runPrinted, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { generatePlan } from '../../support/executing.js';
import { bareTodo, smallPlan } from '../../support/small.mjs';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { AGENTS_BLOCK, deliver, END_BLOCK, PLAIN_BLOCK, startTiny, tiny } from '../../support/tiny.js';

// A person's word (protocol.md §3; harness.md, Human gates): who can give it, and what does not count as such.

const GATE =
  '\n  - id: approve\n    type: wait-for-user\n    human: required\n    message: Shall it be?\n    choices: [{ id: approve, label: go, goto: next }, { id: stop, label: no, goto: halt }]\n';
const RECIPE_WITH_COMMAND = '\n  - id: outside\n    type: cli\n    command: touch ran.txt\n';

useProject({ sample: null });

const terminal = findTerminal();
const skipped = terminal === null;

/** Runs a command at a terminal and types these answers to its questions. */
function typed(command: string, answers: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const result = terminal?.(command, { cwd: project.root, env: { ...project.env, ...env }, answers });
  return result ?? { exit: -1, output: '' };
}

const pending = (name = 'run-1'): Action => devCli(project, ['next', name]).json as unknown as Action;

describe.skipIf(skipped)(`a terminal${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`, () => {
  it.each(listHarnessMarks())(
    'where %s stands is no person: approve and trust name it, as one line of JSON',
    (mark) => {
      startTiny(project, [GATE, END_BLOCK]);
      const recipe = tiny(project, 'outside', [RECIPE_WITH_COMMAND, END_BLOCK]);
      const image = imageOf(project);
      for (const command of [
        'approve run-1',
        'approve run-1 --choice approve',
        'approve',
        `trust ${recipe}`,
        'trust preferences',
      ]) {
        const { exit, output } = typed(`dev-cli ${command}`, ['approve', 'yes'], { [mark]: '1' });
        expect([exit, output.trim().split('\n').length], output).toEqual([3, 1]);
        const { error } = JSON.parse(output);
        expect(error).toMatchObject({
          code: 'TERMINAL_REQUIRED',
          answer: expect.stringMatching(/^dev-cli (approve run-1|trust)/),
        });
        expect(error.message).toContain(mark);
        expect(error.fix).not.toMatch(/approve|trust/);
      }
      expect(imageOf(project)).toEqual(image);
    },
  );

  it('is a person’s where the mark is set to nothing', () => {
    startTiny(project, [GATE, END_BLOCK]);
    const { exit, output } = typed('dev-cli approve run-1', ['approve'], { CLAUDECODE: '', GEMINI_CLI: '' });
    expect(exit, output).toBe(0);
    expect(stateOf(project, 'run-1').gates['approve']).toMatchObject({ choice: 'approve', by: 'human' });
  });

  it('makes no acknowledgement a person’s word', () => {
    const gate = startTiny(project, [GATE, END_BLOCK]);
    const image = imageOf(project);
    const { exit, output } = typed(`dev-cli step complete run-1 --action ${gate.actionId} --choice approve`);
    expect(exit).toBe(3);
    expect(output).toContain('HUMAN_REQUIRED');
    expect(output).toContain('answer: dev-cli approve run-1');
    expect(imageOf(project)).toEqual(image);
  });

  it('makes nothing else a person’s either: only what approve wrote is', () => {
    const recipe = tiny(project, 'plain', [PLAIN_BLOCK, GATE, END_BLOCK]);
    typed(`dev-cli init run-1 --recipe ${recipe} --goal x`);
    typed('dev-cli step complete run-1 --action a1');
    typed('dev-cli approve run-1', ['1']);
    const human = journalOf(project, 'run-1').filter(({ by }) => (by as { kind: string }).kind === 'human');
    expect(human.map(({ type }) => type)).toContain('acknowledged');
    expect(human.every(({ data }) => (data as { actionId?: string }).actionId !== 'a1')).toBe(true);
    expect(devCli(project, ['history', 'run-1']).stdout).toMatch(/approve a2: approve after .*, by human/);
  });

  it('has failures as text on standard error when it is a person’s, as JSON where a mark stands', () => {
    const text = typed('dev-cli next nothing 2>err.txt; echo on stderr:; cat err.txt');
    expect(text.output).toMatch(/^on stderr:\nNO_SUCH_RUN: /);
    const json = typed('dev-cli next nothing 2>&1', [], { GEMINI_CLI: '1' });
    expect(JSON.parse(json.output)).toMatchObject({ ok: false, error: { code: 'NO_SUCH_RUN' } });
    expect(typed('dev-cli next nothing --json', []).output).toContain('"code": "NO_SUCH_RUN"');
  });
});

describe('approve', () => {
  it('piped is refused, with what the user runs', () => {
    startTiny(project, [GATE, END_BLOCK]);
    const piped = devCli(project, ['approve', 'run-1', '--choice', 'approve'], { stdin: 'yes\nyes\n' });
    expect(piped.code).toBe(3);
    expect(piped.json.error).toMatchObject({ code: 'TERMINAL_REQUIRED', answer: 'dev-cli approve run-1' });
  });

  it('finds what waits; nothing, and several, are exit 2', () => {
    startTiny(project, [PLAIN_BLOCK], '', 'busy');
    expect(devCli(project, ['approve']).json.error?.code).toBe('DATA_UNEXPECTED');
    startTiny(project, [GATE, END_BLOCK], '', 'one');
    expect(devCli(project, ['approve']).json.error).toMatchObject({
      code: 'TERMINAL_REQUIRED',
      answer: 'dev-cli approve one',
    });
    startTiny(project, [GATE, END_BLOCK], '', 'two');
    const several = devCli(project, ['approve']);
    expect([several.code, several.json.error?.code]).toEqual([2, 'NAME_REQUIRED']);
    expect(several.json.error?.details?.map(({ target }) => target).sort()).toEqual(['one', 'two']);
  });

  it.skipIf(skipped)('of a choice asks for yes; an unknown one, and anything but yes, change nothing', () => {
    startTiny(project, [GATE, END_BLOCK]);
    const image = imageOf(project);
    expect(typed('dev-cli approve run-1 --choice constructor').output).toContain('UNKNOWN_CHOICE');
    const doubted = typed('dev-cli approve run-1 --choice approve', ['y']);
    expect(doubted.output).toContain('Shall it be?');
    expect(doubted.output).toContain('Type yes to answer «approve»');
    expect([doubted.exit, imageOf(project)]).toEqual([2, image]);
    expect(typed('dev-cli approve run-1 --choice approve', ['yes']).exit).toBe(0);
    expect(typed('dev-cli approve run-1', []).output).toContain('DATA_UNEXPECTED');
  });

  it.skipIf(skipped)('twice at once: the second hears that the gate was answered', () => {
    startTiny(project, [GATE, END_BLOCK]);
    const until = (condition: string) => `until ${condition}; do sleep 0.1; done`;
    const other = `script -qfec 'dev-cli approve run-1' /dev/null`;
    const both = typed(
      `{ ${until('test -e first-done')}; echo approve; } | ${other} > second.txt & ${until('grep -q "Shall it be" second.txt 2>/dev/null')}; dev-cli approve run-1; echo first $?; touch first-done; wait; cat second.txt`,
      ['stop'],
    );
    expect(both.output).toContain('first 0');
    expect(both.output).toContain('STALE_ACTION: The gate a1 has already been answered');
    expect(stateOf(project, 'run-1').gates['approve']).toMatchObject({ choice: 'stop' });
  });

  it.skipIf(skipped)('shows every command whole and quoted, and nothing that a terminal would act on', () => {
    const long = 'x'.repeat(2000);
    const acceptance = Array.from({ length: 20 }, (_, index) => ({
      id: `ac-${index}`,
      kind: 'command' as const,
      run: ['echo', `${index} ${long}`, 'a b\u001b[8mhidden\u202e'],
    }));
    generatePlan(project, { ...smallPlan(), todos: [bareTodo('todo-1', { acceptance })] }, 'run-1');
    devCli(project, ['init', 'run-1', '--execute']);
    const { output } = typed('dev-cli approve run-1', ['']);
    const shown = output.replaceAll('\n', '');
    for (const { run } of acceptance) expect(shown).toContain(`echo "${run[1]}" "a b`);
    expect(output).not.toMatch(/\u001b\[8m|\u202e/);
    expect(shown).toContain('\\u{202e}');
  });

  it.skipIf(skipped)('takes changed sources: shows all of them and asks; then the same ack goes through', () => {
    const look = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    deliver(project, look);
    for (let index = 0; index < 25; index += 1) writeProjectFile(project, `changed-${index}.txt`, 'x');
    const refused = runPrinted(project, look.ack ?? '');
    expect(refused.json.error).toMatchObject({ code: 'SOURCES_CHANGED', answer: 'dev-cli approve run-1' });
    expect(typed(look.ack ?? '').output).toContain('SOURCES_CHANGED');
    expect(typed('dev-cli approve', ['no']).exit).toBe(2);
    expect(runPrinted(project, look.ack ?? '').json.error?.code).toBe('SOURCES_CHANGED');
    const asked = typed('dev-cli approve', ['yes']);
    expect([asked.exit, asked.output]).toEqual([0, expect.stringContaining('changed-24.txt')]);
    expect(runPrinted(project, look.ack ?? '').json).toMatchObject({ ok: true, completed: 'look' });
    for (let index = 0; index < 25; index += 1) rmSync(join(project.root, `changed-${index}.txt`));
  });
});

describe('approve_commands: auto', () => {
  const FILE = '.dev/preferences.yaml';
  const begin = (...flags: string[]) => devCli(project, ['init', 'run-1', '--execute', '--force', ...flags]).json;
  const asks = (answer: ReturnType<typeof begin>): boolean => nextOf(answer).action === 'wait-for-user';
  beforeEach(() => {
    generatePlan(
      project,
      { ...smallPlan(), todos: [bareTodo('todo-1', { acceptance: [{ id: 'ac-1', kind: 'command', run: ['true'] }] })] },
      'run-1',
    );
  });

  it('counts by --set, not by a file that anybody could have written; a warning says so', () => {
    expect(asks(begin('--set', 'approve_commands=auto'))).toBe(false);
    writeProjectFile(project, FILE, 'approve_commands: auto\n');
    const answer = begin();
    expect(asks(answer)).toBe(true);
    expect(answer.warnings?.join()).toContain('approve_commands: auto is ignored');
  });

  it.skipIf(skipped)(
    'counts for nothing once a person has refused, nor does autopilot: only their yes leads on',
    () => {
      expect(asks(begin())).toBe(true);
      expect(typed('dev-cli approve run-1', ['stop']).exit).toBe(0);
      expect(asks(begin('--autopilot'))).toBe(true);
      expect(asks(begin('--set', 'approve_commands=auto'))).toBe(true);
      expect(typed('dev-cli approve run-1', ['approve']).exit).toBe(0);
      expect(asks(begin('--autopilot'))).toBe(false);
    },
  );

  it.skipIf(skipped)('counts by a file that a person trusted as it stands', () => {
    writeProjectFile(project, FILE, 'approve_commands: auto\n');
    expect(typed('dev-cli trust preferences', ['n']).exit).toBe(2);
    expect(asks(begin())).toBe(true);
    const trusted = typed('dev-cli trust preferences', ['y']);
    expect([trusted.exit, trusted.output]).toEqual([0, expect.stringContaining('approve_commands: auto')]);
    expect(asks(begin())).toBe(false);
    writeProjectFile(project, FILE, 'approve_commands: auto\n# more\n');
    expect(asks(begin())).toBe(true);
  });

  it.skipIf(skipped).each([
    ['the timeout', { timeout: 900 }],
    ['the directory', { cwd: 'src' }],
    ['the exit code', { expect: { exitCode: 1 } }],
    ['what it prints', { expect: { exitCode: 0, stdoutContains: 'ok' } }],
  ])('an approval does not hold when %s is another', (_what, change) => {
    expect(asks(begin())).toBe(true);
    expect(typed('dev-cli approve run-1', ['approve']).exit).toBe(0);
    expect(asks(begin())).toBe(false);
    const acceptance = [{ id: 'ac-1', kind: 'command' as const, run: ['true'], ...change }];
    generatePlan(project, { ...smallPlan(), todos: [bareTodo('todo-1', { acceptance })] }, 'run-1');
    expect(asks(begin())).toBe(true);
    const report = () => readFileSync(join(project.root, '.dev/specs/run-1/report.md'), 'utf8');
    devCli(project, ['abort', 'run-1', '--reason', 'enough']);
    expect(report()).toMatch(/its commands: by nobody yet/);
    expect(pending().done).toBe(true);
  });
});
