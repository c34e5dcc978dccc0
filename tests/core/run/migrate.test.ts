import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { isRecord, type JsonObject } from '../../../src/base/json.js';
import { runCodec } from '../../../src/run/codec.js';
import { getCurrent } from '../../../src/run/current.js';
import { migrate } from '../../../src/run/migrate.js';
import { SCHEMA_VERSION } from '../../../src/run/version.js';
import { serializeSnapshot } from '../../../src/store/snapshot.js';
import { CHECKOUT } from '../../support/project.mjs';
import { storedStates } from './states.js';

// storage.md, state.json: a snapshot of an older version is brought to the present one when it is read.

const schema = JSON.parse(readFileSync(join(CHECKOUT, 'schemas/state.schema.json'), 'utf8'));
const fits = new Ajv2020({ strict: false, discriminator: true }).compile(schema);
const parse = (text: string): JsonObject => JSON.parse(text);

/** Every text and number below a value, with the key it stands under. */
function leavesOf(value: unknown, key = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, key));
  if (isRecord(value)) return Object.entries(value).flatMap(([name, member]) => leavesOf(member, name));
  return [`${typeof value}:${String(value)}`];
}

describe('a snapshot of an older version', () => {
  const states = storedStates();

  it.each(states)('$title fits the schema of the present one, whole', ({ text }) => {
    const state = migrate(parse(text));
    expect(fits(state), JSON.stringify(fits.errors?.slice(0, 3))).toBe(true);
    expect(migrate(state)).toBe(state);
  });

  it.each(states)('$title keeps every value but the last events and the keys of acknowledgements', ({ text }) => {
    const stored = parse(text);
    const { events: _, acknowledged: _places, schemaVersion: _version, ...before } = stored;
    const after = new Set(leavesOf(migrate(stored)));
    expect(leavesOf(before).filter((leaf) => !after.has(leaf))).toEqual([]);
  });

  it('has each todo in a row of its own, and what is about all of them beside the rows', () => {
    const row = {
      id: 'a',
      title: 'A',
      type: 'work',
      risk: 'low',
      status: 'done',
      dependsOn: [],
      files: [],
      attempt: 1,
    };
    const todos = { a: { ...row, depth: 0, retries: 0, substeps: {}, dynamicTodos: [] } };
    const engine: JsonObject = {
      todos,
      evidence: { a: [{ id: 'ac-1' }], '': [{ id: 'last' }] },
      summaries: { a: 'did it' },
      baselines: { a: null },
      rulings: { a: [{ text: 'one', at: 't' }], '': [{ text: 'all', at: 't' }] },
      committed: { a: ['x'], residual: ['y'] },
    };
    const state = migrate({ schemaVersion: 1, recipe: 'carry-out', engine, acknowledged: {}, workflow: null, seq: 7 });
    const [{ engine: nested }] = state['recipes'] as [{ engine: JsonObject }];
    const { todos: rows, ...rest } = nested;
    expect(rest).toEqual({ evidence: [{ id: 'last' }], rulings: [{ text: 'all', at: 't' }], residual: ['y'] });
    expect(rows).toEqual({
      a: {
        ...todos.a,
        evidence: [{ id: 'ac-1' }],
        summary: 'did it',
        baseline: null,
        rulings: [{ text: 'one', at: 't' }],
        committed: ['x'],
      },
    });
  });

  it('has each command at work under its key, with the acceptance that it checks beside its action', () => {
    const commands = {
      a3: { key: 'r:a3', actionId: 'a3', timeout: 9 },
      'a5/ac/1': { key: 'r:a5/check-ac/1-1', actionId: 'a5/ac/1' },
    };
    const state = migrate({ schemaVersion: 1, recipe: 'x', commands, engine: null, workflow: null, seq: 7 });
    const [{ commands: rows }] = state['recipes'] as [{ commands: JsonObject }];
    expect(rows).toEqual({
      'r:a3': { key: 'r:a3', actionId: 'a3', timeout: 9 },
      'r:a5/check-ac/1-1': { key: 'r:a5/check-ac/1-1', actionId: 'a5', check: 'ac/1' },
    });
  });

  it('has its acknowledgements with the recipe they belong to', () => {
    const phases = [
      { name: 'plan', recipe: 'one', status: 'done', at: 't', steps: { draft: {} }, agents: {} },
      { name: 'build', recipe: 'two', status: 'running', at: 't' },
    ];
    const state = migrate({
      schemaVersion: 1,
      recipe: 'two',
      workflow: { name: 'flow', phaseIndex: 1, phases },
      acknowledged: { a1: 'plan:draft', a2: 'execute', a3: 'execute/todo-1' },
      reviewRounds: [{ block: 'draft', round: 1 }],
      seq: 9,
      events: [
        { seq: 8, type: 'document', summary: 'cleanup: removed a.md', at: 't' },
        { seq: 9, type: 'recovered', summary: '', at: 't' },
      ],
    });
    expect(state).toMatchObject({
      recipe: 'flow',
      recipes: [
        { name: 'one', acknowledged: { a1: { block: 'draft' } }, reviewRounds: [{ round: 1 }] },
        { name: 'two', acknowledged: { a2: { block: 'execute' }, a3: { block: 'execute', todo: 'todo-1' } } },
      ],
      workflow: { phases: [{ name: 'plan' }, { name: 'build' }] },
      lastEntry: { seq: 8, command: 'cleanup' },
    });
    expect(JSON.stringify(state['workflow'])).not.toContain('steps');
  });

  it.each<[string, JsonObject]>([
    ['nothing else', { schemaVersion: 1 }],
    ['members of other kinds', { schemaVersion: 1, engine: [], workflow: 7, acknowledged: 'x', events: {}, steps: 3 }],
    ['a version that never was', { schemaVersion: -1e9 }],
    ['a version that is a text', { schemaVersion: '1' }],
    ['no version', {}],
  ])('with %s is refused as damaged', (_, stored) => {
    expect(() => runCodec.parse(JSON.stringify(stored))).toThrow('does not fit its schema');
  });

  it('is read as the present one is', () => {
    for (const { text } of states) expect(getCurrent(runCodec.parse(text)).name).not.toBe('');
  });
});

describe('what the next patch continues', () => {
  it.each(storedStates())('$title: the stored text, parsed anew only where it is migrated', ({ text }) => {
    const stored = parse(text);
    expect(runCodec.migrates(text)).toBe(stored['schemaVersion'] !== SCHEMA_VERSION);
    expect(runCodec.migrates(serializeSnapshot(migrate(stored)))).toBe(false);
  });
});
