import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { createDraft } from '../../../src/documents/draft.js';
import { findJsonFault } from '../../../src/documents/json-fault.js';
import { parseJson, parseSections } from '../../../src/documents/section-data.js';

function thrown(act: () => unknown): DevCliError {
  try {
    act();
  } catch (error) {
    if (error instanceof DevCliError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('sections of a data file', () => {
  it('are headings with text below', () => {
    const text = '\ufeff\n## purpose\r\n\r\nTokens\r\n\r\n### Why\r\nbecause\r\n## Boundaries ##\n- the API\n';
    expect(parseSections(text)).toEqual({ purpose: 'Tokens\n\n### Why\nbecause', boundaries: '- the API' });
  });

  it('may hold headings in fenced code, and do not keep markers copied from DRAFT.md', () => {
    const text = '## intent\n<!-- section: intent -->\n<!-- empty: x -->\n```\n## nope\n<!-- empty: y -->\n```\n';
    expect(parseSections(text)).toEqual({ intent: '```\n## nope\n<!-- empty: y -->\n```' });
  });

  it.each([
    ['', 'DATA_MISSING', /empty/],
    [' \n\u200b', 'DATA_MISSING', /empty/],
    ['hello\n## intent\nx', 'DATA_MALFORMED', /before the first/],
    ['no heading at all', 'DATA_MALFORMED', /before the first/],
    ['## intent\nx\n## intent\ny', 'DATA_MALFORMED', /twice/],
    ['## boundries\nx', 'UNKNOWN_SECTION', /did you mean "boundaries"/],
    ['## Something else\nx', 'UNKNOWN_SECTION', /unknown section "Something else"/],
    ['## constructor\nx', 'UNKNOWN_SECTION', /unknown section/],
    ['## intent\n\n## purpose\nx', 'DATA_MISSING', /the section is empty/],
    [createDraft('x').replace('# Draft: x\n', ''), 'DATA_MISSING', /the section is empty/],
  ])('refuses %j', (text, code, problem) => {
    const error = thrown(() => parseSections(text));
    expect(error.code).toBe(code);
    expect([error.message, ...error.details.map((detail) => detail.problem)].join('\n')).toMatch(problem);
  });

  it('lists all faults at once, with their place and the valid ids', () => {
    const error = thrown(() => parseSections('x\n## purpos\na\n## intent\nb\n## intent\nc'));
    expect(error.details.map((detail) => detail.at)).toEqual(['1:1', '6:1', '2:1']);
    expect(error.fix).toContain('boundaries');
  });
});

describe('JSON data', () => {
  it('is parsed, also behind a byte order mark', () => {
    expect(parseJson('\ufeff{"a":[1,"x",null]}')).toEqual({ a: [1, 'x', null] });
  });

  it.each([
    ['{"a": 1,\n "b": }', '2:7', 'a value'],
    ['{"a": 1,}', '1:9', 'a key in double quotes'],
    ['[1,]', '1:4', 'a value'],
    ["{'a': 1}", '1:2', /JSON/],
    ['{"a" 1}', '1:6', '":"'],
    ['{"a": 1 "b": 2}', '1:9', '"," or the closing bracket'],
    ['[1}', '1:3', '"," or the closing bracket'],
    ['{"a": [1, 2}', '1:12', '"," or the closing bracket'],
    ['{"a": 1} x', '1:10', /./],
    ['{"a": "line\nbreak"}', '1:12', /line break/],
    ['{"a": "\\x"}', '1:8', /escapes/],
    ['{"a": "open', '1:12', 'the closing quote of a string'],
    ['{"a": undefined}', '1:7', /JSON/],
    ['{"a": ', '1:7', 'a value'],
    ['```json\n{}\n```', '1:1', /JSON/],
  ])('%j is refused at %s', (text, at, expected) => {
    const error = thrown(() => parseJson(text));
    expect(error.code).toBe('DATA_MALFORMED');
    expect(error.details[0]?.at).toBe(at);
    expect(error.details[0]?.expected).toMatch(expected);
  });

  it('is missing when empty, and refused when nested too deep', () => {
    expect(thrown(() => parseJson(' \n')).code).toBe('DATA_MISSING');
    expect(thrown(() => parseJson('['.repeat(200) + ']'.repeat(200))).message).toContain('100 levels');
    expect(parseJson('['.repeat(100) + ']'.repeat(100))).toBeDefined();
  });

  it('has a fault exactly where JSON.parse refuses it', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-',
      '0.5e',
      'true',
      'nul',
      ' ',
      '\n',
      '"',
      '\\',
    );
    const text = fc.oneof(
      fc.array(token, { maxLength: 9 }).map((tokens) => tokens.join('')),
      fc.json(),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (source) => {
        let valid = true;
        try {
          JSON.parse(source);
        } catch {
          valid = false;
        }
        expect(findJsonFault(source) === null).toBe(valid);
      }),
      { numRuns: 3000 },
    );
  });
});
