import type { ImportFormat } from '../../base/import-formats.js';
import type { Place } from '../../plan/markdown/place.js';
import type { ForeignText } from '../../plan/markdown/visible.js';

/** What an importer has read, before it is made a plan of (plans-from-elsewhere.md, What becomes of what). */

/** A file of the source. */
export interface SourceFile extends ForeignText {
  /** Lines that were left out, because they are no UTF-8 text. */
  unreadable?: { line: number; text: string }[];
}

/** What the source says somewhere, in one line. */
export interface SourceText {
  text: string;
  at: Place;
}

/** A command that the source says to run. */
export interface SourceCommand {
  argv: string[];
  cwd?: string;
  /** What has to come of it besides that it ends well. */
  expect?: { exitCode?: number; stdoutContains?: string };
  /** Whether only a shell can run it. */
  isShell: boolean;
  /** Whether the source only says to run it, and not that something is checked by it. */
  isTold: boolean;
  /** Whether what hid how it ends was left out. */
  isCut: boolean;
  at: Place;
}

/** A step of a task. */
export interface SourceStep {
  text: string;
  /** Whether it is left out: ticked, struck out, or marked as something else than open. */
  isDone: boolean;
  /** What its box holds where that says neither open nor done. */
  mark?: string | null;
  /** Whether it has a box that is not ticked. */
  isOpen?: boolean;
  at: Place;
}

/** A task: what becomes a todo. */
export interface SourceTask {
  /** Made of the name that the source gives it: `T001`, `task-1-1`; null where it gives none. */
  id: string | null;
  /** Whole, in one line. */
  title: string;
  at: Place;
  /** Number of the part of the source that it stands in; the parts follow each other. */
  phase: number;
  /** Whether the source says that it may be done beside its neighbours. */
  isParallel: boolean;
  /** Names of tasks that the source says it depends on. */
  after: string[];
  steps: SourceStep[];
  /** How to tell that it is done, where the source says so in words. */
  check?: string | null;
  /** Those that the source lists as what the task changes. */
  files: string[];
  /** What the source says of them, and of files that are only read. */
  references: string[];
  /** The headings that it stands below. */
  below: string[];
  commands: SourceCommand[];
  /** Whether it names commands, be they taken up or not. */
  namesCommands: boolean;
  /** Whether it does nothing but run commands that check. */
  isCheck: boolean;
  /** What it says that it is committed with. */
  commit: string | null;
  /** Whether it is left out: ticked, struck out, or marked as something else than open. */
  isDone: boolean;
  /** What its box holds where that says neither open nor done. */
  mark: string | null;
  /** The requirement that the source says it is for. */
  serves: string | null;
}

/** A requirement, with what shows that it is met. */
export interface SourceRequirement {
  id: string | null;
  /** Word for word, in one line. */
  quote: string;
  text: string;
  checks: string[];
  at: Place;
}

/** All that was read. */
export interface SourcePlan {
  format: ImportFormat;
  title: string;
  /** What it is about, where the source has a heading for it; null: what was asked first. */
  core: string | null;
  /** What was asked; empty where the source does not say. */
  request: SourceText[];
  deliverables: SourceText[];
  doneWhen: SourceText[];
  mustNotDo: SourceText[];
  decisions: (SourceText & { reason: string })[];
  findings: SourceText[];
  assumptions: SourceText[];
  risks: SourceText[];
  /** What somebody has to settle first. */
  needs: SourceText[];
  requirements: SourceRequirement[];
  tasks: SourceTask[];
}

/** A plan of which nothing was read yet. */
export function createSourcePlan(format: ImportFormat, title: string): SourcePlan {
  const nothing = { request: [], deliverables: [], doneWhen: [], mustNotDo: [], decisions: [], findings: [] };
  return { format, title, core: null, ...nothing, assumptions: [], risks: [], needs: [], requirements: [], tasks: [] };
}
