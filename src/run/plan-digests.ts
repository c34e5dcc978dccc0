import type { DocumentReader } from '../base/files.js';
import { crc32 } from '../store/line.js';
import type { RunEngine } from './engine.js';

/**
 * Whether the plan on disk is still the one that an execution has captured, told without a parser and without
 * `node:crypto`: `next` asks at every call (house.md, Speed). Marks are no evidence: they only say when to look closer.
 */

const CONTENT = 'plan-content.json';
const SHOWN = 'PLAN.md';

/** A document longer than this is told apart by its size alone, in bytes; nothing reads one that is longer. */
const LONGEST = 8 * 1024 * 1024;

/** The marks of the plan as it lies there. */
export function digestPlanFiles(files: DocumentReader): NonNullable<RunEngine['planMarks']> {
  return { content: readMark(files, CONTENT), shown: readMark(files, SHOWN) };
}

/** Whether PLAN.md is, to the byte, what the execution left there. */
export function isUnchangedPlanFile({ planMarks }: RunEngine, files: DocumentReader): boolean {
  return planMarks !== undefined && planMarks.shown === readMark(files, SHOWN);
}

/** Size and checksum of a document; null where there is no regular file. */
function readMark(files: DocumentReader, path: string): string | null {
  const facts = files.facts(path);
  if (facts.kind !== 'file') return null;
  const content = facts.size > LONGEST ? null : files.read(path);
  return content === null ? `${facts.size}` : `${content.length}:${crc32(content)}`;
}

/** Whether a document of the plan differs from what the execution knows of it. One that is gone is no other plan. */
export function mayPlanDiffer(engine: RunEngine, files: DocumentReader): boolean {
  const { planMarks } = engine;
  if (planMarks === undefined) return false;
  const differs = (path: string, known: string | null) => {
    const now = readMark(files, path);
    return now !== null && now !== known;
  };
  return differs(CONTENT, planMarks.content) || differs(SHOWN, planMarks.shown);
}
