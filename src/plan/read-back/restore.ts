import { renderCodePoint, revealInvisible } from '../../documents/plan-text.js';
import { getTokensKey, type Token, writeTokens } from '../markdown/tokens.js';

/**
 * Returns the text that a line says now: the one of before where it shows the same.
 * @param before what was shown of `old`; null for nothing
 * @param old the text as plan-content.json has it
 */
export function applyText(after: readonly Token[], before: readonly Token[] | null | undefined, old = ''): string {
  const isSame = before && getTokensKey(before) === getTokensKey(after);
  return isSame ? old : restoreInvisible(writeTokens(after), old);
}

/**
 * Puts back what a text held that nobody sees, and that PLAN.md shows by its code: `\u{202e}` in an edited text is the
 * character itself where it was one before.
 */
export function restoreInvisible(edited: string, before: string): string {
  if (!edited.includes('\\u{') || revealInvisible(before) === before) return edited;
  const hidden = [...new Set(before)].filter((character) => revealInvisible(character) !== character);
  return hidden.reduce((text, character) => {
    const shown = renderCodePoint(character);
    return before.includes(shown) ? text : text.replaceAll(shown, () => character);
  }, edited);
}
