import type { Document, Node, Pair, Scalar, YAMLMap } from 'yaml';

const yaml = (): typeof import('yaml') => require('yaml');

/** Changes scalars in the text of a YAML file that people maintain. All other bytes stay the same. */

/** A replacement of some characters of a text. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** Applies changes to a text. The changes must not overlap. */
export function applyTextEdits(text: string, changes: readonly TextEdit[]): string {
  return [...changes]
    .sort((one, other) => other.start - one.start)
    .reduce((now, change) => now.slice(0, change.start) + change.text + now.slice(change.end), text);
}

/** Builds the change that sets a scalar on one line and keeps its quotes. @param word a word that needs no quotes */
export function changeWord(text: string, node: unknown, word: string): TextEdit {
  const [start, end] = getNodeRange(node);
  const quote = /^["']/.exec(text.slice(start, end))?.[0] ?? '';
  return { start, end, text: `${quote}${word}${quote}` };
}

/**
 * Explains why a node cannot be changed in place; null for a scalar on one line.
 * @param node a node of the document that was parsed from `text`
 */
export function findWordFault(node: unknown, text: string): string | null {
  const { isScalar, isAlias } = yaml();
  if (isAlias(node)) return 'it is an alias';
  if (!isScalar(node) || !node.range) return 'it is not a text';
  if (node.anchor !== undefined) return 'it has an anchor';
  const [start, end] = node.range;
  const isOneLine = ['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE'].includes(node.type ?? '') && end > start;
  return isOneLine && !/[\r\n]/.test(text.slice(start, end)) ? null : 'it takes more than one line';
}

/** Parses a text; null if it is not valid YAML. */
export function parseDocument(text: string): Document | null {
  try {
    const document = yaml().parseDocument(text, { logLevel: 'silent', prettyErrors: false });
    return document.errors.length === 0 ? document : null;
  } catch {
    // The parser overflows the stack on deep nesting.
    return null;
  }
}

/** Finds a member of a mapping; null if the node is not a mapping or lacks the key. */
export function findPair(map: unknown, key: string): Pair | null {
  if (!yaml().isMap(map)) return null;
  return map.items.find((pair) => (pair.key as Scalar | null)?.value === key) ?? null;
}

/** Returns the offsets of a node, without the spaces and comments that follow it. */
export function getNodeRange(node: unknown): [start: number, end: number] {
  const [start, end] = (node as Node | null)?.range ?? [0, 0];
  return [start, end];
}

/**
 * Builds the changes that set or remove a member of a mapping. A new member goes after `behind`.
 * @param value the value as YAML on one line; null removes the member
 */
export function changeMember(
  text: string,
  map: YAMLMap,
  { key, value, behind }: { key: string; value: string | null; behind: Pair },
): TextEdit[] {
  const pair = findPair(map, key);
  if (pair === null) return value === null ? [] : [addMember(text, map, behind, key, value)];
  const [start, whole] = getNodeRange(pair.value);
  const end = start + text.slice(start, whole).trimEnd().length;
  if (value !== null) return [{ start, end, text: `${start === getNodeRange(pair.key)[1] + 1 ? ' ' : ''}${value}` }];
  return [removeMember(text, map, pair, end) ?? { start, end, text: ' null' }];
}

/** Builds the change that inserts a member directly after `behind`, in the style of that member. */
function addMember(text: string, map: YAMLMap, behind: Pair, key: string, value: string): TextEdit {
  const [keyStart, keyEnd] = getNodeRange(behind.key);
  const [, end] = getNodeRange(behind.value);
  const quote = /^["']/.exec(text.slice(keyStart, keyEnd))?.[0] ?? '';
  const line = `${quote}${key}${quote}: ${value}`;
  if (map.flow === true) return { start: end, end, text: `, ${line}` };
  const next = text.indexOf('\n', end);
  const at = next === -1 ? text.length : next - (text[next - 1] === '\r' ? 1 : 0);
  const eol = (next === -1 ? text.includes('\r\n') : text[next - 1] === '\r') ? '\r\n' : '\n';
  const indent = ' '.repeat(keyStart - (text.lastIndexOf('\n', keyStart - 1) + 1));
  return { start: at, end: at, text: `${eol}${indent}${line}` };
}

/** Builds the change that removes a pair; null unless it has a line of its own or, in braces, follows a comma. */
function removeMember(text: string, map: YAMLMap, pair: Pair, end: number): TextEdit | null {
  const [start] = getNodeRange(pair.key);
  if (map.flow === true) {
    const before = map.items[map.items.indexOf(pair) - 1];
    const from = before === undefined ? start : getNodeRange(before.value)[1];
    return before !== undefined && /^\s*,\s*$/.test(text.slice(from, start)) ? { start: from, end, text: '' } : null;
  }
  const lineStart = text.lastIndexOf('\n', start - 1);
  if (lineStart === -1 || !/^ *$/.test(text.slice(lineStart + 1, start))) return null;
  const rest = /^[^\r\n]*/.exec(text.slice(end))?.[0] ?? '';
  return { start: lineStart - (text[lineStart - 1] === '\r' ? 1 : 0), end: end + rest.length, text: '' };
}

/** Renders a text in double quotes; characters that YAML does not allow are escaped. */
export function quoteText(text: string): string {
  const hide = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffd-\uffff]/g, hide);
}

/** Converts a document to its value; null if it has aliases, which the readers of these files do not accept either. */
export function toPlainValue(document: Document): Record<string, unknown> | null {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return null;
  }
}
