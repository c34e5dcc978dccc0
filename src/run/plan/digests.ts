import type { DocumentReader } from '../../base/files.js';
import { crc32 } from '../../store/line.js';
import type { RunEngine } from '../engine.js';

/**
 * Tells whether the plan on disk may differ from the captured plan, without a parser and without `node:crypto`, because
 * every `next` checks this (house.md, Speed). It compares marks, that is, sizes with checksums. Equal marks prove
 * nothing; different ones mean that a closer comparison is needed.
 */

const CONTENT = 'plan-content.json';
const SHOWN = 'PLAN.md';

/** Bytes above which a document is compared by its size alone, because no code reads a larger document. */
const LONGEST = 8 * 1024 * 1024;

/** Returns the marks of both plan files on disk. */
export function digestPlanFiles(files: DocumentReader): RunEngine['planMarks'] {
  return { content: readMark(files, CONTENT), shown: readMark(files, SHOWN) };
}

/** Returns whether PLAN.md is still as the execution last wrote it. */
export function isUnchangedPlanFile({ planMarks }: RunEngine, files: DocumentReader): boolean {
  return planMarks.shown === readMark(files, SHOWN);
}

/** Returns the size and checksum of a document; null if there is no regular file. */
function readMark(files: DocumentReader, path: string): string | null {
  const facts = files.facts(path);
  if (facts.kind !== 'file') return null;
  const content = facts.size > LONGEST ? null : files.read(path);
  return content === null ? `${facts.size}` : `${content.length}:${crc32(content)}`;
}

/** Returns whether one of the plan files differs from its recorded mark. A missing file counts as no difference. */
export function mayPlanDiffer({ planMarks }: RunEngine, files: DocumentReader): boolean {
  const { content, shown } = digestPlanFiles(files);
  return (content !== null && content !== planMarks.content) || (shown !== null && shown !== planMarks.shown);
}
