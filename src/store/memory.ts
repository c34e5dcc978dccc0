import type { Clock } from '../base/clock.js';
import { buildUnusableError, type DocumentReader, type FileFacts } from '../base/files.js';
import { sha256 } from '../base/sha256.js';
import { createStore } from './core.js';
import { type StoreLayout, streamPath, toRootRelative } from './layout.js';
import type { DocumentWrite, Marker, Medium } from './medium.js';
import type { Codec, Store, WithSeq } from './store.js';

/** A file in an in-memory store; `version` stands for the timestamps and inode by which a real file shows a change. */
interface MemoryFile {
  content: Buffer;
  version: number;
}

/** Everything an in-memory store holds. Tests change it to simulate a crash or an agent. */
export interface MemoryStoreData {
  /** Stored snapshots and journals, by stream. */
  snapshots: Map<string, string>;
  journals: Map<string, Buffer>;
  /** Contents by digest. */
  objects: Map<string, Buffer>;
  /** The boot in which the next commit is written. */
  boot: string | null;
  /** Documents by path relative to the root. */
  documents: Map<string, MemoryFile>;
  /** Increases with every document written. */
  version: number;
}

/** A store for tests and rehearsals. */
export interface MemoryStore<S extends WithSeq> extends Store<S> {
  /** Writes a document as an agent would: outside any commit. Paths as in `DocumentReader`. */
  put(stream: string, path: string, content: string | Uint8Array): void;
}

/** The options of an in-memory store. */
export interface MemoryStoreOptions<S extends WithSeq> {
  layout: StoreLayout;
  codec: Codec<S>;
  clock: Clock;
  marker?: Marker;
  /** Default: an empty memory. */
  memory?: MemoryStoreData;
}

/** Creates an empty memory. */
export function createMemoryStoreData(): MemoryStoreData {
  return {
    snapshots: new Map(),
    journals: new Map(),
    objects: new Map(),
    boot: 'this boot',
    documents: new Map(),
    version: 0,
  };
}

/** Creates an in-memory store: the same commits, redo and recovery as the directory store, without files. */
export function createMemoryStore<S extends WithSeq>(options: MemoryStoreOptions<S>): MemoryStore<S> {
  const { memory = createMemoryStoreData(), ...rest } = options;
  const { layout } = options;
  const store = createStore({ ...rest, medium: createMemoryMedium(memory, layout) });
  return {
    ...store,
    put(stream, path, content) {
      const relative = toRootRelative(layout, stream, path);
      if (relative === null) throw buildUnusableError(path, 'outside');
      putDocument(memory, relative, Buffer.from(content));
    },
  };
}

function createMemoryMedium(memory: MemoryStoreData, layout: StoreLayout): Medium {
  const { names, noun } = layout;
  return {
    // No lock is needed: everything is synchronous, so nothing can run between reading and committing.
    async locked(_stream, work) {
      return work();
    },
    hold: () => () => {},
    streams() {
      const begun = [...memory.journals].flatMap(([name, journal]) => (journal.length > 0 ? [name] : []));
      return [...new Set([...begun, ...memory.snapshots.keys()])].sort();
    },
    snapshot: (stream) => memory.snapshots.get(stream) ?? null,
    journal(stream, use) {
      const journal = memory.journals.get(stream) ?? Buffer.alloc(0);
      const name = streamPath(layout, stream, names.journal);
      return use({ name, noun, size: journal.length, read: (from, to) => journal.subarray(from, to) });
    },
    async grown(stream, size, { milliseconds, signal }) {
      const until = performance.now() + milliseconds;
      while ((memory.journals.get(stream)?.length ?? 0) === size && !signal.aborted && performance.now() < until) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    files: (stream) => createMemoryFiles(memory, layout, stream),
    object: (_stream, digest) => {
      const content = memory.objects.get(digest);
      return content !== undefined && sha256(content) === digest ? content : null;
    },
    boot: { id: () => memory.boot, uptime: () => 0 },

    cut(stream, size) {
      memory.journals.set(stream, Buffer.from(memory.journals.get(stream)?.subarray(0, size) ?? []));
    },
    keepSnapshotAside(stream) {
      let n = 1;
      const name = (): string => `${names.snapshot}.aside-${n}`;
      while (memory.documents.has(streamPath(layout, stream, name()))) n++;
      putDocument(memory, streamPath(layout, stream, name()), Buffer.from(memory.snapshots.get(stream) ?? ''));
      memory.snapshots.delete(stream);
      return name();
    },
    stage(_stream, large) {
      const added = [...large].filter(([digest]) => !memory.objects.has(digest));
      for (const [digest, content] of added) memory.objects.set(digest, content);
      return () => {
        for (const [digest] of added) memory.objects.delete(digest);
      };
    },
    append(stream, text) {
      memory.journals.set(stream, Buffer.concat([memory.journals.get(stream) ?? Buffer.alloc(0), Buffer.from(text)]));
    },
    place(_stream, placements) {
      for (const placement of placements) placeInMemory(memory, placement);
    },
    reach() {},
    replaceSnapshot(stream, text) {
      memory.snapshots.set(stream, text);
    },
  };
}

function createMemoryFiles(memory: MemoryStoreData, layout: StoreLayout, stream: string): DocumentReader {
  function facts(path: string): FileFacts {
    const relative = toRootRelative(layout, stream, path);
    if (relative === null) return { kind: 'outside' };
    const file = memory.documents.get(relative);
    if (file !== undefined) {
      const { content, version } = file;
      return { kind: 'file', size: content.length, mtimeMs: version, ctimeMs: version, inode: version };
    }
    return names(relative).length > 0 ? { kind: 'directory' } : { kind: 'missing' };
  }

  function names(relative: string): string[] {
    const prefix = relative === '.' ? '' : `${relative}/`;
    const inside = [...memory.documents.keys()].filter((path) => path.startsWith(prefix));
    return [...new Set(inside.map((path) => path.slice(prefix.length).split('/')[0] ?? ''))].sort();
  }

  return {
    facts,
    read(path) {
      const seen = facts(path);
      if (seen.kind === 'missing') return null;
      if (seen.kind !== 'file') throw buildUnusableError(path, seen.kind);
      return memory.documents.get(toRootRelative(layout, stream, path) ?? '')?.content ?? null;
    },
    list(directory) {
      const relative = toRootRelative(layout, stream, directory);
      if (relative === null) throw buildUnusableError(directory, 'outside');
      return names(relative);
    },
  };
}

function placeInMemory(memory: MemoryStoreData, { path, content, room, append, aside }: DocumentWrite): void {
  if (room) return;
  const current = memory.documents.get(path);
  if (append) {
    if (current !== undefined && content !== null) putDocument(memory, path, Buffer.concat([current.content, content]));
    return;
  }
  if (aside !== undefined && current !== undefined) memory.documents.set(`${path}.aside-${aside}`, current);
  if (content === null) memory.documents.delete(path);
  else putDocument(memory, path, content);
}

function putDocument(memory: MemoryStoreData, path: string, content: Buffer): void {
  memory.version += 1;
  memory.documents.set(path, { content, version: memory.version });
}
