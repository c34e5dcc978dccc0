import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import { type DocumentReader, type FileChange, MAX_DOCUMENT } from '../base/files.js';
import { type JsonObject, normalizeJson } from '../base/json.js';
import { sha256 } from '../base/sha256.js';
import { digestDocument, type StreamReference } from './documents.js';
import { isInside, isReserved, toDocumentPath, toRootRelative } from './layout.js';
import { encodeEntry } from './line.js';
import type { DocumentWrite } from './medium.js';
import { createPatch, serializeNormal } from './snapshot.js';
import { type Codec, ENTRY_VERSION, type Entry, type TransactionDecision, type WithSeq } from './store.js';
import { LARGEST_TEXT, packTexts } from './texts.js';

/** A commit, computed but not yet written. */
export interface StoreCommit {
  /** The journal lines to append. */
  lines: string;
  /** `seq` of the commit's last entry. */
  seq: number;
  /** The snapshot after the commit. */
  snapshot: JsonObject;
  /** The snapshot's serialized text. */
  text: string;
  /** Contents that are too large for a journal line, by digest. */
  large: Map<string, Buffer>;
  /**
   * All that is to be written besides the journal and the snapshot: documents whose content changes, renderings, and
   * the directories that `rooms` asks for.
   */
  placements: DocumentWrite[];
}

export interface CommitBase extends StreamReference {
  codec: Pick<Codec<WithSeq>, 'encode'>;
  snapshot: JsonObject | null;
  seq: number;
  /** The instant of the commit. */
  at: string;
  /** The id of the machine's current boot; null if the system does not report one. */
  boot: string | null;
  files: DocumentReader;
}

/** A decision with entries to write. */
export type WriteDecision<S extends WithSeq> = Extract<TransactionDecision<S, unknown>, { entries: unknown }>;

/**
 * Computes the entries, bytes and documents of a commit (storage.md, A commit). Writes nothing.
 * @throws DevCliError `IO` if something other than a file is at a document's path; `DATA_MALFORMED` if a document would
 * be larger than 8 MiB
 */
export function buildCommit<S extends WithSeq>(base: CommitBase, decision: WriteDecision<S>): StoreCommit {
  const seq = base.seq + decision.entries.length;
  const snapshot = normalizeJson({ ...decision.snapshot, seq }, base.snapshot ?? undefined) as JsonObject;
  const large = new Map<string, Buffer>();
  const small = new Map<string, Buffer>();
  const placements: DocumentWrite[] = [];
  const files: Entry['files'] = [];
  const renderings = buildRenderings(base, decision.files);
  for (const change of decision.files) {
    if (change.rendered !== undefined) continue;
    const path = resolveTarget(base, change);
    const others = [...placements, ...renderings];
    if (others.some((other) => other.path === path)) throw new Error(`two changes of ${path} in one commit`);
    const content = change.content === null ? null : Buffer.from(change.content);
    const before = readCurrentDigest(base.files, path);
    const after = content === null ? null : digestWithinLimit(path, content);
    if (content !== null && after !== null) {
      (content.length > LARGEST_TEXT ? large : small).set(after, content);
    }
    files.push({ path: toDocumentPath(base.layout, base.stream, path), before, after });
    placements.push({ path, content, durable: !isInside(base, path) });
  }
  const changed = placements.filter((_, i) => files[i]?.before !== files[i]?.after);
  const lines = decision.entries.map(({ type, by, data }, i) => {
    const head = { v: ENTRY_VERSION, seq: base.seq + 1 + i, at: base.at, type, by, data };
    if (base.seq + 1 + i < seq) return encodeEntry({ ...head, patch: [], files: [], more: true });
    const patch = createPatch(base.snapshot, snapshot);
    const rendered = renderings.map(({ path }) => toDocumentPath(base.layout, base.stream, path));
    const more = {
      rendered: rendered.length === 0 ? undefined : rendered,
      boot: base.boot ?? undefined,
      texts: small.size === 0 ? undefined : packTexts(small),
      marks: decision.marks,
    };
    return encodeEntry({ ...head, patch, files, ...omitUndefined(more) });
  });
  const text = serializeNormal(snapshot, base.codec);
  const rooms = (decision.rooms ?? []).map((path): DocumentWrite => {
    return { path: resolveTarget(base, { path, content: null }), content: null, durable: false, room: true };
  });
  return { lines: lines.join(''), seq, snapshot, text, large, placements: [...changed, ...renderings, ...rooms] };
}

/**
 * Lists the writes of those documents that are renderings; their contents are not in the journal.
 * @throws DevCliError `IO`, `DATA_MALFORMED` as `buildCommit`
 */
export function buildRenderings(
  base: StreamReference & Pick<CommitBase, 'files'>,
  changes: readonly FileChange[],
): DocumentWrite[] {
  return changes.flatMap((change): DocumentWrite[] => {
    if (change.rendered === undefined || change.content === null) return [];
    const path = resolveTarget(base, change);
    const facts = base.files.facts(`/${path}`);
    if (facts.kind !== 'missing' && facts.kind !== 'file') throw notWritableError(path, facts.kind);
    const content = Buffer.from(change.content);
    const append = change.rendered === 'end';
    checkLimit(path, content.length + (append && facts.kind === 'file' ? facts.size : 0));
    return [{ path, content, durable: false, ...(append ? { append } : {}) }];
  });
}

/** Returns the path of a document that a commit writes, relative to the root. */
export function resolveTarget({ layout, stream }: StreamReference, change: FileChange): string {
  const path = toRootRelative(layout, stream, change.path);
  if (path === null || path === '.') throw new Error(`a document outside the root: ${change.path}`);
  if (isReserved(layout, stream, path)) throw new Error(`no document may be written at ${path}`);
  return path;
}

function readCurrentDigest(files: DocumentReader, path: string): string | null {
  const digest = digestDocument(files, `/${path}`);
  if (digest !== undefined) return digest;
  throw notWritableError(path, files.facts(`/${path}`).kind);
}

function notWritableError(path: string, kind: string): DevCliError {
  const what = {
    directory: 'a directory',
    outside: 'a link out of the project',
    special: 'not a regular file',
    file: 'over 8 MiB',
  };
  return new DevCliError('IO', `${path} cannot be written: it is ${what[kind as keyof typeof what]}.`, {
    details: [{ target: path, problem: 'not a regular file' }],
    fix: `Move what is at ${path} away, then repeat the same call.`,
  });
}

function digestWithinLimit(path: string, content: Buffer): string {
  checkLimit(path, content.length);
  return sha256(content);
}

/** Refuses a document that would be too large. @param size in bytes */
function checkLimit(path: string, size: number): void {
  if (size <= MAX_DOCUMENT) return;
  throw new DevCliError('DATA_MALFORMED', `${path} would be ${size} bytes; a document may have at most 8 MiB.`, {
    fix: 'Shorten it: keep the essentials and refer to the rest by path.',
  });
}
