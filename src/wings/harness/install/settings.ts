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

/** Merges additions into a harness's settings, and removes them again (harness.md, Install). */

/** A value to add to the settings. */
export interface Addition {
  /** Path of keys to the list, such as `permissions`, `allow`. */
  path: readonly string[];
  value: unknown;
  /**
   * True if the value is a member of an object, at `path` itself, instead of an item of a list. A different existing
   * value stays.
   */
  isMember?: true | undefined;
}

type Place = Pick<Addition, 'path' | 'isMember'>;

/** A replacement of text that reverts a change. Several are applied in the order in which they are listed. */
export interface Undo {
  offset: number;
  length: number;
  content: string;
}

const PARSING = { allowTrailingComma: true, disallowComments: false };

/**
 * Parses settings; comments and trailing commas are allowed, as in the harnesses.
 * @param shown the path for the error
 * @throws DevCliError `DATA_MALFORMED` if the text does not parse, or is not an object
 */
export function parseSettings(text: string, shown: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const value: unknown = text.trim() === '' ? {} : parse(text, errors, PARSING);
  if (errors.length === 0 && isRecord(value)) return value;
  throw malformedFileError(shown, `${shown} is ${errors.length > 0 ? 'not valid JSON' : 'not a JSON object'}.`);
}

/**
 * Adds missing values, keeping comments and formatting. In a file written on one line, the addition stays on that line,
 * because formatting would change the content of others.
 * @returns the text, and the changes that revert it; of other people's text, they put back nothing but whitespace and
 * commas
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

/**
 * Returns whether a value is an `Undo` whose content is only whitespace and commas: an addition replaces nothing else,
 * so any other content did not come from dev-cli.
 */
export function isUndo(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { offset, length, content } = value;
  return (
    typeof offset === 'number' && typeof length === 'number' && typeof content === 'string' && /^[\s,]*$/.test(content)
  );
}

/** Returns whether a change replaced only whitespace and commas. */
function isOurs({ content }: Undo): boolean {
  return /^[\s,]*$/.test(content);
}

/** Lists, as JSON, the added values that exist already. @throws DevCliError `DATA_MALFORMED` as `readPlace` */
export function listOwnValues(text: string, additions: readonly Addition[], shown: string): string[] {
  return additions
    .filter((one) => readItems(text, one, shown).some(({ item }) => isSame(item, one.value)))
    .map(({ value }) => JSON.stringify(value));
}

/** Lists the members that exist with another value. @throws DevCliError `DATA_MALFORMED` as `readPlace` */
export function listRivalMembers(text: string, additions: readonly Addition[], shown: string): string[] {
  return additions
    .filter((one) => one.isMember && readItems(text, one, shown).some(({ item }) => !isSame(item, one.value)))
    .map(({ path }) => path.join('.'));
}

/** Removes the items at these places that `remove` selects, and lists and objects that become empty. */
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

/** Lists the values at a place, each with its own path. */
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

/** Builds the change from `after` back to `before`: one replacement between their common prefix and suffix. */
export function buildUndo(before: string, after: string): Undo {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { offset: start, length: after.length - start - end, content: before.slice(start, before.length - end) };
}

/** Applies recorded reversals to a text, in their order; each offset refers to the text that the previous one left. */
export function applyUndo(after: string, undo: readonly Undo[]): string {
  return undo.reduce(
    (text, { offset, length, content }) => text.slice(0, offset) + content + text.slice(offset + length),
    after,
  );
}

/** Returns the value at a path of keys; undefined if there is none. */
export function readAtPath(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), settings);
}

/**
 * Reads a list; empty if there is none.
 * @throws DevCliError `DATA_MALFORMED` as `readPlace`, and if the value is not a list
 */
function readList(text: string, path: readonly string[], shown: string): unknown[] {
  const value = readPlace(text, path, shown);
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw malformedFileError(shown, `${path.join('.')} in ${shown} is not a list.`);
}

/**
 * Reads the value at a path.
 * @throws DevCliError `DATA_MALFORMED` as `parseSettings`; if the path leads through a value that is not an object; and
 * if a key of the path occurs twice, since the harness uses the last one and an edit would change the first
 */
function readPlace(text: string, path: readonly string[], shown: string): unknown {
  const settings = parseSettings(text, shown);
  let node: Node | undefined = parseTree(text, [], PARSING);
  for (const [depth, key] of path.entries()) {
    const here = path.slice(0, depth);
    if (node !== undefined && node.type !== 'object')
      throw malformedFileError(shown, `${here.join('.')} in ${shown} is not an object.`);
    const named: Node[] = node?.children?.filter(({ children }) => children?.[0]?.value === key) ?? [];
    if (named.length > 1) throw malformedFileError(shown, `${[...here, key].join('.')} occurs twice in ${shown}.`);
    node = named[0]?.children?.[1];
  }
  return node === undefined ? undefined : readAtPath(settings, path);
}

/** Builds the error for a shared file that cannot be parsed. */
export function malformedFileError(shown: string, message: string): DevCliError {
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

/** Detects the indentation and line endings of a file. */
function readForm(text: string): { tabSize: number; insertSpaces: boolean; eol: string } {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return {
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    insertSpaces: !indent.startsWith('\t'),
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
