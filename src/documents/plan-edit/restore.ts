import { renderCodePoint, revealInvisible } from '../plan-text.js';

/**
 * Puts back what a text held that nobody sees, and that PLAN.md shows by its code: `\u{202e}` in an edited text is the
 * character itself where it was one before.
 * @param before the text as plan-content.json has it
 */
export function restoreInvisible(edited: string, before: string): string {
  if (!edited.includes('\\u{') || revealInvisible(before) === before) return edited;
  const hidden = [...new Set(before)].filter((character) => revealInvisible(character) !== character);
  return hidden.reduce((text, character) => {
    const shown = renderCodePoint(character);
    return before.includes(shown) ? text : text.replaceAll(shown, () => character);
  }, edited);
}
