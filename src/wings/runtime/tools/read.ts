import { sha256 } from '../../../base/sha256.js';
import { isMissing, readRegular, readStats } from '../../../store/inside.js';
import { cutBytes } from '../core/cut.js';
import { SHOWN_BYTES } from './bounds.js';
import { resolveToolPath, type ToolPath } from './place.js';
import { FILE_BYTES, READ_LINES } from './specs.js';
import { ToolRefusal, type ToolResult, type ToolScope } from './tool.js';

/**
 * Digests of files as a session last read or wrote them, by absolute paths with links resolved. A file that has changed
 * since then must not be edited.
 */
export interface ReadMarks {
  digestAtRead: (path: string) => string | null;
  note: (path: string, digest: string) => void;
}

type ReadInput = { path: string; offset?: number; limit?: number };

/** Reads whole lines of a text file, as many as a model may see at a time. @throws ToolRefusal, system errors */
export function readFile(input: ReadInput, site: ToolScope, marks: ReadMarks): ToolResult {
  const { path, offset = 0, limit = READ_LINES } = input;
  const place = resolveToolPath(path, site);
  const { text, digest } = readTextFile(place);
  // The whole text is cleaned before lines are selected: a key of which a part is cut off would not be recognized.
  const clean = site.clean(text.replace(/^\ufeff/, ''));
  const lines = clean === '' ? [] : clean.replace(/\n$/, '').split('\n');
  if (offset >= lines.length && offset > 0) throw new ToolRefusal(`${place.name} ends before line ${offset + 1}`);
  marks.note(place.path, digest);
  const shown: string[] = [];
  let room = SHOWN_BYTES;
  for (const line of lines.slice(offset, offset + limit)) {
    const bytes = Buffer.byteLength(line);
    room -= bytes + 1;
    if (room < 0 && shown.length > 0) break;
    shown.push(bytes <= SHOWN_BYTES ? line : `${cutBytes(line, SHOWN_BYTES)} [the line is cut here]`);
  }
  const range = `${Math.min(offset + 1, lines.length)}-${offset + shown.length} of ${lines.length}`;
  return { output: [[place.path, 'lines', range].join(' '), ...shown].join('\n'), isError: false };
}

/**
 * Reads the bytes of a file.
 * @returns null if it does not exist
 * @throws ToolRefusal for anything except a regular file of at most 10 MiB; system errors
 */
export function readBytes({ path, name }: ToolPath): Buffer | null {
  try {
    const bytes = readRegular(path, FILE_BYTES);
    if (bytes !== null) return bytes;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  const found = readStats(path);
  const problem = found?.isFile() ? 'is larger than 10 MiB' : found?.isDirectory() ? 'is a directory' : 'is no file';
  throw new ToolRefusal(`${name} ${problem}`);
}

/** Reads a text file. @throws ToolRefusal if it does not exist or is not UTF-8 text; system errors */
export function readTextFile(place: ToolPath): { text: string; digest: string } {
  const bytes = readBytes(place);
  if (bytes === null) throw new ToolRefusal(`${place.name} does not exist`);
  if (bytes.includes(0)) throw new ToolRefusal(`${place.name} is binary`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, digest: sha256(bytes) };
  } catch {
    throw new ToolRefusal(`${place.name} is not UTF-8`);
  }
}
