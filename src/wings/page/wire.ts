import type { DecisionSection } from '../../base/decision.js';
import type { SignName } from '../../views/signs.js';
import type { Timeline } from '../../views/timeline.js';
import type { Gate } from '../../views/timeline-actions.js';
import type { TimelineRow } from '../../views/timeline-rows.js';

/**
 * The data that the server or a file gives the page (view-page.md, Server). Instants are in milliseconds; foreign texts
 * are cleaned and masked.
 */

/** The first page: home (view.md, Home). */
export interface RunsPage {
  project: string;
  branch: string | null;
  groups: { title: string; rows: RunsRow[]; more: number }[];
  /** The time by the server's clock. */
  now: number;
}

export interface RunsRow {
  name: string;
  /** The directory of another root, whose runs this server does not show. */
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
  /** Its cost, in one line. */
  cost: string;
  /** `by` says who decided, and how. */
  gates: (Omit<Gate, 'by'> & { by: string | null })[];
  /** The open gate; null if there is none, or an earlier run is shown. */
  decision: PageDecision | null;
  /** What an execution leaves open, from its report. */
  left: DecisionSection[];
  /** The run's clock: from its beginning to now or, once the run has ended, to its end. */
  clock: { from: number; to: number; isRunning: boolean };
  /** Why the journal cannot be read beyond `seq`; null if it is intact. */
  fault: { code: string; message: string } | null;
  seq: number;
  tabs: TabName[];
}

export type TabName = 'plan' | 'recipe' | 'journal' | 'report';

/** A row; the documents of its segments are only named here, and loaded by row, segment and index. */
export type PageRow = Omit<TimelineRow, 'segments'> & { segments: PageSegment[] };

export type PageSegment = Omit<TimelineRow['segments'][number], 'documents'> & { documents: string[] };

/** An open gate, as `approve` shows it. */
export interface PageDecision {
  actionId: string;
  digest: string | null;
  title: string;
  sections: DecisionSection[];
  /** Empty if no person is at the server's terminal. */
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

/** A document, or a tab. `kind` decides how it is shown. */
export interface PageDocument {
  kind: 'text' | 'markdown' | 'diff' | 'svg';
  text: string;
  /** Its full size in bytes, if it was cut. */
  of?: number;
}

/** The response to the Send button; the number is shown at the terminal of the person who started `dev-cli view`. */
export interface PreparedDecision {
  id: string;
  /** When the number expires. */
  until: number;
}

/** Everything in a file. Keys of `documents` have the form `row/segment/index`, `tab/plan` or `commit/SHA`. */
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
