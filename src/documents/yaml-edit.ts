import type { Document, Node, Pair, Scalar, YAMLMap } from 'yaml';

const yaml = (): typeof import('yaml') => require('yaml');

/** Scalars changed in the text of a YAML file that people write: what else stands there stays, byte for byte. */

/** Some characters of a text, and what takes their place. */
export interface Change {
  start: number;
  end: number;
  text: string;
}

/** Carries changes out, none of which overlap. */
export function applyChanges(text: string, changes: readonly Change[]): string {
  return [...changes]
    .sort((one, other) => other.start - one.start)
    .reduce((now, change) => now.slice(0, change.start) + change.text + now.slice(change.end), text);
}

/** Sets a scalar that stands on one line, with the quotes that it has. @param word plain */
export function changeWord(text: string, node: unknown, word: string): Change {
  const [start, end] = rangeOf(node);
  const quote = /^["']/.exec(text.slice(start, end))?.[0] ?? '';
  return { start, end, text: `${quote}${word}${quote}` };
}

/**
 * Says why a node is none that can be changed in place; null where it is a scalar on one line.
 * @param node of a document of `text`
 */
export function findWordFault(node: unknown, text: string): string | null {
  const { isScalar, isAlias } = yaml();
  if (isAlias(node)) return 'it is an alias';
  if (!isScalar(node) || !node.range) return 'it is no text';
  if (node.anchor !== undefined) return 'it has an anchor';
  const [start, end] = node.range;
  const isOneLine = ['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE'].includes(node.type ?? '') && end > start;
  return isOneLine && !/[\r\n]/.test(text.slice(start, end)) ? null : 'it does not stand on one line';
}

/** Parses a text; null where it is no YAML. */
export function parseDocument(text: string): Document | null {
  try {
    const document = yaml().parseDocument(text, { logLevel: 'silent', prettyErrors: false });
    return document.errors.length === 0 ? document : null;
  } catch {
    // It overflows the stack on deep nesting.
    return null;
  }
}

/** Finds a member of what may be a mapping. */
export function findPair(map: unknown, key: string): Pair | null {
  if (!yaml().isMap(map)) return null;
  return map.items.find((pair) => (pair.key as Scalar | null)?.value === key) ?? null;
}

/** Where a node stands, without what follows it. */
export function rangeOf(node: unknown): [start: number, end: number] {
  const [start, end] = (node as Node | null)?.range ?? [0, 0];
  return [start, end];
}

/**
 * Sets a member of a mapping, behind another where it is new, or takes it away.
 * @param value in YAML, on one line; null: it goes
 */
export function changeMember(
  text: string,
  map: YAMLMap,
  { key, value, behind }: { key: string; value: string | null; behind: Pair },
): Change[] {
  const pair = findPair(map, key);
  if (pair === null) return value === null ? [] : [addMember(text, map, behind, key, value)];
  const [start, whole] = rangeOf(pair.value);
  const end = start + text.slice(start, whole).trimEnd().length;
  if (value !== null) return [{ start, end, text: `${start === rangeOf(pair.key)[1] + 1 ? ' ' : ''}${value}` }];
  return [removeMember(text, map, pair, end) ?? { start, end, text: ' null' }];
}

/** Right behind another member, in its style. */
function addMember(text: string, map: YAMLMap, behind: Pair, key: string, value: string): Change {
  const [keyStart, keyEnd] = rangeOf(behind.key);
  const [, end] = rangeOf(behind.value);
  const quote = /^["']/.exec(text.slice(keyStart, keyEnd))?.[0] ?? '';
  const line = `${quote}${key}${quote}: ${value}`;
  if (map.flow === true) return { start: end, end, text: `, ${line}` };
  const next = text.indexOf('\n', end);
  const at = next === -1 ? text.length : next - (text[next - 1] === '\r' ? 1 : 0);
  const eol = (next === -1 ? text.includes('\r\n') : text[next - 1] === '\r') ? '\r\n' : '\n';
  const indent = ' '.repeat(keyStart - (text.lastIndexOf('\n', keyStart - 1) + 1));
  return { start: at, end: at, text: `${eol}${indent}${line}` };
}

/** What takes a pair away, with the line or the comma that it brought; null where others hold on to it. */
function removeMember(text: string, map: YAMLMap, pair: Pair, end: number): Change | null {
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
export function quoteText(text: string): string {
  const hide = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffd-\uffff]/g, hide);
}

/** What a document says. Null for one with aliases, too, which memory does not take either. */
export function toValue(document: Document): Record<string, unknown> | null {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return null;
  }
}
