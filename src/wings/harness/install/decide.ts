import { omitUndefined } from '../../../base/defined.js';
import { sha256 } from '../../../base/sha256.js';
import { readMark } from '../../../documents/mark.js';
import { isHookLine } from './hook-line.js';
import type { PieceRecord, SharedRecord } from './manifest.js';
import type { InstallPiece, OwnFile, SharedFile } from './piece.js';
import { listRivalTables, putRegions, takeRegions } from './regions.js';
import { addToSettings, applyUndo, listOwnValues, listRivalMembers, removeFromSettings } from './settings.js';

/**
 * Decides what installing or removing a piece does to a file. Pure: computes the new text from texts (harness.md,
 * Install).
 */

/** The decision for one file. */
export interface FileDecision {
  path: string;
  what: string;
  does: 'created' | 'updated' | 'unchanged' | 'removed' | 'kept';
  /** Why the file is kept. */
  why?: string;
  /** The new text of the file, or null to remove it; absent if it does not change. */
  text?: string | null;
  /** The new record in the manifest; absent if the file is not ours. */
  record?: PieceRecord;
  /** The manifest's record of the file in its present state. */
  was?: PieceRecord;
  /**
   * The text that `install` would write now. A temporary file next to this one that contains the beginning of that text
   * is left from an interrupted call.
   */
  put?: string;
  /** Somebody else's entries where dev-cli's would be; they stay, and dev-cli's are not added. */
  rivals?: readonly string[];
}

/**
 * Returns whether somebody else's file is at the path of a piece, or defines the same slash command.
 * @param read returns the text at a path, or null if nothing is there
 */
export function isPathTaken(
  piece: InstallPiece,
  records: Readonly<Record<string, PieceRecord>>,
  read: (path: string) => string | null,
): boolean {
  if (piece.kind !== 'file') return false;
  return [piece.path, ...(piece.rival === undefined ? [] : [piece.rival])].some((path) => {
    const present = records[path] === undefined ? read(path) : null;
    return present !== null && readMark(present) === null;
  });
}

/** Decides the change for a piece that should be installed. */
export function decideInstall(
  piece: InstallPiece,
  present: string | null,
  known: PieceRecord | undefined,
): FileDecision {
  const record = chooseRecord(present, known);
  const decision =
    piece.kind === 'file'
      ? installFile(piece, present, record)
      : { ...installShared(piece, present, record), rivals: listRivals(piece, present ?? '') };
  return record === undefined ? decision : { ...decision, was: record };
}

/**
 * Lists somebody else's entries in the places where a piece would put its own.
 * @throws DevCliError `DATA_MALFORMED`, `DOCUMENT_UNREADABLE`
 */
export function listRivals(piece: SharedFile, present: string): string[] {
  return piece.kind === 'settings'
    ? listRivalMembers(present, piece.additions ?? [], piece.path)
    : listRivalTables(piece, present);
}

/** If an update was interrupted, chooses the record (old or new) that matches the file. */
function chooseRecord(present: string | null, known: PieceRecord | undefined): PieceRecord | undefined {
  if (known?.earlier === undefined) return known;
  const { earlier, ...record } = known;
  const written = earlier.kind === 'file' ? earlier.sha256 : earlier.after;
  return present !== null && sha256(present) === written ? earlier : record;
}

function installFile(piece: OwnFile, present: string | null, record: PieceRecord | undefined): FileDecision {
  const { path, what, content } = piece;
  const written: PieceRecord = { kind: 'file', sha256: sha256(content) };
  if (present === null) return { path, what, does: 'created', text: content, record: written };
  if (present === content) return { path, what, does: 'unchanged', record: written };
  const whose = piece.isCopy ? 'ours' : judgeFile(present, record);
  if (whose === 'ours') return { path, what, does: 'updated', text: content, record: written };
  return { path, what, does: 'kept', why: WHY_KEPT[whose], ...omitUndefined({ record }) };
}

const WHY_KEPT = { theirs: 'it is not from dev-cli', edited: 'it was edited since it was installed' };

