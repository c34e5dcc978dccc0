import type { SourcePath } from '../../../recipe/source/report.js';

/** What verify finds wrong, by kind (authoring.md, Verify). */
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

/** Something wrong with a sequential recipe, and the shortest way on which it shows. */
export interface Finding {
  kind: FindingKind;
  message: string;
  fix?: string;
  /** Where the recipe says it. */
  place: SourcePath;
  within?: string;
  /** The state on whose shortest way it shows. */
  node: number;
  /** The last edge of that way, where it is not the one by which the state was found first; -1: there is none. */
  edge?: number;
}
