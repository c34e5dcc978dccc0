// door: refusal

import type { ParseError } from 'jsonc-parser';

// A plain `require`, as in recipe/conditions/language.ts, because only text that JSON.parse refuses needs the parser.
const jsonc = (): typeof import('jsonc-parser') => require('jsonc-parser');

/** The place where a text stops being JSON. */
export interface JsonFault {
  /** The offset of the place, in UTF-16 units. */
  offset: number;
  /** A description of what would be valid there. */
  expected: string;
}

/** Descriptions of the valid input, by the parser's name for the fault. */
const EXPECTED: Readonly<Record<string, string>> = {
  ValueExpected: 'a value',
  PropertyNameExpected: 'a key in double quotes',
  ColonExpected: '":"',
  CommaExpected: '"," or the closing bracket',
  CloseBraceExpected: '"," or the closing bracket',
  CloseBracketExpected: '"," or the closing bracket',
  EndOfFileExpected: 'the end of the text',
};
const ANYTHING = 'JSON: a bracket, a text in double quotes, a number, true, false or null';

/** Faults in a string that the parser reports at the beginning of the string instead of at their own place. */
const IN_STRING = ['InvalidCharacter', 'InvalidEscapeCharacter', 'InvalidUnicode', 'UnexpectedEndOfString'];

/**
 * Finds the first fault of a text that JSON.parse refused, because JSON.parse seldom reports the place; null if none.
 */
export function findJsonFault(text: string): JsonFault | null {
  const { parse, printParseErrorCode } = jsonc();
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch (error) {
    // The parser recurses, and hostile text may be deeply nested.
    if (error instanceof RangeError) return { offset: 0, expected: 'JSON that is not nested this deeply' };
    throw error;
  }
  const [first] = errors;
  if (first === undefined) return null;
  const kind = printParseErrorCode(first.error);
  if (IN_STRING.includes(kind)) return findStringFault(text, first.offset);
  return { offset: first.offset, expected: EXPECTED[kind] ?? ANYTHING };
}

function findStringFault(text: string, start: number): JsonFault {
  const sound = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
  sound.lastIndex = start;
  const offset = sound.test(text) ? sound.lastIndex : start;
  if (offset >= text.length) return { offset, expected: 'the closing quote of a string' };
  return {
    offset,
    expected:
      text.charAt(offset) === '\\'
        ? 'one of the escapes \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'
        : 'a string without line breaks or control characters (write \\n)',
  };
}
