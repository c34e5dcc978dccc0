import type { Clock } from '../base/clock.js';
import type { JsonObject } from '../base/json.js';
import { sha256 } from '../base/sha256.js';
import { type DocumentChange, diffSnapshots, findDocumentDifference } from './compare.js';
import { digestDocument } from './documents.js';
import { iterateEntries, readContents } from './history.js';
import { type JournalReader, readTail } from './journal.js';
import type { StoreLayout } from './layout.js';
import type { ReadMedium } from './medium.js';
import { isOfEarlierBoot } from './process.js';
import { applyEntry, parseSnapshot, readSeq, serializeSnapshot } from './snapshot.js';
import {
  BEGINNING,
  type Codec,
  type Entry,
  type Replay,
  type ReplayDifference,
  type ReplayOptions,
  type WithSeq,
} from './store.js';
import { readEntryContent } from './texts.js';

/** How many times a comparison is started at most. It is started again when another call commits meanwhile. */
const LOOKS = 20;

interface Options<S extends WithSeq> {
  layout: StoreLayout;
  medium: ReadMedium;
  codec: Codec<S>;
  clock: Clock;
  stream: string;
  look: ReplayOptions<S>;
}

type Findings = Pick<Replay<WithSeq>, 'differences' | 'notes'>;

/** The result of reading a journal from beginning to end and applying its patches. */
interface Folded {
  state: JsonObject | null;
  seq: number;
  commits: number;
  /** The rebuilt snapshot's text at the stored snapshot's `seq`; null if no entry has that `seq`. */
  asStored: string | null;
  documents: Map<string, DocumentChange[]>;
  /** Paths of documents last changed by a rendering, whose content no entry holds. */
  rendered: Set<string>;
  /** Digests of the contents that the journal's lines hold. */
  texts: Set<string>;
  differences: ReplayDifference[];
  /** False after a patch that does not fit, since the stored snapshot then cannot be compared. */
  foldable: boolean;
  /** Whether bytes follow the last complete commit. */
  torn: boolean;
  /** Whether the machine has rebooted since the last commit: unsynced data may be lost; the next call restores it. */
  rebooted: boolean;
}

/** Implements `Store.replay` (storage.md, A commit). Takes no lock; starts again if a commit interferes. */
export function replay<S extends WithSeq>(options: Options<S>): Replay<S> {
  const { medium, stream } = options;
  for (let attempt = 1; ; attempt++) {
    const stored = medium.snapshot(stream);
    const size = medium.journal(stream, (bytes) => bytes.size);
    const result = compareStream(options, stored);
    if (result.equal || attempt === LOOKS) return result;
    if (medium.snapshot(stream) === stored && medium.journal(stream, (bytes) => bytes.size) === size) return result;
  }
}

function compareStream<S extends WithSeq>(options: Options<S>, stored: string | null): Replay<S> {
  const { layout, medium, codec, stream } = options;
  const { names } = layout;
  const storedSeq = readSeq(stored);
  const folded = medium.journal(stream, (bytes) => foldFrom(bytes, options, storedSeq));
  const rebuilt = folded.state === null || !folded.foldable ? null : serializeSnapshot(folded.state, codec);
  const snapshot = rebuilt === null ? null : parseSnapshot(rebuilt, codec);
  const findings: Findings = { differences: [...folded.differences], notes: [] };
  if (folded.torn) {
    findings.notes.push({
      path: names.journal,
      problem: 'has a torn end; the next change discards the unfinished commit',
    });
  }
  if (folded.foldable) {
    const found = compareSnapshot(names, folded, { stored, storedSeq, rebuilt });
    const isLost = folded.rebooted && (stored === null || storedSeq < 0);
    (isLost ? findings.notes : findings.differences).push(...found);
  }
  if (rebuilt !== null && snapshot === null) {
    findings.differences.push({ seq: folded.seq, problem: 'the state after it does not fit its schema' });
  }
  // Each commit ends by writing the snapshot: without a usable one, only the stream's first commit can be unfinished.
  const tells = storedSeq >= 0 && (stored !== null || folded.commits === 1);
  const finished = tells ? Math.min(storedSeq, folded.seq) : folded.seq;
  if (finished < folded.seq) {
    const problem = 'does not know this entry yet; the next change finishes its commit';
    findings.notes.push({ path: names.snapshot, seq: finished + 1, problem });
  }
  const objects = compareDocuments(options, folded, finished, findings);
  if (snapshot !== null) findings.notes.push(...compareRenderings(options, folded, snapshot));
  return {
    equal: findings.differences.length === 0,
    snapshot,
    entries: folded.seq,
    documents: folded.documents.size,
    objects,
    ...findings,
  };
}

