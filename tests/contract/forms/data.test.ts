import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, imageOf, runDir, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { AGENTS_BLOCK, DATA_BLOCK, END_BLOCK, LOOP_BLOCK, startTiny } from '../../support/tiny.js';

useProject();

const DRAFT = 'draft:\n  required: [boundaries, criteria]\n';

function draft(): string {
  return readFileSync(join(runDir(project, 'run-1'), 'DRAFT.md'), 'utf8');
}

describe('data (protocol.md §1)', () => {
  it('comes from a file of sections', () => {
    const action = startTiny(project, [DATA_BLOCK, END_BLOCK]);
    writeProjectFile(project, 'answer.md', '## boundaries\n\nTo know who is calling.\n');
    const result = devCli(project, ['step', 'complete', 'run-1', '--action', action.actionId, '--data', '@answer.md']);
    expect(result.code).toBe(0);
    expect(draft()).toContain('To know who is calling.');
  });

  it('comes from standard input, and inline, as JSON', () => {
    startTiny(project, [LOOP_BLOCK, END_BLOCK], DRAFT);
    const piped = devCli(project, ['draft', 'update', 'run-1', '--data', '-'], {
      stdin: '{"criteria":"From a pipe."}',
    });
    expect(piped.code).toBe(0);
    expect(draft()).toContain('From a pipe.');
    const inline = devCli(project, ['draft', 'update', 'run-1', '--section', 'boundaries', '--data', '["one","two"]']);
    expect(inline.code).toBe(0);
    expect(draft()).toMatch(/- one\n- two/);
  });

  it.each([
    ['missing option', [], 'DATA_MISSING'],
    ['missing file', ['--data', '@nothing.md'], 'DATA_MISSING'],
    ['empty text', ['--data', ''], 'DATA_MISSING'],
    ['empty file', ['--data', '@empty.md'], 'DATA_MISSING'],
    ['blank file', ['--data', '@blank.json'], 'DATA_MISSING'],
    ['empty standard input', ['--data', '-'], 'DATA_MISSING'],
    ['malformed JSON', ['--data', '{"criteria":'], 'DATA_MALFORMED'],
    ['malformed JSON in a file', ['--data', '@broken.json'], 'DATA_MALFORMED'],
    ['Markdown without a section', ['--data', '@prose.md'], 'DATA_MALFORMED'],
    ['an unknown section', ['--data', '@unknown.md'], 'UNKNOWN_SECTION'],
  ])('%s is exit 2 and changes nothing', (_what, args, code) => {
    const action = startTiny(project, [LOOP_BLOCK, END_BLOCK], DRAFT);
    writeProjectFile(project, 'empty.md', '');
    writeProjectFile(project, 'blank.json', ' \n');
    writeProjectFile(project, 'broken.json', '{"criteria": "x",}');
    writeProjectFile(project, 'prose.md', 'Just some words.\n');
    writeProjectFile(project, 'unknown.md', '## colour\n\nred\n');
    const image = imageOf(project);
    const result = devCli(project, ['step', 'complete', 'run-1', '--action', action.actionId, ...args], { stdin: '' });
    expect([result.code, result.json.error?.code]).toEqual([2, code]);
    if (code === 'UNKNOWN_SECTION') expect(JSON.stringify(result.json.error)).toContain('boundaries');
    expect(imageOf(project)).toEqual(image);
    expect(devCli(project, ['next', 'run-1']).json.actionId).toBe(action.actionId);
  });

  it('where none is taken is exit 2, too', () => {
    const action = startTiny(project, [END_BLOCK]);
    const image = imageOf(project);
    for (const args of [
      ['--data', '{}'],
      ['--choice', 'red'],
      ['--without', 'one', '--reason', 'x'],
    ]) {
      const result = devCli(project, ['step', 'complete', 'run-1', '--action', action.actionId, ...args]);
      expect([args[0], result.code]).toEqual([args[0], 2]);
    }
    expect(imageOf(project)).toEqual(image);
  });

  it('50 MB are refused by name of the limit, without being kept', () => {
    const action = startTiny(project, [LOOP_BLOCK, END_BLOCK], DRAFT);
    writeProjectFile(
      project,
      'huge.md',
      Buffer.concat([Buffer.from('## criteria\n\n'), Buffer.alloc(50_000_000, 'x')]),
    );
    const image = imageOf(project);
    for (const [data, stdin] of [
      ['@huge.md', ''],
      ['-', Buffer.alloc(50_000_000, '1')],
    ] as const) {
      const result = devCli(project, ['step', 'complete', 'run-1', '--action', action.actionId, '--data', data], {
        stdin,
      });
      expect([data, result.code, result.json.error?.code]).toEqual([data, 2, 'DATA_MALFORMED']);
      expect(result.stdout.length).toBeLessThan(3000);
    }
    expect(imageOf(project)).toEqual(image);
  });
});

describe('free text (protocol.md §1)', () => {
  it('--goal and --reason take - and @file, and keep every character', () => {
    const goal = 'Quotes \' " ` $HOME ${x} {y}\nand a second line\n';
    const piped = devCli(project, ['init', 'one', '--recipe', 'specify-quick-autopilot', '--goal', '-'], {
      stdin: goal,
    });
    expect(piped.code).toBe(0);
    expect(stateOf(project, 'one').goal).toBe(goal.trimEnd());
    writeProjectFile(project, 'goal.txt', goal);
    const second = ['init', 'two', '--recipe', 'specify-quick-autopilot', '--goal', '@goal.txt', '--new'];
    expect(devCli(project, second).code).toBe(0);
    expect(stateOf(project, 'two').goal).toBe(goal.trimEnd());
    writeProjectFile(project, 'why.txt', 'It is "no" longer\nwanted.');
    const aborted = devCli(project, ['abort', 'two', '--reason', '@why.txt']);
    expect(aborted.code).toBe(0);
    expect(readFileSync(join(runDir(project, 'two'), 'events.jsonl'), 'utf8')).toContain('It is \\"no\\" longer');
  });

  it('an empty one is exit 2', () => {
    for (const goal of ['', '-', '@empty.txt', '@missing.txt']) {
      writeProjectFile(project, 'empty.txt', '\n');
      const result = devCli(project, ['init', 'one', '--recipe', 'specify-quick-autopilot', '--goal', goal], {
        stdin: '',
      });
      expect([goal, result.code]).toEqual([goal, 2]);
    }
    expect(Object.keys(imageOf(project))).toEqual([]);
  });

  it('a reason is needed where one is promised', () => {
    const action = startTiny(project, [AGENTS_BLOCK, END_BLOCK]);
    const image = imageOf(project);
    for (const args of [
      ['step', 'fail', 'run-1', '--action', action.actionId],
      ['step', 'complete', 'run-1', '--action', action.actionId, '--without', 'one'],
      ['abort', 'run-1'],
    ]) {
      const result = devCli(project, args);
      expect([args.slice(0, 2).join(' '), result.code]).toEqual([args.slice(0, 2).join(' '), 2]);
    }
    expect(imageOf(project)).toEqual(image);
    expect(devCli(project, ['next', 'run-1']).json.actionId).toBe(action.actionId);
  });
});
