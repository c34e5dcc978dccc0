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
  /** Whether it is left out: ticked, struck out, or marked as something other than open. */
  isDone: boolean;
  /** The content of its checkbox if that says neither open nor done. */
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
  /** Number of the part of the source that contains it; parts are done one after the other. */
  phase: number;
  /** Whether the source allows it to be done in parallel with its neighbours. */
  isParallel: boolean;
  /** Names of the tasks that it depends on, according to the source. */
  after: string[];
  steps: SourceStep[];
  /** The criterion for being done, if the source states one in words. */
  check?: string | null;
  /** Files that the source lists as changed by the task. */
  files: string[];
  /** Remarks about these files, and about files that are only read. */
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
  /** Whether it is left out: ticked, struck out, or marked as something other than open. */
  isDone: boolean;
  /** The content of its checkbox if that says neither open nor done. */
  mark: string | null;
  /** The requirement that it serves, according to the source. */
  serves: string | null;
}

/** A requirement, with its criteria. */
export interface SourceRequirement {
  id: string | null;
  /** Verbatim, on one line. */
  quote: string;
  text: string;
  checks: string[];
  at: SourceLocation;
}

/** Everything that was read from a source. */
export interface SourcePlan {
  format: ImportFormat;
  title: string;
  /** Its subject, if the source states one; if null, the first request is used. */
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
