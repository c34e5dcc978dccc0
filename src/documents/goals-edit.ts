import type { Document, Pair, YAMLMap } from 'yaml';
import { isRecord, isSameJson } from '../base/json.js';
import {
  applyTextEdits,
  changeMember,
  changeWord,
  findPair,
  findWordFault,
  parseDocument,
  quoteText,
  toPlainValue,
} from './yaml-edit.js';

const yaml = (): typeof import('yaml') => require('yaml');

/**
 * Changes the status of a goal in the text of `.ai/goals.yaml`. All other bytes stay the same (loop-core.md, Files).
 */

const REASON = 'blocked_reason';

/**
 * Sets the status of a goal, and sets or removes the reason why it is blocked.
 * @param status a plain word
 * @returns the new text; or else, as the end of a sentence that begins with "the file", the problem: the text does not
 * parse, has no such goal, or writes the goal in a form that cannot be changed in place
 */
export function setGoalStatus(
  text: string,
  id: string,
  status: string,
  blockedReason: string | null,
): { text: string } | { problem: string } {
  const parsed = parseDocument(text);
  const found = parsed && findGoal(parsed.contents, id);
  if (parsed === null) return { problem: 'is not valid YAML' };
  if (!found) return { problem: `has no goal ${JSON.stringify(id)} with a status` };
  const { map, pair } = found;
  const fault = findWordFault(pair.value, text);
  if (fault !== null)
    return { problem: `has a status of ${JSON.stringify(id)} that cannot be changed in place: ${fault}` };
  const value = blockedReason === null ? null : quoteText(blockedReason);
  const changed = applyTextEdits(text, [
    changeWord(text, pair.value, status),
    ...changeMember(text, map, { key: REASON, value, behind: pair }),
  ]);
  return isMeant(parsed, changed, id, { status, [REASON]: blockedReason })
    ? { text: changed }
    : { problem: `has a form of ${JSON.stringify(id)} that cannot be changed in place` };
}

/** Finds the YAML node of a goal's status; null if there is none. */
export function findStatusNode(document: Document, id: string): unknown {
  return findGoal(document.contents, id)?.pair.value ?? null;
}

function findGoal(root: unknown, id: string): { map: YAMLMap; pair: Pair } | null {
  const { isMap, isSeq } = yaml();
  const among = (list: unknown): ReturnType<typeof findGoal> => {
    for (const item of isSeq(list) ? list.items : []) {
      if (!isMap(item)) continue;
      const pair = findPair(item, 'status');
      const found = item.get('id') === id && pair !== null ? { map: item, pair } : among(item.get('children', true));
      if (found !== null) return found;
    }
    return null;
  };
  return isMap(root) ? among(root.get('goals', true)) : null;
}

/** Returns whether the changed text contains exactly the intended change and is otherwise the same. */
function isMeant(before: Document, changed: string, id: string, fields: Record<string, string | null>): boolean {
  const after = parseDocument(changed);
  if (after === null) return false;
  const value = toPlainValue(before);
  const goal = findValue(value?.['goals'], id);
  if (goal === null) return false;
  Object.assign(goal, fields);
  return isSameJson(dropNull(value, id), dropNull(toPlainValue(after), id));
}

function dropNull(value: Record<string, unknown> | null, id: string): unknown {
  const goal = findValue(value?.['goals'], id);
  if (goal?.[REASON] === null) delete goal[REASON];
  return value;
}

function findValue(list: unknown, id: string): Record<string, unknown> | null {
  for (const item of Array.isArray(list) ? list : []) {
    if (!isRecord(item)) continue;
    const found = item['id'] === id && 'status' in item ? item : findValue(item['children'], id);
    if (found !== null) return found;
  }
  return null;
}
