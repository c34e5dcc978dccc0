import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import entryData from '../../../src/generated/entry-data.js';
import outline from '../../../src/generated/state.js';
import { misfit, type OutlineSchema } from '../../../src/run/codec.js';

/** What misfit.ts reads; anything else in a schema would be passed over in silence. */
const KEYWORDS = new Set([
  'type',
  'const',
  'enum',
  'anyOf',
  'required',
  'properties',
  'items',
  'minItems',
  'additionalProperties',
]);

/** Keywords that a schema uses and misfit.ts does not read as JSON Schema means them. */
function unread(schema: OutlineSchema): string[] {
  const { patternProperties, ...rest } = schema;
  const unknown = Object.keys(rest).filter((key) => !KEYWORDS.has(key));
  if (patternProperties !== undefined && Object.keys(patternProperties).join() !== '^(.*)$') unknown.push('pattern');
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) unknown.push('additional');
  // A union is read alone, and every value of a record the same way.
  if (schema.anyOf !== undefined && Object.keys(schema).length > 1) unknown.push('beside anyOf');
  if (patternProperties !== undefined && schema.properties !== undefined) unknown.push('properties beside a pattern');
  const inner = [...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})];
  if (patternProperties !== undefined) inner.push(...Object.values(patternProperties));
  if (schema.items !== undefined) inner.push(schema.items);
  return [...unknown, ...inner.flatMap(unread)];
}

/** A number as JSON has them: neither NaN nor infinite. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const leaf = fc.oneof(fc.string(), fc.integer(), number, fc.boolean(), fc.constant(null));
const anything = fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), leaf));

/** Values that fit the schema, or nearly. */
function near(schema: OutlineSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 80, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anything });
}

function fitting(schema: OutlineSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(near));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: OutlineSchema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'object': {
      const { properties = {}, required = [], patternProperties } = schema;
      if (patternProperties !== undefined) {
        return fc.dictionary(fc.string({ maxLength: 8 }), near(patternProperties['^(.*)$']), { maxKeys: 3 });
      }
      const members = Object.fromEntries(Object.entries(properties).map(([key, member]) => [key, near(member)]));
      const whole = fc.record(members, { requiredKeys: [...required] });
      const broken = fc.record(members, { requiredKeys: [...required].slice(1) });
      const more = fc.tuple(whole, fc.string()).map(([value, key]) => ({ ...value, [key]: 1 }));
      return fc.oneof(
        { weight: 20, arbitrary: whole },
        { weight: 1, arbitrary: broken },
        { weight: 1, arbitrary: more },
      );
    }
    case 'array':
      return fc.array(schema.items === undefined ? leaf : near(schema.items), { maxLength: 3 });
    case 'null':
      return fc.constant(null);
    case 'integer':
      return fc.oneof({ weight: 20, arbitrary: fc.integer() }, { weight: 1, arbitrary: number });
    default:
      return type === 'string' ? fc.string() : fc.boolean();
  }
}

describe('an outline', () => {
  it('uses only keywords that are read', () => {
    expect([...unread(outline), ...unread(entryData)]).toEqual([]);
    // And this would be found.
    expect(unread({ type: 'object', properties: { a: { type: 'string', minLength: 1 } as OutlineSchema } })).toEqual([
      'minLength',
    ]);
  });

  it.each<[string, OutlineSchema]>([
    ['a snapshot', outline],
    ['data of an entry', { anyOf: Object.values(entryData.properties ?? {}) }],
  ])('of %s finds a misfit exactly where JSON Schema does', (_, schema) => {
    const validate = new Ajv2020({ strict: false }).compile(schema);
    let fitted = 0;
    fc.assert(
      fc.property(near(schema), (value) => {
        const fits = validate(value);
        if (fits) fitted += 1;
        expect(misfit(schema, value) === null).toBe(fits);
      }),
      { numRuns: 400 },
    );
    // Otherwise only one side of the law would have been looked at.
    expect(fitted).toBeGreaterThan(10);
    expect(fitted).toBeLessThan(390);
  });

  it('says where and what', () => {
    const schema: OutlineSchema = {
      type: 'object',
      required: ['a'],
      additionalProperties: false,
      properties: { a: { type: 'object', patternProperties: { '^(.*)$': { type: ['string', 'null'] } } } },
    };
    expect(misfit(schema, { a: { x: null } })).toBeNull();
    expect(misfit(schema, { a: { x: 1 } })).toEqual({ at: '/a/x', problem: 'must be string or null' });
    expect(misfit(schema, {})).toEqual({ at: '', problem: 'must have "a"' });
    expect(misfit(schema, { a: {}, b: 1 })).toEqual({ at: '', problem: 'must not have "b"' });
    expect(misfit(schema, null)).toEqual({ at: '', problem: 'must be object' });
  });
});
