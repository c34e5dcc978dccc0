import { renderCodePoint, revealInvisible } from '../../documents/plan-text.js';
import { foldTokens, getTokensKey, type Token, writeTokens } from '../markdown/tokens.js';
import { getRuleText } from '../model/rule.js';
import type { PlanRule } from '../model/schema.js';

/**
 * Returns the text of an edited line, or exactly the old text if the line still shows the same.
 * @param before the line that showed `old`; null if there was none
 * @param old the text in plan-content.json
 */
export function applyText(after: readonly Token[], before: readonly Token[] | null | undefined, old = ''): string {
  const isSame = before && getTokensKey(before) === getTokensKey(after);
  return isSame ? old : restoreInvisible(writeTokens(after), old);
}

/**
 * Restores invisible characters, which PLAN.md shows as codes: `\u{202e}` in an edited text becomes that character if
 * the old text contained it.
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
 * Reads a must-not: a text, optionally followed by paths, as in `` Change routes (`routes/**`) ``.
 * @param was the old rule and the line that showed it; null for a new rule
 */
export function readRule(tokens: readonly Token[], was: { rule: PlanRule; tokens: readonly Token[] } | null): PlanRule {
  const old = was === null ? '' : getRuleText(was.rule);
  const parted = splitPaths(tokens);
  // The old rule may be a plain text that happens to end in code in brackets. Then the brackets do not contain paths,
  // and the rule stays a plain text.
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
