import { parseOrNull } from '../../base/json.js';
import { requireInside, writePrivateFile } from '../../project/own-places.js';
import type { Context } from '../../run/context.js';
import type { Codec } from '../../store/store.js';
import type { Pool } from './database.js';
import { listDocuments, listEvents, STREAM_START, type StreamPosition } from './entries.js';
import type { LoopStateView, LoopStreams } from './ports.js';

/**
 * Brings what is new in the project's stream into a root: writes the documents of attempts as files, and appends events
 * to the root's log (fleet.md, A stream in PostgreSQL).
 */

/** The file that records the last entry this root has seen, relative to the root. */
const CURSOR = '.dev/loop/fleet.json';

/** The document paths that may be written here. A row cannot choose any other. */
const DOCUMENT =
  /^attempts\/[A-Za-z0-9][A-Za-z0-9._-]{0,96}\/[1-9]\d{0,8}\/(?:(?:verdict\.json|context\.md|prompt\.md)|handoffs\/[\d_-]{1,40}\.md)$/;

/**
 * Fetches what is new since the last call. After a crash before the position is saved, the next call writes the same
 * events again; readers of the log count each event once.
 */
export function openNews(
  { root, reader }: Pick<Context, 'root' | 'reader'>,
  from: { pool: Pool; project: string; codec: Codec<LoopStateView>; bringKept: () => Promise<void> },
): LoopStreams['tellNews'] {
  const { pool, project } = from;
  return async (write) => {
    requireInside(root, CURSOR);
    const known = readCursor(reader.read(`${root}/${CURSOR}`), project);
    const { events, from: behind, seen } = await listEvents(pool, from, known);
    if (seen.seq === behind.seq) return;
    const documents = await listDocuments(pool, project, behind);
    if (documents.length > 0) await from.bringKept();
    for (const { path, content } of documents) {
      if (DOCUMENT.test(path)) writePrivateFile(`${root}/.dev/loop/${path}`, content, root);
    }
    if (events.length > 0) write(events);
    writePrivateFile(`${root}/${CURSOR}`, `${JSON.stringify({ project, ...seen })}\n`, root);
  };
}

function readCursor(text: string | null, project: string): StreamPosition {
  const known = parseOrNull(text) as Partial<StreamPosition & { project: string }> | null;
  const { seq = 0, crc = '' } = known?.project === project ? known : {};
  return Number.isSafeInteger(seq) && seq > 0 ? { seq, crc } : STREAM_START;
}
