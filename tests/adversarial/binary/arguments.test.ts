import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, imageOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { AGENTS_BLOCK, CHOICE_BLOCK, END_BLOCK, LOOP_BLOCK, startTiny } from '../../support/tiny.js';

useProject();

describe('what nobody can mean: clear code, nothing changes', () => {
  const long = 'a'.repeat(65);
  it.each([
    ['a name that leaves', ['next', '../x'], 2, 'NAME_INVALID'],
    ['a name that leaves, to be made', ['init', '../x', '--recipe', 'tiny-run-1'], 2, 'NAME_INVALID'],
    ['an empty name', ['init', '', '--recipe', 'tiny-run-1'], 2, 'NAME_INVALID'],
    ['a name of 65 characters', ['init', long, '--recipe', 'tiny-run-1'], 2, 'NAME_INVALID'],
    ['an absolute name', ['manifest', '/etc', '--json'], 2, 'NAME_INVALID'],
    ['an unknown recipe', ['init', 'x', '--recipe', 'colour'], 2, 'UNKNOWN_RECIPE'],
    ['a recipe name that leaves', ['init', 'x', '--recipe', '../../etc/passwd'], 2, 'UNKNOWN_RECIPE'],
    ['a recipe name that is a prototype', ['init', 'x', '--recipe', 'constructor'], 2, 'UNKNOWN_RECIPE'],
    ['an unknown block', ['step', 'invalidate', 'run-1', '--step', 'nothing'], 2, 'UNKNOWN_BLOCK'],
    ['a block that is a prototype', ['step', 'invalidate', 'run-1', '--step', 'constructor'], 2, 'UNKNOWN_BLOCK'],
    ['an unknown section', ['draft', 'update', 'run-1', '--section', 'colour', '--data', '"x"'], 2, 'UNKNOWN_SECTION'],
    [
      'a section that is a prototype',
      ['draft', 'update', 'run-1', '--section', '__proto__', '--data', '"x"'],
      2,
      'UNKNOWN_SECTION',
    ],
    ['an unknown action', ['step', 'complete', 'run-1', '--action', 'a7'], 4, 'STALE_ACTION'],
    ['an action of many digits', ['step', 'complete', 'run-1', '--action', `a${'9'.repeat(400)}`], 4, 'STALE_ACTION'],
    ['an unknown choice', ['step', 'complete', 'run-1', '--action', 'a1', '--choice', 'green'], 2, 'UNKNOWN_CHOICE'],
    [
      'a choice that is a prototype',
      ['step', 'complete', 'run-1', '--action', 'a1', '--choice', '__proto__'],
      2,
      'UNKNOWN_CHOICE',
    ],
    ['an unknown run', ['next', 'nothing'], 2, 'NO_SUCH_RUN'],
    ['a run that is a prototype', ['next', 'constructor'], 2, 'NO_SUCH_RUN'],
  ] as [string, string[], number, string][])('%s', (_what, args, code, error) => {
    startTiny(project, [CHOICE_BLOCK, LOOP_BLOCK, END_BLOCK], 'draft:\n  required: [boundaries, criteria]\n');
    const image = imageOf(project);
    const result = devCli(project, args);
    expect([result.code, result.json.error?.code]).toEqual([code, error]);
    expect(imageOf(project)).toEqual(image);
  });

  it.each([
    ['malformed', '{"criteria"'],
    ['empty', ''],
    ['a number', '1'],
    ['null', 'null'],
    ['nested without end', '['.repeat(100_000)],
    ['with a prototype as key', '{"__proto__":"x","constructor":"y"}'],
  ])('data that is %s neither crashes nor half applies', (_what, data) => {
    startTiny(project, [LOOP_BLOCK, END_BLOCK], 'draft:\n  required: [boundaries, criteria]\n');
    const image = imageOf(project);
    const result = devCli(project, ['step', 'complete', 'run-1', '--action', 'a1', '--data', '-'], { stdin: data });
    expect(result.code).toBe(2);
    expect(['DATA_MISSING', 'DATA_MALFORMED', 'UNKNOWN_SECTION']).toContain(result.json.error?.code);
    expect(imageOf(project)).toEqual(image);
    expect(devCli(project, ['next', 'run-1']).json.actionId).toBe('a1');
  });

  it('data from a directory, a device and a file that is a link out of the project', () => {
    startTiny(project, [LOOP_BLOCK, END_BLOCK], 'draft:\n  required: [boundaries, criteria]\n');
    for (const data of ['@src', '@/dev/null', '@']) {
      const result = devCli(project, ['step', 'complete', 'run-1', '--action', 'a1', '--data', data]);
      expect([data, result.json.ok]).toEqual([data, false]);
      expect([1, 2]).toContain(result.code);
    }
  });

  it('two live runs: without the name nothing is guessed', () => {
    startTiny(project, [AGENTS_BLOCK, END_BLOCK], '', 'one');
    startTiny(project, [CHOICE_BLOCK, END_BLOCK], '', 'two');
    const image = imageOf(project);
    const result = devCli(project, ['step', 'complete', '--action', 'a1', '--choice', 'red']);
    expect([result.code, result.json.error?.code]).toEqual([2, 'NAME_REQUIRED']);
    expect(imageOf(project)).toEqual(image);
    expect(existsSync(join(project.root, '.dev/active-spec'))).toBe(true);
  });
});
