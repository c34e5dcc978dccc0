import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findMisfit, type OutlineSchema } from '../../../src/documents/outline.js';
import entryData from '../../../src/generated/entry-data.js';
import planContent from '../../../src/generated/plan-content-outline.js';
import recipe from '../../../src/generated/recipe-outline.js';
import reviewResult from '../../../src/generated/result-code-review-outline.js';
import verifyResult from '../../../src/generated/result-verify-outline.js';
import workerResult from '../../../src/generated/result-worker-outline.js';
import outline from '../../../src/generated/state.js';
import { planContent as samplePlan } from '../../support/content.mjs';
import { CHECKOUT } from '../../support/project.mjs';
import { smallPlan } from '../../support/small.mjs';

/** The keywords that documents/outline.ts reads; it would silently ignore any other keyword in a schema. */
const KEYWORDS = new Set(
  (
    'type const enum anyOf oneOf discriminator required properties items additionalProperties patternProperties pattern ' +
    'maxLength minItems maxItems minimum maximum $id'
  ).split(' '),
);

/** Lists the keywords of a schema that documents/outline.ts ignores, or does not read as JSON Schema defines them. */
function unread(schema: OutlineSchema): string[] {
  const { patternProperties = {}, properties, oneOf = [], discriminator } = schema;
  const unknown = Object.keys(schema).filter((key) => !KEYWORDS.has(key));
  if (Object.keys(patternProperties).length > 1) unknown.push('several patterns');
  if (schema.patternProperties !== undefined && properties !== undefined) unknown.push('properties beside a pattern');
  const tag = discriminator?.propertyName ?? '';
  if (oneOf.some((variant) => variant.properties?.[tag]?.const === undefined))
    unknown.push('a variant without its tag');
  const inner = [
    ...(schema.anyOf ?? []),
    ...oneOf,
    ...Object.values(properties ?? {}),
    ...Object.values(patternProperties),
  ];
  if (schema.items !== undefined) inner.push(schema.items);
  if (typeof schema.additionalProperties === 'object') inner.push(schema.additionalProperties);
  return [...unknown, ...inner.flatMap(unread)];
}

const directory = join(CHECKOUT, 'recipes');
const recipes = readdirSync(directory)
  .filter((file) => file.endsWith('.yaml') && !file.endsWith('.test.yaml'))
  .map((file) => parse(readFileSync(join(directory, file), 'utf8')) as unknown);
const worker = { status: 'DONE', outputs: { a: 'b' }, filesChanged: ['c'], learnings: ['d'], issues: [], summary: 'e' };
const criterion = { id: 'as-1', pass: true, evidence: 'seen' };
const verified = {
  status: 'VERIFIED',
  criteria: [criterion, criterion],
  mustNotDoViolations: [{ rule: 'a', violated: false, evidence: 'b' }],
  sideEffects: [],
  environmentError: null,
  suggestedAdaptation: null,
  summary: 'Holds.',
};
const issue = { file: 'a', line: 1, severity: 'minor', description: 'b' };

/** Schemas, with values that fit them. */
const CHECKED: Record<string, [schema: OutlineSchema, values: unknown[]]> = {
  recipe: [recipe, recipes],
  plan: [planContent, [samplePlan(0), smallPlan()]],
  'result of a worker': [workerResult, [worker, { ...worker, status: 'BLOCKED', needs: { files: ['f'] } }]],
  'result of a verifier': [verifyResult, [verified]],
  review: [reviewResult, [{ verdict: 'SHIP', issues: [issue], summary: 'c' }]],
};

const ODD = [
  '',
  ' ',
  'a',
  'todo-1',
  '../x',
  'x'.repeat(5000),
  'ü\n',
  0,
  -1,
  1,
  3.5,
  101,
  1e9,
  true,
  null,
  [],
  {},
  ['a'],
  { a: 1 },
];

/** Generates changes to a value in one place, at any depth: a member is removed, replaced or added. */
function changed(value: unknown): fc.Arbitrary<unknown> {
  const ways = fc.array(fc.nat(10_000), { minLength: 60, maxLength: 60 });
  return fc.tuple(ways, fc.constantFrom(...ODD)).map(([numbers, odd]) => {
    const left = [...numbers];
    const next = () => left.pop() ?? 0;
    return change(structuredClone(value), next, odd);
  });
}

function change(value: unknown, next: () => number, odd: unknown): unknown {
  if (typeof value !== 'object' || value === null || next() % 8 === 0) return odd;
  const keys = Object.keys(value);
  const key = keys[next() % keys.length];
  const members = value as Record<string, unknown>;
  switch (next() % 6) {
    case 0:
      if (Array.isArray(value)) return [...(value as unknown[]), odd];
      return { ...value, [`more-${next() % 3}`]: odd };
    case 1:
      if (Array.isArray(value)) return (value as unknown[]).slice(1);
      return Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
    default:
      if (key !== undefined) members[key] = change(members[key], next, odd);
      return value;
  }
}

/** Numbers that JSON allows: neither NaN nor infinite. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true });
const leaf = fc.oneof(fc.string(), fc.integer(), number, fc.boolean(), fc.constant(null));
const anything = fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), leaf));

/** Generates values that fit the schema or nearly fit it. */
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
        return fc.dictionary(fc.string({ maxLength: 8 }), near(patternProperties['^(.*)$'] ?? {}), { maxKeys: 3 });
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
    expect([outline, entryData, ...Object.values(CHECKED).map(([schema]) => schema)].flatMap(unread)).toEqual([]);
    // Shows that the check finds an unread keyword.
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
        expect(findMisfit(schema, value) === null).toBe(fits);
      }),
      { numRuns: 400 },
    );
    // Some values must fit and some must not; otherwise only one side of the equivalence was tested.
    expect(fitted).toBeGreaterThan(10);
    expect(fitted).toBeLessThan(390);
  });

  it.each(Object.entries(CHECKED))('of a %s is as strict as the validator of it', (_, [schema, values]) => {
    const validate = new Ajv2020({ strict: false, discriminator: true, unicode: false }).compile(schema);
    for (const value of values) expect([findMisfit(schema, value), validate(value)]).toEqual([null, true]);
    let fitted = 0;
    fc.assert(
      fc.property(fc.constantFrom(...values).chain(changed), (value) => {
        const fits = validate(value);
        if (fits) fitted += 1;
        expect(findMisfit(schema, value) === null).toBe(fits);
      }),
      { numRuns: 2000 },
    );
    expect(fitted).toBeGreaterThan(20);
    expect(fitted).toBeLessThan(1980);
  });

  it('says where and what', () => {
    const schema: OutlineSchema = {
      type: 'object',
      required: ['a'],
      additionalProperties: false,
      properties: { a: { type: 'object', patternProperties: { '^(.*)$': { type: ['string', 'null'] } } } },
    };
    expect(findMisfit(schema, { a: { x: null } })).toBeNull();
    expect(findMisfit(schema, { a: { x: 1 } })).toEqual({ at: '/a/x', problem: 'must be string or null' });
    expect(findMisfit(schema, {})).toEqual({ at: '', problem: 'must have "a"' });
    expect(findMisfit(schema, { a: {}, b: 1 })).toEqual({ at: '', problem: 'must not have "b"' });
    expect(findMisfit(schema, null)).toEqual({ at: '', problem: 'must be object' });
  });
});
