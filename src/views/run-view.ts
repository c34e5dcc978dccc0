import type { DocumentReader, FileReader } from '../base/files.js';
import { listOutdatedApprovals, type OutdatedApproval } from '../blocks/approvals.js';
import { type Draft, readDraft } from '../documents/draft.js';
import type { CapturedRecipe } from '../recipe/resolved.js';
import { documentsOf } from '../run/pending-documents.js';
import type { RunState } from '../run/state.js';
import type { Standing } from '../run/transaction.js';

/** The read model: one run as it was read. `status` and `manifest` are rendered from it and from nothing else. */
export interface RunView extends Standing {
  /** UTC, in milliseconds: spans of time are told up to here. */
  readonly now: number;
  /** Reads files that are not the run's own, by absolute path. */
  readonly reader: FileReader;
  /**
   * DRAFT.md, read at the first need; null where there is none.
   * @throws DevCliError `DOCUMENT_UNREADABLE`
   */
  readonly draft: () => Draft | null;
  /** Decisions about something that reads differently now. */
  readonly changedApprovals: readonly OutdatedApproval[];
  /** The warning that the plan on disk is no longer the one that is carried out, else null. */
  readonly planMoved: string | null;
  /** What was mended after a crash, or put back, oldest first. */
  readonly recovered: readonly string[];
}

/** What a view is made from. */
export interface Seen {
  state: RunState;
  /** As captured; of a workflow, with the recipe of the phase at work. */
  captured: CapturedRecipe;
  files: DocumentReader;
  /** What opening the run had to mend, beyond what its snapshot tells. */
  notices: readonly string[];
  planMoved: string | null;
  /** Absolute: where `.dev/` is. */
  root: string;
  reader: FileReader;
  now: number;
}

/** Makes the view of a run. Pure, apart from reading the run's files. */
export function buildRunView({ state, captured, notices, root, files, ...seen }: Seen): RunView {
  const place = { root, workTree: state.workTree === '.' ? root : state.workTree };
  const standing: Standing = { place, captured, state, files: documentsOf(files) };
  let draft: Draft | null | undefined;
  return {
    ...standing,
    ...seen,
    draft: () => {
      if (draft === undefined) {
        const text = standing.files.text('DRAFT.md');
        draft = text === null ? null : readDraft(text);
      }
      return draft;
    },
    changedApprovals: listOutdatedApprovals(standing),
    recovered: [...state.recovered, ...notices],
  };
}
