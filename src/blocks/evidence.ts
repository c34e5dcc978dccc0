import { DevCliError, type ErrorDetail } from '../base/errors.js';
import type { DocumentReader } from '../base/files.js';
import { sha256 } from '../base/sha256.js';
import { readDraft } from '../documents/draft.js';
import { type CheckedReport, checkReport } from '../documents/report.js';
import type { SectionId } from '../documents/sections.js';
import type { PendingDocuments } from '../run/documents/pending.js';
import type { PathFacts, PendingState } from '../run/state.js';
import type { Transaction } from '../run/transaction.js';

/** The text of a valid output, or what is wrong with it. `missing`: the output still has to be written. */
export type FileCheck = { ok: true; text: string; sha256: string } | { ok: false; missing: boolean; problem: string };

/**
 * Checks a promised output as a file: it exists, is regular, lies inside the root, is not empty, and has changed since
 * the action was issued (protocol.md §3).
 * @param before the file as it was when the action was issued; if undefined, an unchanged file is accepted too
 */
export function checkFile(files: DocumentReader, path: string, before: PathFacts | undefined): FileCheck {
  const facts = files.facts(path);
  if (facts.kind === 'missing') return { ok: false, missing: true, problem: 'not written' };
  if (facts.kind !== 'file') return { ok: false, missing: false, problem: NO_FILE[facts.kind] };
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

const NO_FILE = {
  directory: 'is a directory',
  outside: 'leads out of the project',
  special: 'is not a regular file',
} as const;

function isSame(before: NonNullable<PathFacts>, now: NonNullable<PathFacts>): boolean {
  if (before.sha256 !== now.sha256) return false;
  // An inode of 0 means that the transaction that issued the action also wrote this file. The times of the file were
  // not known yet, so only its content is compared.
  if (before.inode === 0) return true;
  return (['size', 'mtimeMs', 'ctimeMs', 'inode'] as const).every((fact) => before[fact] === now[fact]);
}

/** Checks a promised report, first as a file, then by its front matter. Parameters as for `checkFile`. */
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

/** Computes the digest of a document; null for anything that is missing, is not a regular file or is too large. */
export function digestInput(files: PendingDocuments, path: string): string | null {
  if (files.facts(path).kind !== 'file') return null;
  try {
    return files.digest(path);
  } catch (error) {
    if (error instanceof DevCliError && error.code === 'EVIDENCE_INVALID') return null;
    throw error;
  }
}

/** Computes the current digests of the sections that the block writes; empty if there is no draft. */
export function digestSections(tx: Transaction, { sections }: { sections: SectionId[] }): Record<string, string> {
  const draft = sections.length === 0 ? null : tx.files.text('DRAFT.md');
  if (draft === null) return {};
  const read = readDraft(draft);
  return Object.fromEntries(sections.map((id) => [id, sha256(read[id].text)]));
}

/**
 * Lists the block's sections that changed since the action was issued, by `draft update` or by hand. Digests are
 * compared, not times (protocol.md, Evidence). For an action issued by an old version that recorded no digests, the
 * list is empty.
 */
export function listSectionsWrittenSince(
  tx: Transaction,
  block: { sections: SectionId[] },
  { sections: before }: Pick<PendingState, 'sections'>,
): SectionId[] {
  const draft = before === undefined ? null : tx.files.text('DRAFT.md');
  if (draft === null || before === undefined) return [];
  const read = readDraft(draft);
  return block.sections.filter((id) => read[id].filled && sha256(read[id].text) !== before[id]);
}
