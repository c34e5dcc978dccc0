import { DevCliError } from '../../base/errors.js';
import { MASK, toBoundedLine } from '../../documents/foreign.js';

/** Characters of a text that are kept. */
const LONGEST = 400;

/** A text as memory keeps it. */
export interface KeptText {
  text: string;
  /** Whether a secret in it was masked. */
  masked: boolean;
}

/**
 * A text as memory keeps it: one line, secrets masked, then cut (memory.md, Entries).
 * @param target the option or argument that gave it
 * @throws DevCliError `DATA_MISSING` for a text of which nothing can be seen
 */
export function keepText(given: string, target: string): KeptText {
  const text = toBoundedLine(given, LONGEST);
  if (text === '') {
    throw new DevCliError('DATA_MISSING', `${target} is blank.`, {
      details: [{ target, problem: 'blank' }],
      fix: `Say it in ${target}, then repeat the call.`,
    });
  }
  return { text, masked: holdsMask(text) && !holdsMask(given) };
}

/** Whether a secret was masked in a text that is kept. */
export function holdsMask(text: string): boolean {
  return text.includes(MASK);
}
