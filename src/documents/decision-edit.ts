import type { Node, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { isSameJson } from '../base/json.js';
import {
  applyChanges,
  type Change,
  changeMember,
  changeWord,
  findPair,
  findWordFault,
  parseDocument,
  quoteText,
  rangeOf,
  toValue,
} from './yaml-edit.js';

const yaml = (): typeof import('yaml') => require('yaml');

const REFERENCES = 'evidence_refs';

/**
 * Accepts a ticket in its text: `status`, `selected`, and one more of `evidence_refs`; what else stands there stays, byte for byte
 * (loop-operations.md, Decisions).
 * @param ref null: there is nothing to name
 * @returns a problem, in words that follow "the file", where the text cannot be changed in place; nothing is half changed
 */
export function acceptDecision(
  text: string,
  { selected, ref }: { selected: string; ref: string | null },
): { text: string } | { problem: string } {
  const before = parseDocument(text);
  const map = before?.contents;
  const status = yaml().isMap(map) ? findPair(map as YAMLMap, 'status') : null;
  const value = before && toValue(before);
  if (status === null || value === null) return { problem: 'is no ticket' };
  const fault = findWordFault(status.value, text);
  if (fault !== null) return { problem: `has a status that cannot be changed in place: ${fault}` };
  const given = value[REFERENCES] ?? [];
  const refs = Array.isArray(given) ? given : [given];
  const changed = applyChanges(text, [
    changeWord(text, status.value, 'accepted'),
    ...mergeAdded(
      changeMember(text, map as YAMLMap, { key: 'selected', value: quoteText(selected), behind: status }),
      ref === null ? [] : addReference(text, map as YAMLMap, status, ref),
    ),
  ]);
  const after = parseDocument(changed);
  const meant = { ...value, status: 'accepted', selected, ...(ref === null ? {} : { [REFERENCES]: [...refs, ref] }) };
  return after !== null && isSameJson(meant, toValue(after))
    ? { text: changed }
    : { problem: 'has a form that cannot be changed in place' };
}

/** Two that are added at one place are one change, in this order. */
function mergeAdded(first: Change[], second: Change[]): Change[] {
  const [one, other] = [first[0], second[0]];
  return one !== undefined && other !== undefined && one.start === other.start && one.end === other.end
    ? [{ ...one, text: one.text + other.text }]
    : [...first, ...second];
}

/** At the end of the list, in its style. */
function addReference(text: string, map: YAMLMap, behind: Pair, ref: string): Change[] {
  const list = findPair(map, REFERENCES)?.value as YAMLSeq | null | undefined;
  const last = yaml().isSeq(list) ? (list.items.at(-1) as Node | undefined) : undefined;
  if (last === undefined || !list)
    return changeMember(text, map, { key: REFERENCES, value: `[${quoteText(ref)}]`, behind });
  const [start, end] = rangeOf(last);
  if (list.flow === true) return [{ start: end, end, text: `, ${quoteText(ref)}` }];
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const [indent = ''] = /^[ ]*- +/.exec(text.slice(from, start)) ?? [];
  const whole = end - (text.slice(start, end).length - text.slice(start, end).trimEnd().length);
  const next = /\r?\n|$/.exec(text.slice(whole));
  const at = whole + (next?.index ?? 0);
  const eol = next?.[0] || (text.includes('\r\n') ? '\r\n' : '\n');
  return [{ start: at, end: at, text: `${eol}${indent}${quoteText(ref)}` }];
}
