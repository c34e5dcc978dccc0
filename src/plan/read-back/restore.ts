import { renderCodePoint, revealInvisible } from '../../documents/plan-text.js';
import { foldTokens, getTokensKey, type Token, writeTokens } from '../markdown/tokens.js';
import { getRuleText } from '../model/rule.js';
import type { PlanRule } from '../model/schema.js';

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

/**
 * Reads what must not be done: a text, or a text with paths behind it, `` Change routes (`routes/**`) ``.
 * @param was the rule as it was, and as it was shown; null for a new one
 */
export function readRule(tokens: readonly Token[], was: { rule: PlanRule; tokens: readonly Token[] } | null): PlanRule {
  const old = was === null ? '' : getRuleText(was.rule);
  const parted = splitPaths(tokens);
  // A text that ended in code in brackets before is still nothing but a text.
  const isText = typeof was?.rule === 'string' && splitPaths(was.tokens) !== null;
  const before = was && ((isText ? null : splitPaths(was.tokens)?.text) ?? was.tokens);
  if (parted === null || isText) return applyText(tokens, before, old);
  const text = applyText(parted.text, before, old);
  return { ...(typeof was?.rule === 'object' ? was.rule : {}), text, paths: parted.paths };
}

function splitPaths(tokens: readonly Token[]): { text: Token[]; paths: string[] } | null {
  const last = tokens.at(-1);
  if (last?.kind !== 'text' || last.value.trim() !== ')') return null;
  const paths: string[] = [];
  for (let at = tokens.length - 2; at > 0; at -= 2) {
    const [before, code] = [tokens[at - 1], tokens[at]];
    if (code?.kind !== 'code' || before?.kind !== 'text') return null;
    paths.unshift(code.value);
    if (before.value.trim() === ',') continue;
    const open = /\s*\($/.exec(before.value);
    if (open === null) return null;
    const text = foldTokens([...tokens.slice(0, at - 1), { kind: 'text', value: before.value.slice(0, open.index) }]);
    return text.length === 0 ? null : { text, paths };
  }
  return null;
}
