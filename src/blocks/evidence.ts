import { DevCliError, type ErrorDetail } from '../base/errors.js';
import type { DocumentReader } from '../base/files.js';
import { sha256 } from '../base/sha256.js';
import { type CheckedReport, checkReport } from '../documents/report.js';
import type { PendingDocuments } from '../run/pending-documents.js';
import type { PathFacts } from '../run/state.js';

/** Either the text of a promised output that holds up, or what is wrong with it. */
export type FileCheck = { ok: true; text: string; sha256: string } | { ok: false; missing: boolean; problem: string };

/**
 * Judges a promised output as a file: there, regular, inside the root, not empty, and no longer what it was when the
 * action was issued (protocol.md §3).
 * @param before what stood there at issue; undefined when an unchanged file is good enough
 */
export function checkFile(files: DocumentReader, path: string, before: PathFacts | undefined): FileCheck {
  const facts = files.facts(path);
  switch (facts.kind) {
    case 'missing':
      return { ok: false, missing: true, problem: 'not written' };
    case 'directory':
      return { ok: false, missing: false, problem: 'is a directory' };
    case 'outside':
      return { ok: false, missing: false, problem: 'leads out of the project' };
    case 'special':
      return { ok: false, missing: false, problem: 'is not a regular file' };
    case 'file':
      break;
  }
  let content: Buffer | null;
  try {
    content = files.read(path);
  } catch (error) {
    if (error instanceof DevCliError) return { ok: false, missing: false, problem: error.message };
    throw error;
  }
  if (content === null) return { ok: false, missing: true, problem: 'not written' };
  if (content.toString('utf8').trim() === '') return { ok: false, missing: true, problem: 'empty' };
  const digest = sha256(content);
  if (before !== undefined && before !== null && isSame(before, { ...facts, sha256: digest })) {
    return { ok: false, missing: true, problem: 'unchanged since the action was issued' };
  }
  return { ok: true, text: content.toString('utf8'), sha256: digest };
}

function isSame(before: NonNullable<PathFacts>, now: NonNullable<PathFacts>): boolean {
  // Put in place by the very commit that issued the action: it had no times yet, so its content decides.
  if (before.inode === 0) return before.sha256 === now.sha256;
  return (
    before.size === now.size &&
    before.mtimeMs === now.mtimeMs &&
    before.ctimeMs === now.ctimeMs &&
    before.inode === now.inode &&
    before.sha256 === now.sha256
  );
}

/** Judges a promised report: as a file, then by its front matter. */
export function checkReportFile(
  files: DocumentReader,
  path: string,
  before: PathFacts | undefined,
  expected: { agent: string; verdict: boolean },
): { ok: true; checked: CheckedReport; sha256: string } | { ok: false; missing: boolean; problems: ErrorDetail[] } {
  const file = checkFile(files, path, before);
  if (!file.ok) return { ok: false, missing: file.missing, problems: [{ problem: file.problem }] };
  const checked = checkReport(file.text, expected);
  return checked.ok
    ? { ok: true, checked, sha256: file.sha256 }
    : { ok: false, missing: false, problems: checked.problems };
}

/** The digest of a regular file that can be read whole; null for all else, as for nothing. */
export function digestInput(files: PendingDocuments, path: string): string | null {
  if (files.facts(path).kind !== 'file') return null;
  try {
    return files.digest(path);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'EVIDENCE_INVALID') return null;
    throw error;
  }
}
