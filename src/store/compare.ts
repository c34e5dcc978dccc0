import { DevCliError } from '../base/errors.js';
import type { DocumentReader } from '../base/files.js';
import { isJsonObject, type Json, type JsonObject, parseOrNull } from '../base/json.js';
import { digestDocument, readDocument } from './documents.js';
import { listJsonDifferences } from './snapshot.js';
import type { ReplayDifference } from './store.js';

/** Maximum number of differing positions listed, since a completely different snapshot would fill pages. */
const PLACES_SHOWN = 20;

/** A change to a document as an entry records it: its digests before and after. */
export interface DocumentChange {
  seq: number;
  before: string | null;
  after: string | null;
}

/** Lists where the stored snapshot differs from the rebuilt one; empty if they are equal byte for byte. */
export function diffSnapshots(stored: string, rebuilt: string): Omit<ReplayDifference, 'path'>[] {
  if (stored === rebuilt) return [];
  const value = parseObject(stored);
  if (value === null) return [{ problem: 'is not a JSON object' }];
  const places = listJsonDifferences(JSON.parse(rebuilt) as JsonObject, value);
  if (places.length === 0) {
    return [
      { problem: `has the same content but different bytes, from byte ${findFirstDifference(stored, rebuilt)} on` },
    ];
  }
  const shown = places.slice(0, PLACES_SHOWN).map(({ pointer, before, after }) => ({
    pointer,
    problem: `is ${renderClipped(after)}; according to the journal ${renderClipped(before)}`,
  }));
  const more = places.length - shown.length;
  return more === 0 ? shown : [...shown, { problem: `differs in ${more} more places` }];
}

/** The facts with which a document is compared. */
export interface DocumentChecks {
  /** `seq` of the last entry whose commit is finished. Documents of later commits may not have been written yet. */
  finished: number;
  /** Whether nobody but the program that owns the store writes the document. */
  own: boolean;
  /**
   * Whether the machine has rebooted since the last commit. Data that was not synced may then be lost; the next call
   * restores it.
   */
  rebooted: boolean;
  object: (digest: string) => Buffer | null;
}

/** Describes how a document differs from the journal; null if it does not, or if its commit is unfinished. */
export function findDocumentDifference(
  files: DocumentReader,
  path: string,
  changes: readonly DocumentChange[],
  look: DocumentChecks,
): { note: boolean; problem: string } | null {
  const last = changes.at(-1);
  if (last === undefined) return null;
  const current = readDigest(files, path);
  if (typeof current === 'object' && current !== null) return { note: false, problem: current.problem };
  if (current === last.after) return null;
  const pending = changes.some(({ seq, before, after }) => seq > look.finished && [before, after].includes(current));
  if (pending) return null;
  // If the two digests are equal, the commit only recorded the document and did not write it: somebody else did, and
  // may do so again.
  const placed = last.before !== last.after;
  const lost = (problem: string) =>
    look.rebooted ? { note: true, problem: `${problem}; the next call restores it` } : { note: false, problem };
  if (current === null) {
    return placed ? lost('is missing') : { note: true, problem: 'is gone; its content is still stored' };
  }
  if (placed && current === last.before) return lost('is still as it was before that entry');
  if (last.after === null) return { note: true, problem: 'was removed, but somebody has written it again since' };
  const torn = placed ? describeTorn(files, path, look.object(last.after), look.rebooted) : null;
  if (torn !== null) return lost(torn);
  return { note: !look.own, problem: 'was changed since' };
}

function readDigest(files: DocumentReader, path: string): string | null | { problem: string } {
  try {
    const digest = digestDocument(files, path);
    if (digest !== undefined) return digest;
    return { problem: files.facts(path).kind === 'file' ? 'is larger than 8 MiB' : 'is not a regular file' };
  } catch (error) {
    if (error instanceof DevCliError)
      return { problem: `cannot be read: ${error.details[0]?.problem ?? error.message}` };
    throw error;
  }
}

/**
 * Describes a document of which only the beginning was written or, if `zeros`, in which zeros stand where data was not
 * synced; null if neither is the case.
 */
function describeTorn(files: DocumentReader, path: string, whole: Buffer | null, zeros: boolean): string | null {
  const content = readDocument(files, path);
  if (content === null || whole === null || content.length > whole.length) return null;
  if (zeros && content.every((byte, at) => byte === 0 || byte === whole[at])) return 'has lost a part';
  if (content.length === whole.length || !whole.subarray(0, content.length).equals(content)) return null;
  return `holds only the first ${content.length} of ${whole.length} bytes`;
}

function parseObject(text: string): JsonObject | null {
  const value = parseOrNull(text);
  return isJsonObject(value) ? value : null;
}

function findFirstDifference(one: string, other: string): number {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function renderClipped(value: Json | undefined): string {
  if (value === undefined) return 'absent';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
