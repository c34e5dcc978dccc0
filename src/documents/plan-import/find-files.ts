import { LIMITS } from '../../base/limits.js';
import { findPathProblem } from '../plan-paths.js';
import type { ImportNotes } from './notes.js';
import type { Place } from './source-plan.js';

/** Finds the files that a source lists as those to change. A path that a task only mentions is no permission. */

/** What a task may change, and what it is only pointed to. */
export interface ListedFiles {
  files: string[];
  references: string[];
}

/** `Files:`, below which or behind which files are listed. */
export const FILES_LABEL =
  /^(?:files?|files? to (?:be )?(?:create|change|modify|edit|touch|update)d?|(?:changed|modified|affected|touched) files|file changes|ファイル|文件|dateien|fichiers|archivos|ficheros)\s*(?:\([^)]*\))?\s*[:：]/i;
/** Words before a path that is looked at and left as it is. */
const LOOKED_AT =
  /^(?:read|reference|see|inspect|check|verify|context|use|source|depends|import|consume|input|do not|don['’]t|leave|keep|unchanged|no changes?|review|compare|based on|delete nothing)\b/i;
const LEAD = /^([^`:：]{1,60}?)\s*[:：]\s*/;
/** A word that can be a path: with a directory or an ending, and no call. */
const PATH = /^(?!https?:)[^\s()<>|"']*[./][^\s()<>|"']*$/;

/**
 * Reads an entry of a list of files: `Modify: src/a.py:12-40 (add a flag)`. Which lines, and what else it says, is kept as a
 * reference.
 */
export function readFileEntry(text: string, at: Place, notes: ImportNotes): ListedFiles {
  const [lead = '', word = ''] = LEAD.exec(text) ?? [];
  const rest = text.slice(lead.length);
  const codes = [...rest.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const bare = rest.split(/,\s+|\s+(?:and|und|et|y)\s+/).map((part) => /^\S+/.exec(part.trim())?.[0] ?? '');
  const named = (codes.length > 0 ? codes.slice(0, countPaths(rest)) : bare)
    .map(dropLines)
    .filter((path) => PATH.test(path) || (codes.length > 0 && /^[A-Z]\w*$/.test(path)));
  const says = named.reduce((left, path) => left.replace(path, ''), rest).replace(/[`\s,;.。、]|\band\b/g, '') !== '';
  if (LOOKED_AT.test(word) || named.length === 0) return { files: [], references: [text] };
  return { files: selectPaths(named, at, notes), references: says ? [rest] : [] };
}

/** `Modify: src/a.ts`, with nothing but paths behind it. */
const CHANGE =
  /^(?:create|modify|edit|update|delete|remove|rename|add|change|new(?: files?)?|tests?)(?:\s+files?)?\s*[:：]\s*(?=\S)((?:`[^`\s]+`|[^\s`,]+)(?:\s*,\s*(?:`[^`\s]+`|[^\s`,]+))*)\s*(?:\([^)]*\))?$/i;

/** Reads a line below a task that lists files to change; null where it is something else. */
export function readListedFiles(line: string, at: Place, notes: ImportNotes): ListedFiles | null {
  const [label] = FILES_LABEL.exec(line) ?? [];
  if (label !== undefined) {
    const rest = line.slice(label.length).trim();
    return rest === '' ? { files: [], references: [] } : readFileEntry(rest, at, notes);
  }
  const [, paths] = CHANGE.exec(line) ?? [];
  const all = paths?.split(/\s*,\s*/).map((path) => dropLines(path.replaceAll('`', ''))) ?? [];
  return all.length > 0 && all.every((path) => PATH.test(path) && /\w/.test(path))
    ? readFileEntry(line, at, notes)
    : null;
}

/** Paths in backticks stand first, side by side; further code in the brackets behind them is about them. */
function countPaths(rest: string): number {
  const [side = ''] = /^(?:\s*`[^`]+`\s*(?:,|;|and|und|et|y|\/|→|->|\+)?)+/.exec(rest) ?? [];
  return Math.max(1, side.split('`').length >> 1);
}

/** Takes the lines off a path: `src/a.py:12-40`. */
function dropLines(path: string): string {
  return path
    .trim()
    .replace(/^\.\//, '')
    .replace(/(?::L?\d+(?:[-,–]L?\d+)*)+$/, '');
}

/** Keeps the paths that a plan may name; the others are noted. */
function selectPaths(paths: readonly string[], at: Place, notes: ImportNotes): string[] {
  return [...new Set(paths)].filter((path) => {
    const problem = path.length > LIMITS.path ? `is longer than ${LIMITS.path} characters` : findPathProblem(path);
    if (problem !== null) notes.refuse(at, path, `the path ${problem}`);
    return problem === null;
  });
}
