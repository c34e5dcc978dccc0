import type { RunEngine } from '../../../run/engine.js';

/** Halts and what reopened them, what persons rejected or answered, files that were granted later: in order. */
export function renderTurningPoints({ course = [] }: Pick<RunEngine, 'course'>): string[] {
  return course.map(({ at, kind, text }) => `${at}: ${kind}: ${text}`);
}