/**
 * Decides whose file this is: by the manifest or, as in a clone, by the mark in the file. The file's name does not
 * matter.
 */
function judgeFile(present: string, record: PieceRecord | undefined): 'ours' | 'edited' | 'theirs' {
  if (record?.kind === 'file' && record.sha256 === sha256(present)) return 'ours';
  const mark = readMark(present);
  if (mark === 'intact') return 'ours';
  return record !== undefined || mark === 'edited' ? 'edited' : 'theirs';
}

function installShared(piece: SharedFile, present: string | null, record: PieceRecord | undefined): FileDecision {
  const { path, what } = piece;
  const known = record?.kind === piece.kind ? record : undefined;
  if (present !== null && isComplete(piece, present)) {
    const found = known ?? recordFound(piece, present);
    return { path, what, does: 'unchanged', ...omitUndefined({ record: found }) };
  }
  const rest = takeOut(piece, present, known);
  const before = rest !== present && isLeftOver(piece, rest, known) ? null : rest;
  const { text, undo } = putIn(piece, before ?? '');
  const theirs = listTheirs(piece, before ?? '');
  const written: SharedRecord = {
    kind: piece.kind,
    before: before === null ? null : sha256(before),
    after: sha256(text),
    undo,
    ...(theirs.length === 0 ? {} : { theirs }),
  };
  if (text === present) return { path, what, does: 'unchanged', record: written };
  return { path, what, does: present === null ? 'created' : 'updated', text, record: written };
}

/**
 * Builds the record for a shared file that contains the whole piece although no record says so, as in a clone. Hooks of
 * dev-cli come from `install`; an equal line or member may be somebody else's, so it must not be removed later.
 */
function recordFound({ kind, additions = [], path }: SharedFile, present: string): SharedRecord | undefined {
  if (kind === 'lines') return undefined;
  const members = additions.filter(({ isMember }) => isMember);
  const theirs = members.length === 0 ? [] : listOwnValues(present, members, path);
  return { kind, before: '', undo: [], after: sha256(present), ...(theirs.length === 0 ? {} : { theirs }) };
}

/**
 * Lists the parts of a piece that a text already contained before the piece was added. They belong to somebody else and
 * stay when the piece is removed.
 */
function listTheirs({ lines = [], additions = [], path }: SharedFile, before: string): string[] {
  if (additions.length > 0) return listOwnValues(before, additions, path);
  return lines.filter((line) => hasLine(before, line));
}

function hasLine(text: string, line: string): boolean {
  return text.split('\n').some((one) => one.trim() === line);
}

/** Returns whether a text contains the whole piece, and nothing that only an earlier version wrote. */
function isComplete(piece: SharedFile, present: string): boolean {
  if (putIn(piece, present).text !== present) return false;
  const values = new Set((piece.additions ?? []).map(({ value }) => JSON.stringify(value)));
  const isStale = (item: unknown) => isOwnHook(item) && !values.has(JSON.stringify(item));
  return takeAdditionsOut(piece, present, isStale) === present;
}

/**
 * Decides the change for a piece that is removed.
 * @param piece the piece in this version, if this version still has it
 */
export function decideRemoval(
  path: string,
  piece: InstallPiece | undefined,
  present: string | null,
  known: PieceRecord | undefined,
): FileDecision {
  const record = chooseRecord(present, known);
  const decision = removePiece(path, piece, present, record);
  if (record === undefined) return decision;
  const put = piece === undefined || piece.kind === 'file' ? {} : { put: putIn(piece, present ?? '').text };
  return { ...decision, ...put, was: record };
}

function removePiece(
  path: string,
  piece: InstallPiece | undefined,
  present: string | null,
  record: PieceRecord | undefined,
): FileDecision {
  const what = piece?.what ?? '';
  const kind = record?.kind ?? piece?.kind ?? 'file';
  if (present === null) return { path, what, does: 'unchanged' };
  if (kind !== 'file') return removeShared(piece?.kind === kind ? piece : { kind, path, what }, present, record);
  const isCopy = piece?.kind === 'file' && piece.isCopy === true && record !== undefined;
  const whose = isCopy ? 'ours' : judgeFile(present, record);
  if (whose === 'theirs') return { path, what, does: 'unchanged' };
  if (whose === 'ours') return { path, what, does: 'removed', text: null };
  return { path, what, does: 'kept', why: WHY_KEPT[whose] };
}

