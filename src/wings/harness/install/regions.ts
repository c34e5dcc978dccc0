import { parse } from 'smol-toml';
import { findWholeRegion, putRegion, removeRegion } from '../../../documents/region.js';
import type { SharedFile } from './piece.js';
import { buildUndo, malformedFileError, readAtPath, type Undo } from './settings.js';

/** Adds and removes marked blocks in shared texts (harness.md, Install). */

/**
 * Adds the blocks of a piece at the end of a text, except tables that somebody else has defined.
 * @throws DevCliError `DOCUMENT_UNREADABLE` for half a block; `DATA_MALFORMED` if the text is not valid TOML, or would
 * not be afterwards
 */
export function putRegions({ regions = [], path }: SharedFile, before: string): { text: string; undo: Undo[] } {
  requireUtf8(before, path);
  const rivals = listRivalTables({ regions, path }, before);
  const undo: Undo[] = [];
  let text = before;
  for (const { markers, body, table } of regions) {
    findWholeRegion(text, markers, path);
    if (table !== undefined && rivals.includes(table.join('.'))) continue;
    const after = putRegion(text, markers, body, 'last');
    if (table !== undefined) readToml(after, path);
    undo.unshift(buildUndo(text, after));
    text = after;
  }
  return { text, undo };
}

/**
 * Removes the blocks of a piece, regardless of their content.
 * @throws DevCliError `DOCUMENT_UNREADABLE` for half a block
 */
export function takeRegions({ regions = [], path }: Pick<SharedFile, 'regions' | 'path'>, present: string): string {
  return regions.reduce((text, { markers }) => {
    if (findWholeRegion(text, markers, path).kind === 'found') requireUtf8(text, path);
    return removeRegion(text, markers);
  }, present);
}

/** Rejects texts in other encodings, because bytes were lost when the text was read as UTF-8. */
function requireUtf8(text: string, path: string): void {
  if (text.includes('\uFFFD')) throw malformedFileError(path, `${path} is not UTF-8.`);
}

/** Lists the tables of a piece that somebody else has defined in a text. @throws DevCliError as `putRegions` */
export function listRivalTables(piece: Pick<SharedFile, 'regions' | 'path'>, present: string): string[] {
  const tables = (piece.regions ?? []).flatMap(({ table }) => (table === undefined ? [] : [table]));
  if (tables.length === 0) return [];
  const settings = readToml(takeRegions(piece, present), piece.path);
  return tables.filter((table) => readAtPath(settings, table) !== undefined).map((table) => table.join('.'));
}

function readToml(text: string, shown: string): object {
  try {
    return parse(text);
  } catch {
    throw malformedFileError(shown, `${shown} is not TOML to which a table can be added.`);
  }
}
