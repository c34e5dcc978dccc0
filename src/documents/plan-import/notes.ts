import { toBoundedLine } from '../foreign.js';
import type { Place } from './source-plan.js';

/** Something of the source that has no place in the plan. */
export interface Unplaced {
  /** `FILE:LINE`. */
  at: string;
  what: string;
  why: string;
}

/** Takes down what an importer could not place, so that nothing is lost silently. */
export interface ImportNotes {
  unplaced: Unplaced[];
  /** Notes something that has no place. `what` is cut to a line. */
  refuse(at: Place, what: string, why: string): void;
}

/** Characters of what is noted. */
const SHOWN = 160;

/** Creates notes with nothing taken down. */
export function createImportNotes(): ImportNotes {
  const unplaced: Unplaced[] = [];
  return {
    unplaced,
    refuse: (at, what, why) => void unplaced.push({ at: formatPlace(at), what: toBoundedLine(what, SHOWN), why }),
  };
}

/** Writes a place as `FILE:LINE` or `FILE:LINE-LINE`. */
export function formatPlace({ path, line, end }: Place): string {
  const shown = toBoundedLine(path, 500);
  return end === undefined || end <= line ? `${shown}:${line}` : `${shown}:${line}-${end}`;
}
