import type { DocumentReader, FileReader } from '../base/files.js';
import { listOutdatedApprovals, type OutdatedApproval } from '../blocks/values/inputs.js';
import { type Draft, readDraft } from '../documents/draft.js';
import type { CapturedRecipe } from '../recipe/resolved.js';
import { documentsOf } from '../run/documents/pending.js';
import type { PlanMoved } from '../run/plan/move.js';
import type { RunState } from '../run/state.js';
import type { Standing } from '../run/transaction.js';

/** The read model of one run, from which alone `status` and `manifest` are rendered. */
export interface RunView extends Standing {
  /** Instant in milliseconds up to which durations are shown. */
  readonly now: number;
  /** Reads files outside the run's directory, by absolute path. */
  readonly reader: FileReader;
  /**
   * DRAFT.md, read at the first call; null where there is none.
   * @throws DevCliError `DOCUMENT_UNREADABLE`
   */
  readonly draft: () => Draft | null;
  /** Gate decisions whose artifact has changed since. */
  readonly changedApprovals: readonly OutdatedApproval[];
  /** How the plan on disk differs from the one that is executed, and a warning of it; null where it does not. */
  readonly planMoved: PlanMoved | null;
  /** What was recovered after a crash or put back, oldest first. */
  readonly recovered: readonly string[];
}

/** What a view is built from. */
export interface RunViewSource extends Pick<RunView, 'planMoved' | 'reader' | 'now'> {
  state: RunState;
  /** In a workflow, with the recipe of the current phase. */
  captured: CapturedRecipe;
  files: DocumentReader;
  /** What the store recovered when it opened the run. */
  notices: readonly string[];
  /** Absolute path of the directory that holds `.dev/`. */
  root: string;
}

/** Builds the view of a run. Pure, apart from reading the run's files. */
export function buildRunView({ state, captured, notices, root, files, ...seen }: RunViewSource): RunView {
  const place = { root, workTree: state.workTree === '.' ? root : state.workTree };
  const standing: Standing = { place, captured, state: state, files: documentsOf(files) };
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

/** A part of a run's status or manifest. A wing adds its own through the ports (docs/architecture.md). */
export interface Section {
  /** Its key in JSON, unique within the view. */
  id: string;
  view: 'manifest' | 'status';
  /** Longest rendering, in characters. */
  budget: number;
  /** Its lines, most important first; null where there is nothing to show. */
  render: (run: RunView) => string[] | null;
}

/** A rendered section. */
export interface Rendered {
  id: string;
  text: string;
}

/** Renders the sections of one view that have something to show, each truncated to its budget. */
export function renderSections(run: RunView, view: Section['view'], sections: readonly Section[]): Rendered[] {
  return sections.flatMap((section) => {
    const lines = section.view === view ? section.render(run) : null;
    return lines === null ? [] : [{ id: section.id, text: truncate(lines.join('\n'), section.budget) }];
  });
}

/** Renders the counts that are not zero, such as `2 failed`, by what is counted. */
export function listCounts(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
}

/** Truncates a text to a number of characters, the last of which is then an ellipsis. */
export function truncate(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, Math.max(0, characters - 1))}…`;
}
