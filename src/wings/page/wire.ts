import type { DecisionSection } from '../../base/decision.js';
import type { SignName } from '../../views/signs.js';
import type { Timeline } from '../../views/timeline.js';
import type { Gate } from '../../views/timeline-actions.js';
import type { TimelineRow } from '../../views/timeline-rows.js';

/**
 * Types of the JSON that the page gets from the server or finds in its file (view-page.md, Server). Instants are in
 * milliseconds. Texts not written by dev-cli are cleaned and masked.
 */

/** The page that lists the runs (view.md, Home). */
export interface RunsPage {
  project: string;
  branch: string | null;
  groups: { title: string; rows: RunsRow[]; more: number }[];
  /** The time by the server's clock. */
  now: number;
}

export interface RunsRow {
  name: string;
  /** The root of a run that belongs to another root than the server's; this server cannot show it. */
  elsewhere?: string;
  sign: SignName;
  progress?: string;
  text: string;
  since?: number;
  silent?: number;
  /** A command for the person to copy. */
  command?: string;
}

/** A run without its documents. */
export interface RunPage {
  name: string;
  runId: string;
  recipe: string;
  goal: string | null;
  status: string;
  held: boolean;
  /** What the run waits for, and a command for the person to copy. */
  waits: { text: string; since: number | null; command: string | null };
  /** All runs of the name, oldest first. */
  runs: { runId: string; recipe: string; status: string; at: string }[];
  rows: PageRow[];
  split: Timeline['split'];
  /** What the run has cost, in one line. */
  cost: string;
  /** `by` says who decided, and how. */
  gates: (Omit<Gate, 'by'> & { by: string | null })[];
  /** The gate at which the run waits. Null if there is none, or if this is an earlier run of the name. */
  decision: PageDecision | null;
  /** Lines of the report that need somebody's attention, such as open issues, by heading. */
  left: DecisionSection[];
  /** The run's clock: from its beginning to now or, once the run has ended, to its end. */
  clock: { from: number; to: number; isRunning: boolean };
  /** Why the journal cannot be read beyond `seq`; null if it is intact. */
  fault: { code: string; message: string } | null;
  seq: number;
  tabs: TabName[];
}

export type TabName = 'plan' | 'recipe' | 'journal' | 'report';

/** A row. Its segments only name their documents; each document is loaded by row, segment and index. */
export type PageRow = Omit<TimelineRow, 'segments'> & { segments: PageSegment[] };

export type PageSegment = Omit<TimelineRow['segments'][number], 'documents'> & { documents: string[] };

/** An open gate, as `approve` shows it. */
export interface PageDecision {
  actionId: string;
  digest: string | null;
  title: string;
  sections: DecisionSection[];
  /** The choices; empty if the server was not started by a person at a terminal, who alone may decide. */
  answers: { id: string; label: string; reason?: 'required' }[];
  /** Documents to look at: a plan, a review, a log. */
  looks: { label: string; text: string }[];
}

/**
 * A line of `/runs/NAME/events`: what has changed since the line before or, in the first line, since the page was sent.
 * Missing members are unchanged.
 */
export interface RunChange {
  seq: number;
  page: Partial<Omit<RunPage, 'rows' | 'seq'>>;
  /** New or changed rows, each complete. */
  rows: PageRow[];
  /** The ids of all rows in order, if the order has changed. */
  order?: string[];
}

/** A document, or the content of a tab. `kind` decides how it is shown. */
export interface PageDocument {
  kind: 'text' | 'markdown' | 'diff' | 'svg';
  text: string;
  /** Its full size in bytes, if it was cut. */
  of?: number;
}

/** The response to an answer from the page. The number that confirms it is shown where `dev-cli view` was started. */
export interface PreparedDecision {
  id: string;
  /** When the number expires. */
  until: number;
}

/** The data of a file written by `view --html`. Keys of `documents`: `row/segment/index`, `tab/plan`, `commit/SHA`. */
export interface PageFile {
  page: RunPage;
  documents: Record<string, PageDocument>;
  /** The parts left out with `--without`. */
  without: string[];
}

/** The body of every failed response. */
export interface PageError {
  error: { code: string; message: string; fix?: string };
}
