import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { devCli, nextOf, type Result, runPrinted, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { acknowledge, choose, END_BLOCK, startTiny } from '../../support/tiny.js';

// An agent hands in data that must match a schema (recipes.md, Data; protocol.md, Evidence).

useProject();
beforeEach(() => {
  writeProjectFile(project, '.dev/recipes/version.schema.json', JSON.stringify(VERSION));
});

const VERSION = {
  type: 'object',
  properties: { version: { type: 'string', pattern: '^[0-9]+\\.[0-9]+$' }, parts: { type: 'integer', minimum: 1 } },
  required: ['version', 'parts'],
  additionalProperties: false,
};
const GOOD = { version: '1.4', parts: 2 };

const block = (type: string, more: string) =>
  `\n  - id: choose\n    type: ${type}\n    instruction: Choose the version.\n    schema: version.schema.json\n${more}`;
const SIMPLE = block('llm', '');
const LOOP = block('llm-loop', '    exitWhen: round > 1\n');
const CHOICES = block('llm', '    choices: [minor, major]\n');
const SIZE =
  '\n  - id: classify\n    type: llm\n    instruction: How large is it?\n    choices: [Bug, Feature]\n    save: dev-cli draft update {name} --section intent\n    schema: size\n';

function hand(action: Action, value: unknown): void {
  writeProjectFile(project, action.data?.write ?? '', typeof value === 'string' ? value : JSON.stringify(value));
}
const kept = () => stateOf(project, 'run-1').data;

function expectRefused(result: Result, code: string, exit: number): void {
  expect(result.code).toBe(exit);
  expect(result.json.error?.code).toBe(code);
  expect(kept()).toBeUndefined();
}

describe('data by a schema', () => {
  it.each([
    ['llm', SIMPLE],
    ['llm-loop', LOOP],
  ])('of an %s is asked for by name, with the schema as captured', (_, blocks) => {
    const action = startTiny(project, [blocks, END_BLOCK]);
    expect(action.data).toEqual({
      write: '.dev/specs/run-1/actions/a1/data.json',
      form: 'json',
      schema: '.dev/specs/run-1/actions/a1/schema.json',
    });
    writeProjectFile(project, '.dev/recipes/version.schema.json', '{}');
    const schema = readFileSync(join(project.root, action.data?.schema ?? ''), 'utf8');
    expect(JSON.parse(schema)).toEqual(VERSION);
  });

  it('is taken when it fits, and kept', () => {
    const action = startTiny(project, [SIMPLE, END_BLOCK]);
    hand(action, GOOD);
    expect(nextOf(acknowledge(project, action).json).block).toBe('last');
    expect(kept()).toEqual({ choose: GOOD });
  });

  it('is refused with every finding, and nothing is recorded', () => {
    const action = startTiny(project, [SIMPLE, END_BLOCK]);
    hand(action, { version: 'next', parts: 0, colour: 'red' });
    const seq = stateOf(project, 'run-1')['seq'];
    const result = acknowledge(project, action);
    expectRefused(result, 'SCHEMA_INVALID', 3);
    expect((result.json.error?.details ?? []).map(({ pointer }) => pointer).sort()).toEqual([
      '/',
      '/parts',
      '/version',
    ]);
    expect(stateOf(project, 'run-1')['seq']).toBe(seq);
    hand(action, GOOD);
    expect(acknowledge(project, action).code).toBe(0);
  });

  it.each([
    ['another type', '[1, 2]', 'SCHEMA_INVALID', 3],
    ['null', 'null', 'SCHEMA_INVALID', 3],
    ['no JSON', '{ version: 1.4 }', 'DATA_MALFORMED', 2],
    ['nothing', ' ', 'DATA_MISSING', 2],
  ])('that is %s is refused', (_, text, code, exit) => {
    const action = startTiny(project, [SIMPLE, END_BLOCK]);
    hand(action, text);
    expectRefused(acknowledge(project, action), code, exit);
  });

  it('cannot be left out where there are no choices', () => {
    const action = startTiny(project, [SIMPLE, END_BLOCK]);
    expectRefused(acknowledge(project, action), 'DATA_MISSING', 2);
    expectRefused(devCli(project, ['step', 'complete', 'run-1', '--action', 'a1']), 'DATA_MISSING', 2);
  });

  it('of more than 64 kB is refused with the limit and the file', () => {
    writeProjectFile(project, '.dev/recipes/version.schema.json', '{ "type": "string" }');
    const action = startTiny(project, [SIMPLE, END_BLOCK]);
    hand(
      action,
      'x'.repeat(1024 * 1024).replace(/^.*$/s, (text) => JSON.stringify(text)),
    );
    const result = acknowledge(project, action);
    expectRefused(result, 'DATA_MALFORMED', 2);
    expect(result.json.error?.message).toContain('at most 65536');
    expect(result.json.error?.details?.[0]?.target).toBe(action.data?.write);
    hand(action, JSON.stringify('x'.repeat(65_534)));
    expect(acknowledge(project, action).code).toBe(0);
  });

  it('of each round of a loop takes the place of the one before', () => {
    const action = startTiny(project, [LOOP, END_BLOCK]);
    hand(action, GOOD);
    const second = nextOf(acknowledge(project, action).json);
    expect(kept()).toEqual({ choose: GOOD });
    hand(second, { version: '2.0', parts: 2 });
    expect(nextOf(acknowledge(project, second).json).block).toBe('last');
    expect(kept()).toEqual({ choose: { version: '2.0', parts: 2 } });
  });

  it('is forgotten when the block is done again', () => {
    const action = startTiny(project, [SIMPLE, END_BLOCK]);
    hand(action, GOOD);
    acknowledge(project, action);
    expect(devCli(project, ['step', 'invalidate', 'run-1', '--step', 'choose']).code).toBe(0);
    expect(kept()).toEqual({});
  });
});

describe('data beside choices', () => {
  it('is taken from where the action has it written, with the ack of the choice', () => {
    const action = startTiny(project, [CHOICES, END_BLOCK]);
    for (const { id, ack } of action.choices ?? []) {
      expect(ack).toBe(`dev-cli step complete run-1 --action a1 --choice ${id}`);
    }
    expect(action.data?.write).toBe('.dev/specs/run-1/actions/a1/data.json');
    hand(action, GOOD);
    expect(nextOf(choose(project, action, 'minor').json).block).toBe('last');
    expect(kept()).toEqual({ choose: GOOD });
  });

  it('may be left out: the ack as printed goes on, with the file written or not', () => {
    const action = startTiny(project, [CHOICES, END_BLOCK]);
    expect(existsSync(join(project.root, action.data?.write ?? ''))).toBe(false);
    expect(nextOf(choose(project, action, 'major').json).block).toBe('last');
    expect(kept()).toBeUndefined();
  });

  it('that is somewhere else, empty or does not fit is refused, choice and all', () => {
    const action = startTiny(project, [CHOICES, END_BLOCK]);
    const elsewhere = `${action.choices?.[0]?.ack} --data @.dev/specs/run-1/actions/a9/data.json`;
    expectRefused(runPrinted(project, elsewhere), 'DATA_MISSING', 2);
    hand(action, '');
    expectRefused(choose(project, action, 'minor'), 'DATA_MISSING', 2);
    hand(action, { version: 'x', parts: 1 });
    expectRefused(choose(project, action, 'minor'), 'SCHEMA_INVALID', 3);
    expect(devCli(project, ['next', 'run-1']).json.block).toBe('choose');
  });

  it('is refused where the block has no schema', () => {
    const action = startTiny(project, [CHOICES.replace(/ +schema.*\n/, ''), END_BLOCK]);
    const given = ['--choice', 'minor', '--data', '{}'];
    expectRefused(
      devCli(project, ['step', 'complete', 'run-1', '--action', action.actionId, ...given]),
      'DATA_UNEXPECTED',
      2,
    );
  });

  it('of the schema size is named by it; the choice goes where it is saved', () => {
    const action = startTiny(project, [SIZE, END_BLOCK]);
    expect(action.data?.schema).toBe('size');
    expect(devCli(project, ['schema', 'size']).json['$id']).toBe('size');
    hand(action, { size: 'tiny', because: { files: ['a.ts'], interfaces: 'no', data: false } });
    const refused = choose(project, action, 'Bug');
    expectRefused(refused, 'SCHEMA_INVALID', 3);
    expect(refused.json.error?.details?.map(({ pointer }) => pointer).sort()).toEqual([
      '/because',
      '/because/interfaces',
      '/size',
    ]);
    const size = { size: 'small', because: { files: ['a.ts'], interfaces: false, data: false, unknowns: [] } };
    hand(action, size);
    expect(nextOf(choose(project, action, 'Bug').json).block).toBe('last');
    expect(kept()).toEqual({ classify: size });
    expect(readFileSync(join(project.root, '.dev/specs/run-1/DRAFT.md'), 'utf8')).toMatch(/Bug/);
  });
});