function removeShared(piece: SharedFile, present: string, record: PieceRecord | undefined): FileDecision {
  const { path, what } = piece;
  const known = record?.kind === piece.kind ? record : undefined;
  const before = takeOut(piece, present, known);
  if (before === present) return { path, what, does: 'unchanged' };
  if (before === null || isLeftOver(piece, before, known)) return { path, what, does: 'removed', text: null };
  return { path, what, does: 'updated', text: before };
}

/**
 * Returns whether a file, after our content was removed, is empty and was created by us. Without a record, as in a
 * clone, a file that held our marked blocks counts as created by us.
 */
function isLeftOver({ kind }: SharedFile, rest: string | null, record: SharedRecord | undefined): boolean {
  const isOurs = record?.before === null || (kind === 'regions' && !record?.before);
  return isOurs && rest !== null && /^[\s{}]*$/.test(rest);
}

/**
 * Removes a piece from a text. If nobody has changed the text since, restores the previous bytes; otherwise removes the
 * entries that are ours. Without a record, it removes marked blocks, but no lines, and it removes entries of settings
 * only if the settings contain a hook of dev-cli, which shows that `install` wrote there.
 */
function takeOut(piece: SharedFile, present: string | null, record: SharedRecord | undefined): string | null {
  if (present === null) return null;
  if (record !== undefined && sha256(present) === record.after) {
    const before = applyUndo(present, record.undo);
    if (record.before === null) return null;
    if (sha256(before) === record.before) return before;
  }
  if (piece.kind === 'lines') return takeLinesOut(piece, present, record);
  if (piece.kind === 'regions') return takeRegions(piece, present);
  const withoutHooks = takeAdditionsOut(piece, present, isOwnHook);
  if (record === undefined && withoutHooks === present) return present;
  const values = new Set((piece.additions ?? []).map(({ value }) => JSON.stringify(value)));
  for (const one of record?.theirs ?? []) values.delete(one);
  return takeAdditionsOut(piece, withoutHooks, (item) => values.has(JSON.stringify(item)));
}

/** Removes lines that we added, according to the record. Of two equal lines, the last one is removed. */
function takeLinesOut({ lines = [] }: SharedFile, present: string, record: SharedRecord | undefined): string {
  if (record === undefined || record.undo.length === 0) return present;
  const all = present.split('\n');
  for (const line of lines.filter((one) => record.theirs?.includes(one) !== true)) {
    const at = all.findLastIndex((one) => one.trim() === line);
    if (at !== -1) all.splice(at, 1);
  }
  return all.join('\n');
}

function takeAdditionsOut(
  { kind, additions = [], path: shown }: SharedFile,
  present: string,
  remove: (item: unknown) => boolean,
): string {
  if (kind !== 'settings') return present;
  const places = [...new Map(additions.map((one) => [one.path.join('/'), one])).values()];
  return removeFromSettings(present, remove, places, shown);
}

/** Returns whether an entry of a hook list runs `dev-cli hook`, in any form that an earlier version wrote. */
function isOwnHook(item: unknown): boolean {
  const hooks = (item as { hooks?: unknown } | null)?.hooks;
  return Array.isArray(hooks) && hooks.length > 0 && hooks.every((hook) => isHookLine(hook?.command));
}

function putIn(piece: SharedFile, before: string): Pick<SharedRecord, 'undo'> & { text: string } {
  if (piece.kind === 'settings') return addToSettings(before, piece.additions ?? [], piece.path);
  if (piece.kind === 'regions') return putRegions(piece, before);
  const missing = (piece.lines ?? []).filter((line) => !hasLine(before, line));
  if (missing.length === 0) return { text: before, undo: [] };
  const added = `${before === '' || before.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`;
  return { text: before + added, undo: [{ offset: before.length, length: added.length, content: '' }] };
}
