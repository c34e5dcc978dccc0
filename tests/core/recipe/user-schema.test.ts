import { describe, expect, it } from 'vitest';
import { findSchemaProblem, validateBySchema } from '../../../src/recipe/user-schema.js';

// The schema validator is reused (house.md, Speed), so earlier schemas must not affect how a schema is judged.

const problemOf = (schema: unknown) => findSchemaProblem(JSON.stringify(schema));
const SOUND = { $id: 'https://example.org/a', type: 'object', required: ['a'], properties: { a: { type: 'string' } } };

describe('schemas judged one after the other', () => {
  it('may have the same $id, and each is its own', () => {
    const other = { ...SOUND, required: ['b'], properties: { b: { type: 'integer' } } };
    for (const schema of [SOUND, other, SOUND]) expect(problemOf(schema)).toBeNull();
    const faultsOf = (schema: object, value: object) => validateBySchema(JSON.stringify(schema), value).length;
    expect([faultsOf(SOUND, { a: 'x' }), faultsOf(other, { a: 'x' })]).toEqual([0, 1]);
    expect([faultsOf(SOUND, { b: 1 }), faultsOf(other, { b: 1 })]).toEqual([1, 0]);
  });

  it.each([
    ['a type that is none', { type: 'strin' }, /type/],
    ['a keyword of the wrong form', { required: 'a' }, /required/],
    ['a reference to nothing', { $ref: '#/$defs/none' }, /\$defs\/none/],
    ['a reference to what was judged before', { $ref: 'https://example.org/a' }, /example\.org/],
    ['the $schema of another language', { $schema: 'https://example.org/none', type: 'object' }, /no schema with key/],
    ['the $schema of an older language', { $schema: 'http://json-schema.org/draft-07/schema#' }, /no schema with key/],
    ['no object', ['a'], /not an object/],
  ])('%s is told after a sound one, each time, and harms none after it', (_, schema, says) => {
    for (const _time of ['first', 'second']) {
      expect(problemOf(SOUND)).toBeNull();
      expect(problemOf(schema)).toMatch(says);
    }
    expect(problemOf(SOUND)).toBeNull();
    expect(problemOf({ ...SOUND, $schema: 'https://json-schema.org/draft/2020-12/schema' })).toBeNull();
  });

  it('judge an instant by its format, and nothing else by one', () => {
    const faults = (format: string, text: string) => validateBySchema(JSON.stringify({ type: 'string', format }), text);
    for (const text of ['2026-11-27T04:00:00Z', '2026-11-27T04:00:00.123+02:00'])
      expect(faults('date-time', text)).toEqual([]);
    for (const text of ['today', '2026-11-27', '2026-11-27T04:00:00', '2026-13-27T04:00:00Z']) {
      expect(faults('date-time', text), text).toHaveLength(1);
    }
    expect(faults('email', 'nobody')).toEqual([]);
  });
});
