import type { JsonObject } from '../base/json.js';
import { type Change, documentDifference, snapshotDifferences } from './compare.js';
import { entriesFrom } from './forward.js';
import { type Bytes, readTail } from './journal.js';
import type { Medium } from './medium.js';
import { patched } from './patch.js';
import { parsed, seqOf } from './snapshot.js';
import {
  BEGINNING,
  type Codec,
  type Difference,
  type Entry,
  type Numbered,
  type Replay,
  type ReplayLook,
} from './store.js';

/** How often it is looked again because a commit came in between. */
const LOOKS = 20;

interface Options<S extends Numbered> {
  medium: Medium;
  codec: Codec<S>;
  stream: string;
  look: ReplayLook;
}

type Findings = Pick<Replay<Numbered>, 'differences' | 'notes'>;

/** What a journal says, read from its beginning to its end. */
interface Told {
  state: JsonObject | null;
  seq: number;
  commits: number;
  /** The bytes of state.json after the entry that the stored one ends with; null when it ends with none of these. */
  asStored: string | null;
  documents: Map<string, Change[]>;
  differences: Difference[];
  /** False from a patch on that does not fit: there is nothing to compare state.json with. */
  foldable: boolean;
  /** Something lies behind the last whole commit. */
  torn: boolean;
}

/** `Store.replay` (storage.md, A commit). Nobody is locked out: when a commit came in between, it is done again. */
export function replay<S extends Numbered>(options: Options<S>): Replay<S> {
  const { medium, stream } = options;
  for (let attempt = 1; ; attempt++) {
    const stored = medium.state(stream);
    const size = medium.journal(stream, (bytes) => bytes.size);
    const result = compared(options, stored);
    if (result.equal || attempt === LOOKS) return result;
    if (medium.state(stream) === stored && medium.journal(stream, (bytes) => bytes.size) === size) return result;
  }
}

function compared<S extends Numbered>({ medium, codec, stream, look }: Options<S>, stored: string | null): Replay<S> {
  const storedSeq = seqOf(stored);
  const serialize = (state: JsonObject) => codec.serialize(state as unknown as S);
  const told = medium.journal(stream, (bytes) => retold(bytes, look, storedSeq, serialize));
  const rebuilt = told.state === null || !told.foldable ? null : serialize(told.state);
  const snapshot = rebuilt === null ? null : parsed(rebuilt, codec);
  const findings: Findings = { differences: [...told.differences], notes: [] };
  if (told.torn) {
    findings.notes.push({ path: 'events.jsonl', problem: 'has a torn end; what was being written never happened' });
  }
  if (told.foldable) findings.differences.push(...ofState(told, stored, storedSeq, rebuilt));
  if (rebuilt !== null && snapshot === null) {
    findings.differences.push({ seq: told.seq, problem: 'the state after it does not fit its schema' });
  }
  // Without a snapshot that says how far it is there is one commit that may be unfinished, the first of all.
  const tells = storedSeq >= 0 && (stored !== null || told.commits === 1);
  const finished = tells ? Math.min(storedSeq, told.seq) : told.seq;
  if (finished < told.seq) {
    const problem = 'does not know this entry yet; the next change finishes its commit';
    findings.notes.push({ path: 'state.json', seq: finished + 1, problem });
  }
  const objects = ofDocuments(medium, stream, told.documents, { look, finished, findings });
  return {
    equal: findings.differences.length === 0,
    snapshot,
    entries: told.seq,
    documents: told.documents.size,
    objects,
    ...findings,
  };
}

/** Compares documents and stored contents; gives how many of the latter there should be. */
function ofDocuments(
  medium: Medium,
  stream: string,
  documents: Told['documents'],
  { look, finished, findings }: { look: ReplayLook; finished: number; findings: Findings },
): number {
  const files = medium.files(stream);
  const object = (digest: string) => medium.object(stream, digest);
  const contents = new Map<string, Difference>();
  for (const [path, changes] of documents) {
    const found = documentDifference(files, path, changes, { finished, own: look.isOwn?.(path) ?? false, object });
    const { note, problem } = found ?? { note: true, problem: null };
    const seq = changes.at(-1)?.seq ?? 0;
    if (problem !== null) (note ? findings.notes : findings.differences).push({ path, seq, problem });
    for (const { seq, after } of changes) {
      if (after !== null)
        contents.set(after, { path: `objects/${after}`, seq, problem: `lacks the content of ${path}` });
    }
  }
  for (const [digest, difference] of contents) if (object(digest) === null) findings.differences.push(difference);
  return contents.size;
}

/** Reads the whole journal and folds its patches, commit by commit. */
function retold(bytes: Bytes, look: ReplayLook, storedSeq: number, serialize: (state: JsonObject) => string): Told {
  const tail = readTail(bytes);
  const told: Told = {
    state: null,
    seq: tail.seq,
    commits: 0,
    asStored: null,
    documents: new Map(),
    differences: [],
    foldable: true,
    torn: tail.end < bytes.size,
  };
  for (const { entry } of entriesFrom(bytes, tail, BEGINNING)) {
    for (const problem of look.entry?.(entry) ?? []) told.differences.push({ seq: entry.seq, problem });
    for (const { path, before, after } of entry.files) {
      const changes = told.documents.get(path);
      if (changes === undefined) told.documents.set(path, [{ seq: entry.seq, before, after }]);
      else changes.push({ seq: entry.seq, before, after });
    }
    if (!entry.more) told.commits++;
    if (!entry.more && told.foldable) told.foldable = fold(told, entry);
    if (entry.seq === storedSeq && told.foldable && told.state !== null) told.asStored = serialize(told.state);
  }
  return told;
}

/** False when the patch does not fit. */
function fold(told: Told, entry: Entry): boolean {
  let problem: string | null = null;
  try {
    if (entry.patch.length > 0) told.state = patched(told.state, entry.patch);
    const seq = told.state?.['seq'] ?? null;
    if (seq !== entry.seq) problem = `the state after it has seq ${JSON.stringify(seq)}`;
  } catch {
    problem = 'its patch does not fit the state before it';
  }
  if (problem !== null) told.differences.push({ seq: entry.seq, problem });
  return problem === null;
}

function ofState(told: Told, stored: string | null, storedSeq: number, rebuilt: string | null): Difference[] {
  const path = 'state.json';
  if (rebuilt === null) return stored === null ? [] : [{ path, problem: 'is there, and the journal is empty' }];
  // A crash in the first commit leaves none; the next call writes it.
  if (stored === null) return told.commits === 1 ? [] : [{ path, problem: 'is missing' }];
  if (storedSeq > told.seq) {
    return [{ path: 'events.jsonl', problem: `ends with entry ${told.seq}; state.json knows ${storedSeq}` }];
  }
  return snapshotDifferences(stored, told.asStored ?? rebuilt).map((one) => ({ path, ...one }));
}
