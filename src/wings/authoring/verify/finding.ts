import type { SourcePath } from '../../../recipe/source/report.js';

/** The kinds of faults that verify finds (authoring.md, Verify). */
export type FindingKind =
  | 'dead-end'
  | 'unbounded-loop'
  | 'gate-bypassed'
  | 'file-unwritten'
  | 'never-written'
  | 'value-unset'
  | 'section-unwritten'
  | 'unreachable-block'
  | 'human-in-autopilot'
  | 'needs-remote';

/** A fault of a sequential recipe, and the shortest path that shows it. */
export interface VerifyFinding {
  kind: FindingKind;
  message: string;
  fix?: string;
  /** The place in the recipe's source. */
  place: SourcePath;
  within?: string;
  /** The last state of the shortest path that shows the fault. */
  node: number;
  /**
   * The last edge of that path, if it differs from the edge by which the state was first found; -1 if the path has no
   * edge.
   */
  edge?: number;
}
