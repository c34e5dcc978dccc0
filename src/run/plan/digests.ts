import type { DocumentReader } from '../../base/files.js';
import { crc32 } from '../../store/line.js';
import type { RunEngine } from '../engine.js';

/**
 * Tells whether the plan on disk may differ from the captured one, without a parser and without `node:crypto`, because
 * `next` asks in every call (house.md, Speed). These marks prove nothing: they only say when to look closer.
 */

const CONTENT = 'plan-content.json';
const SHOWN = 'PLAN.md';

/** Bytes above which a document is compared by its size alone; no code reads a larger one. */
const LONGEST = 8 * 1024 * 1024;

/** Returns the marks of the plan on disk. */
export function digestPlanFiles(files: DocumentReader): RunEngine['planMarks'] {
  return { content: readMark(files, CONTENT), shown: readMark(files, SHOWN) };
}

/** Whether PLAN.md is what the execution last wrote. */
export function isUnchangedPlanFile({ planMarks }: RunEngine, files: DocumentReader): boolean {
  return planMarks.shown === readMark(files, SHOWN);
}

/** Returns size and checksum of a document; null without a regular file. */
function readMark(files: DocumentReader, path: string): string | null {
  const facts = files.facts(path);
  if (facts.kind !== 'file') return null;
  const content = facts.size > LONGEST ? null : files.read(path);
  return content === null ? `${facts.size}` : `${content.length}:${crc32(content)}`;
}

/** Whether a document of the plan differs from its mark; a missing document does not count. */
export function mayPlanDiffer({ planMarks }: RunEngine, files: DocumentReader): boolean {
  const { content, shown } = digestPlanFiles(files);
  return (content !== null && content !== planMarks.content) || (shown !== null && shown !== planMarks.shown);
}
