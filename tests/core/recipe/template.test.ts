import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeTemplate, fillTemplate, listPlaceholders } from '../../../src/recipe/template.js';

describe('templates', () => {
  it('finds placeholders and leaves other braces alone', () => {
    const text = 'a {name} {Name} {} { goal } {{goal} {draft.intent} {"x":1} ${x}';
    expect(listPlaceholders(text).map(({ key }) => key)).toEqual(['name', 'draft.intent', 'x']);
    for (const { key, start, end } of listPlaceholders(text)) expect(text.slice(start, end)).toBe(`{${key}}`);
  });

  it('fills known placeholders, unescapes, and leaves unknown ones standing', () => {
    expect(fillTemplate('{{name} is {name}, {nobody}', (key) => (key === 'name' ? 'add-auth' : undefined))).toBe(
      '{name} is add-auth, {nobody}',
    );
  });

  it('never looks again at what it filled in', () => {
    expect(fillTemplate('{a}{b}', (key) => ({ a: '{b}', b: '{{' })[key])).toBe('{b}{{');
  });

  it('gives back an escaped text whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', 'a', 'name', '.', '$', ' ') }), (text) => {
        expect(listPlaceholders(escapeTemplate(text))).toEqual([]);
        expect(fillTemplate(escapeTemplate(text), () => 'never')).toBe(text);
      }),
    );
  });

  it('asks for exactly the placeholders it finds', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', 'a', '{x.y}', 'B', '{{') }), (text) => {
        const asked: string[] = [];
        fillTemplate(text, (key) => {
          asked.push(key);
          return '';
        });
        expect(asked).toEqual(listPlaceholders(text).map(({ key }) => key));
      }),
    );
  });
});
