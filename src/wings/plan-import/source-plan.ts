import type { ImportFormat } from '../../base/import-formats.js';
import type { SourceLocation } from '../../plan/markdown/place.js';
import type { ForeignText } from '../../plan/markdown/visible.js';

/** The parsed contents of a source, from which a plan is then built (plans-from-elsewhere.md, What becomes of what). */

/** A file of the source. */
export interface SourceFile extends ForeignText {
  /** Lines that were left out because they are not valid UTF-8. */
  unreadable?: { line: number; text: string }[];
}

/** A text from the source, on one line, with its position. */
export interface LocatedText {
  text: string;
  at: SourceLocation;
}

/** A command that the source says to run. */
export interface SourceCommand {
  argv: string[];
  cwd?: string;
  /** The expected result, if it is not just exit code 0. */
  expect?: { exitCode?: number; stdoutContains?: string };
  /** Whether only a shell can run it. */
  isShell: boolean;
  /** Whether the source only says to run it, not that it is a check. */
  isTold: boolean;
  /** Whether a viewer at its end, such as `| head`, was removed because it would hide the exit code. */
  isCut: boolean;
  at: SourceLocation;
}

/** A step of a task. */
export interface SourceStep {
  text: string;
  /** Whether the plan leaves out this step: it is ticked, struck out, or its checkbox has another mark. */
  isDone: boolean;
  /** The mark in its checkbox if that is neither open nor done, such as `~`. */
  mark?: string | null;
  /** Whether it has an unticked checkbox. */
  isOpen?: boolean;
  at: SourceLocation;
}

/** A task, which becomes a todo. */
export interface SourceTask {
  /** Derived from its name in the source: `T001`, `task-1-1`; null without a name. */
  id: string | null;
  /** In full, on one line. */
  title: string;
  at: SourceLocation;
  /** Number of the source's section that contains it; all tasks of a phase are done before those of the next. */
  phase: number;
  /** Whether the source allows it to be done in parallel with its neighbours. */
  isParallel: boolean;
  /** Names of the tasks that it depends on, according to the source. */
  after: string[];
  steps: SourceStep[];
  /** When the task is done, if the source says so in words. */
  check?: string | null;
  /** Files that the source lists as changed by the task. */
  files: string[];
  /** Remarks about files that the task changes, and files that it should only read. */
  references: string[];
  /** The headings above it. */
  below: string[];
  commands: SourceCommand[];
  /** Whether it names commands, even if none of them was accepted. */
  namesCommands: boolean;
  /** Whether it only runs commands that check. */
  isCheck: boolean;
  /** The commit message given in the source. */
  commit: string | null;
  /** Whether the plan leaves out this task: it is ticked, struck out, or its checkbox has another mark. */
  isDone: boolean;
  /** The mark in its checkbox if that is neither open nor done, such as `~`. */
  mark: string | null;
  /** The requirement that it serves, according to the source. */
  serves: string | null;
}

/** A requirement, with its criteria. */
export interface SourceRequirement {
  id: string | null;
  /** The requirement's words in the source, on one line. */
  quote: string;
  text: string;
  checks: string[];
  at: SourceLocation;
}

/** Everything that was read from a source. */
export interface SourcePlan {
  format: ImportFormat;
  title: string;
  /** What the plan is about, if the source says so; if null, the first request is used. */
  core: string | null;
  /** The request; empty if the source states none. */
  request: LocatedText[];
  deliverables: LocatedText[];
  doneWhen: LocatedText[];
  mustNotDo: LocatedText[];
  decisions: (LocatedText & { reason: string })[];
  findings: LocatedText[];
  assumptions: LocatedText[];
  risks: LocatedText[];
  /** Questions that somebody has to settle before the work begins. */
  needs: LocatedText[];
  requirements: SourceRequirement[];
  tasks: SourceTask[];
}

/** Creates a plan without content. */
export function createSourcePlan(format: ImportFormat, title: string): SourcePlan {
  const nothing = { request: [], deliverables: [], doneWhen: [], mustNotDo: [], decisions: [], findings: [] };
  return { format, title, core: null, ...nothing, assumptions: [], risks: [], needs: [], requirements: [], tasks: [] };
}
