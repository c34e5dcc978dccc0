import { LIMITS } from '../../base/limits.js';
import type { SourceLocation } from '../../plan/markdown/place.js';
import { findPathProblem } from '../../plan/model/paths.js';
import type { ImportNotes } from './notes.js';

/**
 * Finds the files that a source lists as files to change. A task may change only these, not every file that its text
 * mentions.
 */

/** The files that a task may change, and what it should only read. */
export interface ListedFiles {
  files: string[];
  references: string[];
}

/** Matches `Files:`, which is followed by a list of files on the same line or below. */
export const FILES_LABEL =
  /^(?:files?|files? to (?:be )?(?:create|change|modify|edit|touch|update)d?|(?:changed|modified|affected|touched) files|file changes|ファイル|文件|dateien|fichiers|archivos|ficheros)\s*(?:\([^)]*\))?\s*[:：]/i;
/** Words before a path that say that the file is to be changed. A path after other words is one to read only. */
const CHANGES =
  /\b(?:creat|add|new|modif|edit|updat|delet|remov|renam|mov|chang|touch|tests?\b|(?:re)?writ|generat|replac|extend|refactor|annotat|fix|implement|neu|änder|lösch|modific|supprim|crear|borrar)|作成|新規|変更|修正|更新|削除|追加|テスト|创建|新建|新增|修改|删除|测试/i;
/** Words before a path, or in its table row, that say that the file is not changed. They outweigh `CHANGES`. */
const LOOKED_AT =
  /\b(?:no|not|never|none|nothing|without|unchanged|untouched|unmodified|leave|keep|reads?|read-only|reference|see|verify|check|inspect|compare|copy|context|like|as in|per|following|based on|similar|pattern|from|source|depends|imports?|consumes?|inputs?)\b|n['’]t\b/i;
/** Matches a word that can be a path: with a directory or an extension, and not a function call. */
const PATH =
  /^(?!https?:|(?:e\.g|i\.e)$)[^\s()<>|"'`]*(?:\/[^\s()<>|"'`]*|[^\s()<>|"'`.]*\.[^\s()<>|"'`./]*\w)(?::L?\d[\d,–L-]*)*$/;
const WORD = /`([^`]+)`|[^\s,;、()`]+/g;
const BETWEEN = /^(?:\s*(?:[,;、/+&→]|->|\b(?:and|und|et|y|e)\b))+\s*$/;

/** Splits an entry into the text before its first path, the paths that follow each other, and the text after them. */
function readPaths(text: string): { lead: string; paths: string[]; behind: string } {
  const paths: string[] = [];
  let lead = text;
  let end = 0;
  for (const { 0: word, 1: code, index } of text.matchAll(WORD)) {
    const path = dropLines(code ?? word.replace(/[.:。：]+$/, ''));
    const isPath = PATH.test(path) || (code !== undefined && /^[A-Z]\w*$/.test(path));
    const between = text.slice(end, index);
    if (paths.length === 0) {
      if (!isPath) continue;
      lead = text.slice(0, index);
    } else if (!isPath || !(BETWEEN.test(between) || (/^\s*to\s*$/.test(between) && /mov|renam/i.test(lead)))) {
      // Skips a word such as `and` between two paths; the next path decides whether it belongs to this series.
      if (BETWEEN.test(text.slice(end, index + word.length)) || word === 'to') continue;
      break;
    }
    paths.push(path);
    end = index + word.length;
  }
  return { lead, paths, behind: text.slice(end) };
}

/**
 * Reads an entry of a list of files: `Modify: src/a.py:12-40 (add a flag)`. The path becomes a file that may be
 * changed; line numbers and remarks are kept in a reference.
 */
export function readFileEntry(text: string, at: SourceLocation, notes: ImportNotes): ListedFiles {
  const { lead, paths } = readPaths(text);
  const said = lead.replace(/\([^)]*\)?/g, ' ').replace(/[\s:：*`]+$/, '');
  if (paths.length === 0 || (said.trim() !== '' && (!CHANGES.test(said) || LOOKED_AT.test(said))))
    return { files: [], references: [text] };
  const rest = text.slice(/^[^`:：]{0,60}[:：]\s*/.exec(lead)?.[0].length ?? 0);
  const more = paths.reduce((left, path) => left.replace(path, ''), rest).replace(/[`\s,;.。、]|\band\b/g, '');
  return { files: selectPaths(paths, at, notes), references: more === '' ? [] : [rest] };
}

/**
 * Reads a row of a table of files, or a line of a block of code that lists them. The text beside the path may say that
 * the file is only read.
 */
export function readFileRow(cells: readonly string[], at: SourceLocation, notes: ImportNotes): ListedFiles {
  const place = cells.findIndex((cell) => readPaths(cell).paths.length > 0);
  const others = cells
    .filter((_, index) => index !== place)
    .join(' ')
    .trim();
  const { files, references } = readFileEntry(
    `${LOOKED_AT.test(others) ? 'read: ' : ''}${cells[place] ?? ''}`.trim(),
    at,
    notes,
  );
  return { files, references: others === '' ? references : [cells.map((cell) => cell.trim()).join(' ')] };
}

/** Reads a line of a task's text as a list of files to change. Returns null if the line is none. */
export function readListedFiles(line: string, at: SourceLocation, notes: ImportNotes): ListedFiles | null {
  const [label] = FILES_LABEL.exec(line) ?? [];
  if (label !== undefined) {
    const rest = line.slice(label.length).trim();
    return rest === '' ? { files: [], references: [] } : readFileEntry(rest, at, notes);
  }
  const { lead, paths, behind } = readPaths(line);
  const lists = /^[\p{L} ]{1,30}[:：]\s*$/u.test(lead) && CHANGES.test(lead) && !LOOKED_AT.test(lead);
  return lists && paths.length > 0 && /^\s*(?:\([^)]*\))?$/.test(behind) ? readFileEntry(line, at, notes) : null;
}

/** Removes line numbers or a function's name from the end of a path: `src/a.py:12-40`, `src/a.py:load`. */
function dropLines(path: string): string {
  return path
    .trim()
    .replace(/^\.\//, '')
    .replace(/(?::L?\d+(?:[-,–]L?\d+)*)+$/, '')
    .replace(/(\.\w+):[\p{L}_]\S*$/u, '$1');
}

/** Returns the paths that a plan may name; every other path becomes a note. */
function selectPaths(paths: readonly string[], at: SourceLocation, notes: ImportNotes): string[] {
  return [...new Set(paths)].filter((path) => {
    const problem = path.length > LIMITS.path ? `is longer than ${LIMITS.path} characters` : findPathProblem(path);
    if (problem !== null) notes.refuse(at, path, `the path ${problem}`);
    return problem === null;
  });
}
