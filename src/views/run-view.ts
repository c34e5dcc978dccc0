import type { DocumentReader, FileReader } from '../base/files.js';
import { listOutdatedApprovals, type OutdatedApproval } from '../blocks/values/inputs.js';
import { type Draft, readDraft } from '../documents/draft.js';
import type { CapturedRecipe } from '../recipe/captured.js';
import { toDocuments } from '../run/documents/pending.js';
import type { PlanDifference } from '../run/plan/move.js';
import type { RunState } from '../run/state.js';
import type { ReadTransaction } from '../run/transaction.js';

/** The read model of a run, and the only input from which `status` and `manifest` are rendered. */
export interface RunView extends ReadTransaction {
  /** The current time in milliseconds, up to which durations are counted. */
  readonly now: number;
  /** Reads files outside the run's directory by absolute path. */
  readonly reader: FileReader;
  /**
   * Returns DRAFT.md, read at the first call; null if there is none.
   * @throws DevCliError `DOCUMENT_UNREADABLE`
   */
  readonly draft: () => Draft | null;
  /** Gate decisions whose artifact has changed since. */
  readonly changedApprovals: readonly OutdatedApproval[];
  /** How the plan on disk differs from the plan being executed, and a warning about it; null if they are the same. */
  readonly planMoved: PlanDifference | null;
  /** Descriptions of what was recovered after a crash or put back, oldest first. */
  readonly recovered: readonly string[];
}

/** The data from which a view is built. */
export interface RunViewSource extends Pick<RunView, 'planMoved' | 'reader' | 'now'> {
  state: RunState;
  /** The captured recipe; in a workflow, with the current phase selected. */
  captured: CapturedRecipe;
  files: DocumentReader;
  /** What the store recovered when it opened the run. */
  notices: readonly string[];
  /** Absolute path of the directory that holds `.dev/`. */
  root: string;
}

/** Builds the view of a run. Pure, except that it reads the run's files. */
export function buildRunView({ state, captured, notices, root, files, ...seen }: RunViewSource): RunView {
  const place = { root, workTree: state.workTree === '.' ? root : state.workTree };
  const standing: ReadTransaction = { place, captured, state: state, files: toDocuments(files) };
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

/** A part of a run's status or manifest. Wings add their own through the ports (docs/architecture.md). */
export interface Section {
  /** The section's key in JSON, unique within the view. */
  id: string;
  view: 'manifest' | 'status';
  /** The longest rendering, in characters. */
  budget: number;
  /** Returns the section's lines, most important first; null if there is nothing to show. */
  render: (run: RunView) => string[] | null;
}

/** A rendered section. */
export interface RenderedSection {
  id: string;
  text: string;
}

/** Renders the sections of one view that have something to show, each truncated to its budget. */
export function renderSections(run: RunView, view: Section['view'], sections: readonly Section[]): RenderedSection[] {
  return sections.flatMap((section) => {
    const lines = section.view === view ? section.render(run) : null;
    return lines === null ? [] : [{ id: section.id, text: truncate(lines.join('\n'), section.budget) }];
  });
}

/** Renders the counts that are not zero, such as `2 failed`; the keys say what is counted. */
export function listCounts(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
}

/** Truncates a text to the given number of characters, with an ellipsis as the last one. */
export function truncate(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, Math.max(0, characters - 1))}…`;
}
