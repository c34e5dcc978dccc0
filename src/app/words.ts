import { spellSigns } from '../views/signs.js';

/** Puts words in the place of signs, in a text for a person who prefers them (view.md, Drawing). */
export function putInWords(text: string): string {
  return spellSigns(text);
}
