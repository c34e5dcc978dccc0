import { sha256 } from '../base/sha256.js';
import { readDraft } from '../documents/draft.js';
import type { SectionId } from '../documents/sections.js';
import type { PendingState } from '../run/state.js';
import type { Transaction } from '../run/transaction.js';

/** Sections of the draft as evidence: what a block was to write may have been written by `draft update`, or by hand. */

/** The digest of each section that the block writes, as the draft stands now; empty without a draft. */
export function digestSections(tx: Transaction, { sections }: { sections: SectionId[] }): Record<string, string> {
  const draft = sections.length === 0 ? null : tx.files.text('DRAFT.md');
  if (draft === null) return {};
  const read = readDraft(draft);
  return Object.fromEntries(sections.map((id) => [id, sha256(read[id].text)]));
}

/**
 * The block's sections that hold something else than when the action was issued (protocol.md, Evidence). No
 * clock is compared. An action that was issued before digests were kept has no such evidence.
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
