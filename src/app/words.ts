import { SIGNS } from '../views/signs.js';

const BY_SIGN = new Map(Object.values(SIGNS).map(({ sign, word }) => [sign, word]));

/** A sign at the beginning of a line, or of what stands two blanks apart. */
const SIGN = new RegExp(`(?<=^ *| {2})([${[...BY_SIGN.keys()].join('')}]) `, 'gmu');

/** Puts words in the place of signs, for a person who prefers words (view.md, Drawing). */
export function putInWords(text: string): string {
  return text.replace(SIGN, (_, sign: string) => `${BY_SIGN.get(sign)}: `);
}
