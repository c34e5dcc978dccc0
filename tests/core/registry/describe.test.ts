import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WINGS } from '../../../src/app/wings.js';
import { CORE, type InputOf } from '../../../src/registry/catalogue.js';
import { buildInputSchema, buildTool, describeCommand, listSpecs } from '../../../src/registry/describe.js';
import { REGISTRY } from '../../../src/registry/find.js';
import { parseCommand } from '../../../src/registry/parse.js';
import { renderInvocation } from '../../../src/registry/render.js';
import type { CommandSpec } from '../../../src/registry/spec.js';
import { splitCommand } from '../../../src/registry/split.js';
import { invocation } from './invocations.js';

const specs: readonly CommandSpec[] = listSpecs(CORE, Object.values(WINGS));
const ajv = new Ajv2020({ strict: true, formats: {}, validateFormats: false });
const holds = new Map(specs.map((spec) => [spec.name, ajv.compile(buildInputSchema(spec))]));

describe('a specification', () => {
  it('is what was generated; else run `npm run generate`', () => {
    const described: unknown = JSON.parse(JSON.stringify(specs.map(describeCommand)));
    expect(REGISTRY.commands).toEqual(described);
  });

  it('stands in help behind the command that its group names, group by group', () => {
    const named = (name: string) => ({ ...specs[0], name }) as CommandSpec;
    const core = { specs: [named('a'), named('b')] };
    const groups = [{ specs: [named('x')], after: 'a' }, { specs: [named('z')] }, { specs: [named('y')], after: 'a' }];
    expect(listSpecs(core, groups).map(({ name }) => name)).toEqual(['a', 'x', 'y', 'b', 'z']);
    expect(() => listSpecs(core, [{ specs: [], after: 'c' }])).toThrow('c is no command.');
  });

  it('declares the input that the parser makes of a command line', () => {
    fc.assert(
      fc.property(invocation, (given) => {
        const { form, input } = parseCommand(splitCommand(renderInvocation(given)));
        const validate = holds.get(form.name);
        expect(validate?.(input), JSON.stringify(validate?.errors)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('has a schema that says what is missing, unknown or of another type', () => {
    const complete = holds.get('step fail');
    expect(complete?.({ action: 'a1', reason: 'r' })).toBe(true);
    for (const wrong of [{}, { action: 'a1' }, { action: 'a1', reason: 1 }, { action: 'a1', reason: 'r', x: 1 }]) {
      expect(complete?.(wrong)).toBe(false);
    }
    expect(holds.get('schema')?.({ schema: 'plan' })).toBe(false);
    expect(holds.get('next')?.({ wait: -1 })).toBe(false);
  });

  it('is the type of what its handler gets', () => {
    const input: InputOf<'fork'> = { name: 'x', at: 1, as: 'y' };
    // @ts-expect-error: a number is not a name, and `as` is missing.
    const wrong: InputOf<'fork'> = { name: 1, at: 1 };
    const words: InputOf<'help'> = { command: ['fork'] };
    expect([input, wrong, words]).toHaveLength(3);
  });

  it('makes a tool: a name, the words and arguments that it chooses, and hints', () => {
    const tool = { group: 'g', name: 'given_up', command: 'step fail' };
    const chosen = { keys: ['action', 'reason'], fixed: { name: 'one' }, idempotent: true } as const;
    expect(JSON.parse(JSON.stringify(buildTool({ ...tool, ...chosen }, specs)))).toEqual({
      group: 'g',
      command: 'step fail',
      fixed: { name: 'one' },
      document: {
        name: 'given_up',
        description: specs.find(({ name }) => name === 'step fail')?.summary,
        inputSchema: {
          type: 'object',
          additionalProperties: false,
          properties: {
            action: { type: 'string', description: expect.any(String) as string },
            reason: { type: 'string', description: expect.any(String) as string },
          },
          required: ['action', 'reason'],
        },
        annotations: { destructiveHint: false, idempotentHint: true },
      },
    });
    const more = buildTool({ ...tool, required: ['name'], destructive: true, description: 'Words.' }, specs).document;
    expect(more).toMatchObject({ description: 'Words.', annotations: {}, inputSchema: { properties: { name: {} } } });
    expect(more.inputSchema).toMatchObject({ required: ['action', 'reason', 'name'] });
    const asked = buildTool({ ...tool, command: 'draft update' }, specs).document;
    expect(JSON.stringify(asked.inputSchema)).not.toMatch(/placeholder|format|absent/);
    expect(buildTool({ ...tool, command: 'next' }, specs).document.annotations).toEqual({ readOnlyHint: true });
  });

  it.each([
    ['a command that is none', { command: 'step lose' }, 'given_up: step lose is no command.'],
    ['a key that the command does not have', { keys: ['acton'] }, 'given_up: step fail has no acton.'],
    ['a fixed key that it does not have', { fixed: { acton: 'a1' } }, 'given_up: step fail has no acton.'],
    ['less than the command needs', { keys: ['action'] }, 'given_up: reason is needed and cannot be given.'],
  ])('makes no tool of %s', (_, wrong, complaint) => {
    const tool = { group: 'g', name: 'given_up', command: 'step fail', ...wrong };
    expect(() => buildTool(tool, specs)).toThrow(complaint);
  });
});
