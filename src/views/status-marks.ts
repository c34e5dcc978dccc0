import type { StepState } from '../run/state.js';

/** How a block, a phase, a todo or a stage stands, in one character. */
export const MARKS: Readonly<Record<StepState['status'], string>> = {
  pending: '·',
  running: '◐',
  done: '✓',
  skipped: '–',
  failed: '✗',
  stale: '○',
};
