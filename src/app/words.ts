import { SIGNS } from '../views/signs.js';

const LEADING = new RegExp(
  `^([ ]*)([${Object.values(SIGNS)
    .map(({ sign }) => sign)
    .join('')}]) `,
  'gmu',
);

/** Puts the word in the place of a sign that begins a line, for a person who prefers words (view.md, Drawing). */
export function putInWords(text: string): string {
  return text.replace(LEADING, (_, indent: string, sign: string) => {
    const word = Object.values(SIGNS).find((one) => one.sign === sign)?.word ?? sign;
    return `${indent}${word}: `;
  });
}
