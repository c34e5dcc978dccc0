import {
  applyEdits,
  type Edit,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser';
import { DevCliError } from '../../../base/errors.js';
import { isRecord } from '../../../base/json.js';

/** Merging into a harness's settings, and taking out again what was merged (harness.md, Install). */

/** What is to be in the settings. */
export interface Addition {
  /** Where the list is: `permissions`, `allow`. */
  path: readonly string[];
  value: unknown;
  /** It is no item of a list, but a member of an object, and this its path; what somebody else has there stays. */
  isMember?: true | undefined;
}

type Place = Pick<Addition, 'path' | 'isMember'>;

/** How a text is changed back: apply in order. */
export interface Undo {
  offset: number;
  length: number;
  content: string;
}

const PARSING = { allowTrailingComma: true, disallowComments: false };

/**
 * Reads settings; comments and trailing commas are allowed, as the harnesses allow them.
 * @param shown the path for the error
 * @throws DevCliError `DATA_MALFORMED` for what does not parse, or is no object
 */
export function parseSettings(text: string, shown: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const value: unknown = text.trim() === '' ? {} : parse(text, errors, PARSING);
  if (errors.length === 0 && isRecord(value)) return value;
  throw malformed(shown, `${shown} is ${errors.length > 0 ? 'not valid JSON' : 'not a JSON object'}.`);
}

/**
 * Adds what is not there yet, keeping comments and form. Where others wrote on one line, what is added stands on one
 * line, too: forming it anew would change what is theirs.
 * @returns the text, and how it is changed back, which holds nothing of what others wrote but blanks and commas
 * @throws DevCliError `DATA_MALFORMED` as `readPlace`
 */
export function addToSettings(
  text: string,
  additions: readonly Addition[],
  shown: string,
): { text: string; undo: Undo[] } {
  const formed = addAll(text, additions, shown, true);
  return formed.undo.every(isOurs) ? formed : addAll(text, additions, shown, false);
}

function addAll(
  text: string,
  additions: readonly Addition[],
  shown: string,
  formed: boolean,
): { text: string; undo: Undo[] } {
  let after = text;
  const undo: Undo[] = [];
  for (const { path, value, isMember } of additions) {
    const items = readItems(after, { path, isMember }, shown);
    if (isMember ? items.length > 0 : items.some(({ item }) => isSame(item, value))) continue;
    const before = after;
    const place = isMember ? [...path] : [...path, items.length];
    after = edit(before.trim() === '' ? '{}\n' : before, place, value, formed);
    undo.unshift(buildUndo(before, after));
  }
  return { text: after, undo };
}

/** Whether a value is such a change, and puts back nothing but what an addition can have taken away. */
export function isUndo(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { offset, length, content } = value;
  return (
    typeof offset === 'number' && typeof length === 'number' && typeof content === 'string' && /^[\s,]*$/.test(content)
  );
}

/** Whether a change took nothing away but blanks and commas. */
function isOurs({ content }: Undo): boolean {
  return /^[\s,]*$/.test(content);
}

/** Lists those of these values that are there already, as JSON. @throws DevCliError `DATA_MALFORMED` as `readPlace` */
export function listOwnValues(text: string, additions: readonly Addition[], shown: string): string[] {
  return additions
    .filter((one) => readItems(text, one, shown).some(({ item }) => isSame(item, one.value)))
    .map(({ value }) => JSON.stringify(value));
}

/** Lists the members of which somebody else has another there. @throws DevCliError `DATA_MALFORMED` as `readPlace` */
export function listRivalMembers(text: string, additions: readonly Addition[], shown: string): string[] {
  return additions
    .filter((one) => one.isMember && readItems(text, one, shown).some(({ item }) => !isSame(item, one.value)))
    .map(({ path }) => path.join('.'));
}

/** Removes from these places what `remove` names, and the lists and objects that this leaves empty. */
export function removeFromSettings(
  text: string,
  remove: (item: unknown) => boolean,
  places: readonly Place[],
  shown: string,
): string {
  let after = text;
  for (const place of places) {
    const doomed = readItems(after, place, shown).filter(({ item }) => remove(item));
    for (const { at } of doomed.reverse()) after = edit(after, at, undefined, true);
    if (doomed.length > 0) after = removeEmptied(after, place.isMember ? place.path.slice(0, -1) : place.path, shown);
  }
  return after;
}

/** What stands at a place, each with its own path. */
function readItems(text: string, { path, isMember }: Place, shown: string): { item: unknown; at: JSONPath }[] {
  if (!isMember) return readList(text, path, shown).map((item, index) => ({ item, at: [...path, index] }));
  const item = readPlace(text, path, shown);
  return item === undefined ? [] : [{ item, at: [...path] }];
}

function removeEmptied(text: string, path: readonly string[], shown: string): string {
  const value = path.length === 0 ? undefined : readAtPath(parseSettings(text, shown), path);
  const isEmpty = Array.isArray(value) ? value.length === 0 : isRecord(value) && Object.keys(value).length === 0;
  return isEmpty ? removeEmptied(edit(text, [...path], undefined, true), path.slice(0, -1), shown) : text;
}

/** Returns what changes `after` back into `before`: one replacement between their common ends. */
export function buildUndo(before: string, after: string): Undo {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { offset: start, length: after.length - start - end, content: before.slice(start, before.length - end) };
}

/** Changes a text back. */
export function applyUndo(after: string, undo: readonly Undo[]): string {
  return undo.reduce(
    (text, { offset, length, content }) => text.slice(0, offset) + content + text.slice(offset + length),
    after,
  );
}

/** Returns what settings say at a path of keys; undefined where nothing stands. */
export function readAtPath(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), settings);
}

/** Reads a list; empty where there is none. @throws DevCliError `DATA_MALFORMED` as `readPlace`; for what is no list */
function readList(text: string, path: readonly string[], shown: string): unknown[] {
  const value = readPlace(text, path, shown);
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw malformed(shown, `${path.join('.')} in ${shown} is not a list.`);
}

/**
 * Reads what stands at a path.
 * @throws DevCliError `DATA_MALFORMED` as `parseSettings`; where something else than an object stands on the way; and where a key on the
 * way stands twice, since the harness goes by the last and an edit would change the first
 */
function readPlace(text: string, path: readonly string[], shown: string): unknown {
  const settings = parseSettings(text, shown);
  let node: Node | undefined = parseTree(text, [], PARSING);
  for (const [depth, key] of path.entries()) {
    const here = path.slice(0, depth);
    if (node !== undefined && node.type !== 'object')
      throw malformed(shown, `${here.join('.')} in ${shown} is not an object.`);
    const named: Node[] = node?.children?.filter(({ children }) => children?.[0]?.value === key) ?? [];
    if (named.length > 1) throw malformed(shown, `${[...here, key].join('.')} occurs twice in ${shown}.`);
    node = named[0]?.children?.[1];
  }
  return node === undefined ? undefined : readAtPath(settings, path);
}

/** A file that others share and that cannot be read. */
export function malformed(shown: string, message: string): DevCliError {
  return new DevCliError('DATA_MALFORMED', message, {
    details: [{ target: shown, problem: 'left as it is' }],
    fix: 'Repair that file, then repeat the command.',
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function edit(text: string, path: JSONPath, value: unknown, formed: boolean): string {
  const edits: Edit[] = modify(text, path, value, formed ? { formattingOptions: readForm(text) } : {});
  return applyEdits(text, edits);
}

/** The indentation and line ends that a file has. */
function readForm(text: string): { tabSize: number; insertSpaces: boolean; eol: string } {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return {
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    insertSpaces: !indent.startsWith('\t'),
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
