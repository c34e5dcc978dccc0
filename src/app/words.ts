import { SIGNS } from '../views/signs.js';

const BY_SIGN = new Map(Object.values(SIGNS).map(({ sign, word }) => [sign, word]));

/** Matches a sign at the beginning of a line or after two spaces. */
const SIGN = new RegExp(`(?<=^ *| {2})([${[...BY_SIGN.keys()].join('')}]) `, 'gmu');

/** Replaces signs with words, for a person who prefers words (view.md, Drawing). */
export function spellOutSigns(text: string): string {
  return text.replace(SIGN, (_, sign: string) => `${BY_SIGN.get(sign)}: `);
}
