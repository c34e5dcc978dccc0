import type { DecisionSection } from '../../base/decision.js';
import type { SignName } from '../../views/signs.js';
import type { Timeline } from '../../views/timeline.js';
import type { Gate } from '../../views/timeline-actions.js';
import type { Row } from '../../views/timeline-rows.js';

/** What the page is sent, by the server or in a file (view-page.md, Server). Instants are milliseconds; texts of others are cleaned and masked. */

/** The first page: home (view.md, Home). */
export interface RunsPage {
  project: string;
  branch: string | null;
  groups: { title: string; rows: RunsRow[]; more: number }[];
  /** The server's clock. */
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
  /** The command that the person can copy. */
  command?: string;
}

/** A run, all but its documents. */
export interface RunPage {
  name: string;
  runId: string;
  recipe: string;
  goal: string | null;
  status: string;
  held: boolean;
  /** What it waits for, and the command that the person can copy. */
  waits: { text: string; since: number | null; command: string | null };
  /** All runs of the name, oldest first. */
  runs: { runId: string; recipe: string; status: string; at: string }[];
  rows: PageRow[];
  split: Timeline['split'];
  /** What it has cost, in a line. */
  cost: string;
  /** `by` says who and by what way. */
  gates: (Omit<Gate, 'by'> & { by: string | null })[];
  /** The gate that is open; null where none is, or an earlier run is shown. */
  decision: PageDecision | null;
  /** What an execution leaves open, from its report. */
  left: DecisionSection[];
  /** The run's clock: its first entry, and now; it stands still where the run has ended. */
  clock: { from: number; to: number; isRunning: boolean };
  /** Why the journal cannot be read beyond `seq`. */
  fault: { code: string; message: string } | null;
  seq: number;
  /** Which of the tabs there are. */
  tabs: TabName[];
}

export type TabName = 'plan' | 'recipe' | 'journal' | 'report';

/** A row; the documents of its segments are named here, and read by row, segment and index. */
export type PageRow = Omit<Row, 'segments'> & { segments: PageSegment[] };

export type PageSegment = Omit<Row['segments'][number], 'documents'> & { documents: string[] };

/** What `approve` would show of an open gate. */
export interface PageDecision {
  actionId: string;
  digest: string | null;
  title: string;
  sections: DecisionSection[];
  /** None where no person is at the server's terminal. */
  answers: { id: string; label: string; reason?: 'required' }[];
  /** What may be looked at: a plan, a review, a log. */
  looks: { label: string; text: string }[];
}

/** A line of `/runs/NAME/events`: what has changed since the page was sent. Members that are missing are as before. */
export interface RunChange {
  seq: number;
  page: Partial<Omit<RunPage, 'rows' | 'seq'>>;
  /** Rows that are new or have changed, whole. */
  rows: PageRow[];
  /** The ids of all rows in order, where that has changed. */
  order?: string[];
}

/** A document, or a tab. `kind`: how it is shown. */
export interface PageDocument {
  kind: 'text' | 'markdown' | 'diff' | 'svg';
  text: string;
  /** It was cut: how many bytes it has. */
  of?: number;
}

/** What Send is answered with: the number stands at the terminal of the person who started `dev-cli view`. */
export interface Prepared {
  id: string;
  /** Until when the number is taken. */
  until: number;
}

/** All that a file holds. `documents` by `row/segment/index`, tabs and diffs by `tab/plan`, `commit/SHA`. */
export interface PageFile {
  page: RunPage;
  documents: Record<string, PageDocument>;
  /** What was left out with `--without`. */
  without: string[];
}

/** Every failure. */
export interface PageError {
  error: { code: string; message: string; fix?: string };
}
