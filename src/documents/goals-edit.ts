import type { Document, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { isRecord, isSameJson } from '../base/json.js';

const yaml = (): typeof import('yaml') => require('yaml');

/** The status of a goal, changed in the text of `.ai/goals.yaml`: what else stands there stays, byte for byte (loop-core.md, Files). */

const REASON = 'blocked_reason';

interface Change {
  start: number;
  end: number;
  text: string;
}

/**
 * Sets the status of a goal, and why it is blocked, or takes that away.
 * @param status a plain word
 * @returns a problem, in words that follow "the file", where the text does not parse, has no such goal, or has it in a form that
 * cannot be changed in place; nothing is half changed
 */
export function setGoalStatus(
  text: string,
  id: string,
  status: string,
  blockedReason: string | null,
): { text: string } | { problem: string } {
  const parsed = parse(text);
  const found = parsed && findGoal(parsed.contents, id);
  if (parsed === null) return { problem: 'is not valid YAML' };
  if (!found) return { problem: `has no goal ${JSON.stringify(id)} with a status` };
  const { map, pair } = found;
  const fault = findStatusFault(pair.value as Node | null, text);
  if (fault !== null)
    return { problem: `has a status of ${JSON.stringify(id)} that cannot be changed in place: ${fault}` };
  const [start, end] = rangeOf(pair.value);
  const quote = /^["']/.exec(text.slice(start, end))?.[0] ?? '';
  const changes = [{ start, end, text: `${quote}${status}${quote}` }, ...changeReason(text, map, pair, blockedReason)];
  const changed = changes
    .sort((one, other) => other.start - one.start)
    .reduce((now, change) => now.slice(0, change.start) + change.text + now.slice(change.end), text);
  return isMeant(parsed, changed, id, { status, [REASON]: blockedReason })
    ? { text: changed }
    : { problem: `has a form of ${JSON.stringify(id)} that cannot be changed in place` };
}

/** Finds the node of a goal's status. */
export function findStatusNode(document: Document, id: string): unknown {
  return findGoal(document.contents, id)?.pair.value ?? null;
}

/**
 * Says why the node of a status is none that can be changed in place; null where it is a scalar on one line.
 * @param node of a document of `text`
 */
export function findStatusFault(node: unknown, text: string): string | null {
  const { isScalar, isAlias } = yaml();
  if (isAlias(node)) return 'it is an alias';
  if (!isScalar(node) || !node.range) return 'it is no text';
  if (node.anchor !== undefined) return 'it has an anchor';
  const [start, end] = node.range;
  const isOneLine = ['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE'].includes(node.type ?? '') && end > start;
  return isOneLine && !/[\r\n]/.test(text.slice(start, end)) ? null : 'it does not stand on one line';
}

function parse(text: string): Document | null {
  try {
    const document = yaml().parseDocument(text, { logLevel: 'silent', prettyErrors: false });
    return document.errors.length === 0 ? document : null;
  } catch {
    // It overflows the stack on deep nesting.
    return null;
  }
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

function findPair(map: YAMLMap, key: string): Pair | null {
  return map.items.find((pair) => (pair.key as Scalar | null)?.value === key) ?? null;
}

/** Where a node stands, without what follows it. */
function rangeOf(node: unknown): [start: number, end: number] {
  const [start, end] = (node as Node | null)?.range ?? [0, 0];
  return [start, end];
}

function changeReason(text: string, map: YAMLMap, status: Pair, reason: string | null): Change[] {
  const pair = findPair(map, REASON);
  if (pair === null) return reason === null ? [] : [addReason(text, map, status, reason)];
  const [start, whole] = rangeOf(pair.value);
  const end = start + text.slice(start, whole).trimEnd().length;
  if (reason !== null)
    return [{ start, end, text: `${start === rangeOf(pair.key)[1] + 1 ? ' ' : ''}${quoteText(reason)}` }];
  return [removeReason(text, map, pair, end) ?? { start, end, text: ' null' }];
}

/** Right behind the status, in the style of its goal. */
function addReason(text: string, map: YAMLMap, status: Pair, reason: string): Change {
  const [keyStart, keyEnd] = rangeOf(status.key);
  const [, end] = rangeOf(status.value);
  const quote = /^["']/.exec(text.slice(keyStart, keyEnd))?.[0] ?? '';
  const line = `${quote}${REASON}${quote}: ${quoteText(reason)}`;
  if (map.flow === true) return { start: end, end, text: `, ${line}` };
  const next = text.indexOf('\n', end);
  const at = next === -1 ? text.length : next - (text[next - 1] === '\r' ? 1 : 0);
  const eol = (next === -1 ? text.includes('\r\n') : text[next - 1] === '\r') ? '\r\n' : '\n';
  const indent = ' '.repeat(keyStart - (text.lastIndexOf('\n', keyStart - 1) + 1));
  return { start: at, end: at, text: `${eol}${indent}${line}` };
}

/** What takes a pair away, with the line or the comma that it brought; null where others hold on to it. */
function removeReason(text: string, map: YAMLMap, pair: Pair, end: number): Change | null {
  const [start] = rangeOf(pair.key);
  if (map.flow === true) {
    const before = map.items[map.items.indexOf(pair) - 1];
    const from = before === undefined ? start : rangeOf(before.value)[1];
    return before !== undefined && /^\s*,\s*$/.test(text.slice(from, start)) ? { start: from, end, text: '' } : null;
  }
  const lineStart = text.lastIndexOf('\n', start - 1);
  if (lineStart === -1 || !/^ *$/.test(text.slice(lineStart + 1, start))) return null;
  const rest = /^[^\r\n]*/.exec(text.slice(end))?.[0] ?? '';
  return { start: lineStart - (text[lineStart - 1] === '\r' ? 1 : 0), end: end + rest.length, text: '' };
}

/** In double quotes; what YAML has no place for is escaped. */
function quoteText(text: string): string {
  const hide = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffd-\uffff]/g, hide);
}

/** Whether the changed text says just what was meant, and else what it said before. */
function isMeant(before: Document, changed: string, id: string, fields: Record<string, string | null>): boolean {
  const after = parse(changed);
  if (after === null) return false;
  const value = toValue(before);
  const goal = findValue(value?.['goals'], id);
  if (goal === null) return false;
  Object.assign(goal, fields);
  return isSameJson(dropNull(value, id), dropNull(toValue(after), id));
}

/** Null for one with aliases, too, which memory does not take either. */
function toValue(document: Document): Record<string, unknown> | null {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return null;
  }
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
