import { toBoundedLine } from '../../documents/foreign.js';
import { formatPlace, type Place } from '../../plan/markdown/place.js';

/** Something of the source that has no place in the plan. */
export interface Unplaced {
  /** `FILE:LINE`. */
  at: string;
  what: string;
  why: string;
}

/** Takes down what an importer could not place, so that nothing is lost silently. */
export interface ImportNotes {
  /** All that was noted, uncut. */
  noted: { at: Place; what: string; why: string }[];
  /** Lines that need no further word: the plan has them in another form, or a note names them as a whole. */
  settled: Place[];
  /** Notes something that has no place. */
  refuse(at: Place, what: string, why: string): void;
  /** Notes a part of the source as a whole, with all that stands in it. */
  refuseWhole(at: Place, what: string, why: string): void;
  /** Says that the plan has these lines in another form. */
  settle(at: Place): void;
}

/** Characters of what is noted. */
const SHOWN = 160;

/** Creates notes with nothing taken down. */
export function createImportNotes(): ImportNotes {
  const [noted, settled]: [ImportNotes['noted'], Place[]] = [[], []];
  const refuse: ImportNotes['refuse'] = (at, what, why) => void noted.push({ at, what, why });
  return {
    noted,
    settled,
    refuse,
    refuseWhole: (at, what, why) => {
      refuse(at, what, why);
      settled.push(at);
    },
    settle: (at) => void settled.push(at),
  };
}

/**
 * Tells what was noted, each in a line, in the order of the source.
 * @param paths of its files, in order
 */
export function listUnplaced({ noted }: ImportNotes, paths: readonly string[]): Unplaced[] {
  return noted
    .toSorted((a, b) => paths.indexOf(a.at.path) - paths.indexOf(b.at.path) || a.at.line - b.at.line)
    .map(({ at, what, why }) => ({ at: formatPlace(at), what: toBoundedLine(what, SHOWN), why }));
}
