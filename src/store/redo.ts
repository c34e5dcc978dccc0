// door: recovery

import { posix } from 'node:path';
import type { DocumentReader } from '../base/files.js';
import { digestDocument, type StreamReference } from './documents.js';
import { isInside, isReserved, type StoreLayout, streamPath, toRootRelative } from './layout.js';
import type { DocumentWrite } from './medium.js';
import type { Entry } from './store.js';
import { readEntryContent } from './texts.js';

/** The writes that remain to be done for commits that may be unfinished. */
export interface Redo {
  placements: DocumentWrite[];
  notices: string[];
}

/**
 * Lists the writes that finish the commits of `entries`, by comparing their documents with the disk. Skips a document
 * that has its committed content, and replaces one that still has its content from before the commit. Decides nothing
 * anew (storage.md, Recovery).
 * @param object returns large contents by digest; the entries hold the others
 * @param edited what to do with a document that has any other content: `aside` renames it before replacing it; `leave`
 * leaves it, because the commits were probably finished and it was edited since; `outside` does the same, and skips all
 * documents in the stream's directory
 */
export function planRedo(
  { layout, stream }: StreamReference,
  entries: readonly Entry[],
  files: DocumentReader,
  object: (sha: string) => Buffer | null,
  edited: 'aside' | 'leave' | 'outside',
): Redo {
  const result: Redo = { placements: [], notices: [] };
  const changes = [...collectChanges(layout, stream, entries)];
  for (const [path, change] of changes.filter(([, { outside }]) => outside || edited !== 'outside')) {
    const current = digestDocument(files, `/${path}`);
    if (current === change.after) continue;
    const strange = current === undefined || (current !== null && !change.known.has(current));
    if (strange && edited !== 'aside') continue;
    const content = change.after === null ? null : (findText(entries, change.after) ?? object(change.after));
    if (content === null && change.after !== null) {
      result.notices.push(
        `${path} could not be restored: its content is in neither ${streamPath(layout, stream, layout.names.journal)} nor ${layout.names.objects}/.`,
      );
      continue;
    }
    if (strange) {
      result.notices.push(
        `${path} was changed after an interrupted commit; the changed version is kept beside it as ${posix.basename(path)}.aside-${change.seq}.`,
      );
    }
    result.placements.push({ path, content, durable: change.outside, ...(strange ? { aside: change.seq } : {}) });
  }
  return result;
}

function findText(entries: readonly Entry[], digest: string): Buffer | null {
  for (const entry of entries) {
    const content = readEntryContent(entry, digest);
    if (content !== null) return content;
  }
  return null;
}

interface Change {
  /** Every digest that the document had in these commits. */
  known: Set<string>;
  after: string | null;
  seq: number;
  /** True if the document is not in the stream's directory. */
  outside: boolean;
}

function collectChanges(layout: StoreLayout, stream: string, entries: readonly Entry[]): Map<string, Change> {
  const byPath = new Map<string, Change>();
  for (const entry of entries) {
    for (const { path, before, after } of entry.files) {
      const relative = toRootRelative(layout, stream, path);
      if (relative === null || isReserved(layout, stream, relative)) continue;
      const known = byPath.get(relative)?.known ?? new Set();
      if (before !== null) known.add(before);
      if (after !== null) known.add(after);
      byPath.set(relative, { known, after, seq: entry.seq, outside: !isInside({ layout, stream }, relative) });
    }
  }
  return byPath;
}

/** Creates a reader that shows the documents as they will be after `placements`, without writing anything. */
export function overlayDocuments(
  { layout, stream }: StreamReference,
  files: DocumentReader,
  placements: readonly DocumentWrite[],
): DocumentReader {
  const byPath = new Map(placements.map((placement) => [placement.path, placement.content]));
  const planned = (path: string): Buffer | null | undefined => byPath.get(toRootRelative(layout, stream, path) ?? '');
  return {
    read(path) {
      const content = planned(path);
      return content === undefined ? files.read(path) : content;
    },
    facts(path) {
      const content = planned(path);
      if (content === undefined) return files.facts(path);
      if (content === null) return { kind: 'missing' };
      return { kind: 'file', size: content.length, mtimeMs: 0, ctimeMs: 0, inode: 0 };
    },
    list(directory) {
      const names = new Set(files.list(directory));
      const base = toRootRelative(layout, stream, directory);
      for (const [path, content] of byPath) {
        const inside = base === '.' ? path : path.startsWith(`${base}/`) ? path.slice(`${base}/`.length) : '';
        const [name = '', ...deeper] = inside.split('/');
        if (name === '') continue;
        if (content !== null) names.add(name);
        else if (deeper.length === 0) names.delete(name);
      }
      return [...names].sort();
    },
  };
}