/** Compares documents and stored contents with the journal; returns how many contents there should be. */
function compareDocuments<S extends WithSeq>(
  { layout, medium, stream, look }: Options<S>,
  { documents, rendered, texts, rebooted }: Folded,
  finished: number,
  findings: Findings,
): number {
  const files = medium.files(stream);
  const findWith = (path: string, changes: readonly DocumentChange[], contents: ReadonlyMap<string, Buffer>) => {
    const own = look.isOwn?.(path) ?? false;
    const object = (sha: string): Buffer | null => contents.get(sha) ?? null;
    return findDocumentDifference(files, path, changes, { finished, own, rebooted, object });
  };
  const recorded = [...documents].filter(([path]) => !rendered.has(path));
  const different = recorded.filter(([path, changes]) => findWith(path, changes, new Map()) !== null);
  const contents = readContents(
    medium,
    stream,
    different.flatMap(([, changes]) => changes.at(-1)?.after ?? []),
  );
  for (const [path, changes] of different) {
    const found = findWith(path, changes, contents);
    if (found === null) continue;
    const difference = { path, seq: changes.at(-1)?.seq ?? 0, problem: found.problem };
    (found.note ? findings.notes : findings.differences).push(difference);
  }
  const digests = new Map<string, ReplayDifference>();
  for (const [path, changes] of documents) {
    for (const { seq, after } of changes) {
      if (after !== null)
        digests.set(after, { path: layout.names.journal, seq, problem: `lacks the content of ${path}` });
    }
  }
  for (const [digest, difference] of digests) {
    if (!texts.has(digest) && medium.object(stream, digest) === null) findings.differences.push(difference);
  }
  return digests.size;
}

/**
 * Compares the renderings. Differences are only notes, since people may edit renderings, and the next call restores a
 * lost one.
 */
function compareRenderings<S extends WithSeq>(
  { medium, stream, look }: Options<S>,
  { rendered }: Folded,
  snapshot: S,
): ReplayDifference[] {
  if (rendered.size === 0) return [];
  const files = medium.files(stream);
  const renderings = look.renderings?.(snapshot, (digests) => readContents(medium, stream, digests)) ?? new Map();
  return [...rendered].flatMap((path) => {
    const [wanted, found] = [renderings.get(path), digestDocument(files, path)];
    if (wanted === undefined || found === sha256(wanted)) return [];
    return [
      { path, problem: found === null ? 'is missing; the next call renders it' : 'was changed since it was rendered' },
    ];
  });
}

/** Reads the whole journal and applies its patches, commit by commit. */
function foldFrom<S extends WithSeq>(
  bytes: JournalReader,
  { look, medium, codec, clock }: Options<S>,
  storedSeq: number,
): Folded {
  const tail = readTail(bytes);
  const folded: Folded = {
    state: null,
    seq: tail.seq,
    commits: 0,
    asStored: null,
    documents: new Map(),
    rendered: new Set(),
    texts: new Set(),
    differences: [],
    foldable: true,
    torn: tail.end < bytes.size,
    rebooted: tail.last !== null && isOfEarlierBoot(tail.last, medium.boot, clock.now()),
  };
  for (const { entry } of iterateEntries(bytes, tail, BEGINNING)) {
    for (const problem of look.entry?.(entry) ?? []) folded.differences.push({ seq: entry.seq, problem });
    collectDocuments(folded, entry);
    if (!entry.more) folded.commits++;
    if (!entry.more && folded.foldable) folded.foldable = fold(folded, entry);
    if (entry.seq === storedSeq && folded.foldable && folded.state !== null)
      folded.asStored = serializeSnapshot(folded.state, codec);
  }
  return folded;
}

function collectDocuments({ documents, rendered, texts }: Folded, entry: Entry): void {
  for (const { path, before, after } of entry.files) {
    rendered.delete(path);
    const changes = documents.get(path);
    if (changes === undefined) documents.set(path, [{ seq: entry.seq, before, after }]);
    else changes.push({ seq: entry.seq, before, after });
  }
  for (const path of entry.rendered ?? []) rendered.add(path);
  for (const digest of Object.keys(entry.texts ?? {})) if (readEntryContent(entry, digest) !== null) texts.add(digest);
}

/** Applies an entry's patch to the state; returns false if it does not fit. */
function fold(folded: Folded, entry: Entry): boolean {
  let problem: string | null = null;
  try {
    folded.state = applyEntry(folded.state, entry);
    const seq = folded.state?.['seq'] ?? null;
    if (seq !== entry.seq) problem = `the state after it has seq ${JSON.stringify(seq)}`;
  } catch {
    problem = 'its patch does not fit the state before it';
  }
  if (problem !== null) folded.differences.push({ seq: entry.seq, problem });
  return problem === null;
}

function compareSnapshot(
  { snapshot: path, journal }: StoreLayout['names'],
  folded: Folded,
  { stored, storedSeq, rebuilt }: { stored: string | null; storedSeq: number; rebuilt: string | null },
): ReplayDifference[] {
  if (rebuilt === null) return stored === null ? [] : [{ path, problem: 'exists, but the journal is empty' }];
  // A crash in the first commit leaves no snapshot; the next call writes it.
  if (stored === null) return folded.commits === 1 ? [] : [{ path, problem: 'is missing' }];
  if (storedSeq > folded.seq) {
    return [{ path: journal, problem: `ends with entry ${folded.seq}, but ${path} knows entry ${storedSeq}` }];
  }
  return diffSnapshots(stored, folded.asStored ?? rebuilt).map((one) => ({ path, ...one }));
}
