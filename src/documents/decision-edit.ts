import type { YAMLMap } from 'yaml';
import { isSameJson } from '../base/json.js';
import {
  applyTextEdits,
  changeMember,
  changeWord,
  findPair,
  findWordFault,
  getNodeRange,
  parseDocument,
  quoteText,
  toPlainValue,
} from './yaml-edit.js';

const yaml = (): typeof import('yaml') => require('yaml');

const REFERENCES = 'evidence_refs';

/**
 * Marks a ticket as accepted in the text of its file: sets `status` and `selected`, and adds to `evidence_refs`. All
 * other bytes stay the same (loop-operations.md, Decisions).
 * @param ref the reference to add; null to add none
 * @returns the new text or, if the text cannot be changed in place, the problem as the end of a sentence that begins
 * with "the file"
 */
export function acceptDecision(
  text: string,
  { selected, ref }: { selected: string; ref: string | null },
): { text: string } | { problem: string } {
  const before = parseDocument(text);
  const value = before && toPlainValue(before);
  const status = findPair(before?.contents, 'status');
  if (!value || status === null) return { problem: 'is not a ticket' };
  const fault = findWordFault(status.value, text);
  if (fault !== null) return { problem: `has a status that cannot be changed in place: ${fault}` };
  const member = { key: 'selected', value: quoteText(selected), behind: status };
  const chosen = applyTextEdits(text, [
    changeWord(text, status.value, 'accepted'),
    ...changeMember(text, before?.contents as YAMLMap, member),
  ]);
  const changed = ref === null ? chosen : addReference(chosen, ref);
  const refs = [value[REFERENCES] ?? []].flat();
  const meant = { ...value, status: 'accepted', selected, ...(ref !== null && { [REFERENCES]: [...refs, ref] }) };
  const after = parseDocument(changed);
  return after !== null && isSameJson(meant, toPlainValue(after))
    ? { text: changed }
    : { problem: 'has a form that cannot be changed in place' };
}

/** Adds a reference at the end of the list, written as the list's other items are; a new list goes after `selected`. */
function addReference(text: string, ref: string): string {
  const map = parseDocument(text)?.contents as YAMLMap | undefined;
  const behind = findPair(map, 'selected');
  if (map === undefined || behind === null) return text;
  const list = findPair(map, REFERENCES)?.value;
  const [last] = yaml().isSeq(list) ? list.items.slice(-1) : [];
  if (!yaml().isSeq(list) || last === undefined)
    return applyTextEdits(text, changeMember(text, map, { key: REFERENCES, value: `[${quoteText(ref)}]`, behind }));
  const [start, end] = getNodeRange(last);
  if (list.flow === true) return applyTextEdits(text, [{ start: end, end, text: `, ${quoteText(ref)}` }]);
  const [dash = ''] = /^ *- +/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1, start)) ?? [];
  const from = start + text.slice(start, end).trimEnd().length;
  const at = from + text.slice(from).search(/\r?$/m);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return applyTextEdits(text, [{ start: at, end: at, text: `${eol}${dash}${quoteText(ref)}` }]);
}
