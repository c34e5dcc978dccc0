import { toBoundedLine } from '../../documents/foreign.js';
import { formatSourceLocation, type SourceLocation } from '../../plan/markdown/place.js';

/** A part of the source that has no place in the plan. */
export interface UnplacedPart {
  /** In the form `FILE:LINE`. */
  at: string;
  what: string;
  why: string;
}

/** Collects what an importer could not place, so that nothing is lost silently. */
export interface ImportNotes {
  /** All notes, in full length. */
  noted: { at: SourceLocation; what: string; why: string }[];
  /** Lines that need no further note: the plan has them in another form, or a note covers their whole block. */
  settled: SourceLocation[];
  /** Notes a text that has no place in the plan. */
  refuse(at: SourceLocation, what: string, why: string): void;
  /** Notes a whole block: its lines get no notes of their own. */
  refuseWhole(at: SourceLocation, what: string, why: string): void;
  /** Records that the plan has these lines in another form. */
  settle(at: SourceLocation): void;
}

/** Maximum characters of the source's text that a note shows. */
const SHOWN = 160;

/** Creates empty notes. */
export function createImportNotes(): ImportNotes {
  const [noted, settled]: [ImportNotes['noted'], SourceLocation[]] = [[], []];
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
 * Renders the notes in the order of the source.
 * @param paths the source's files, in order
 */
export function listUnplaced({ noted }: ImportNotes, paths: readonly string[]): UnplacedPart[] {
  return noted
    .toSorted((a, b) => paths.indexOf(a.at.path) - paths.indexOf(b.at.path) || a.at.line - b.at.line)
    .map(({ at, what, why }) => ({ at: formatSourceLocation(at), what: toBoundedLine(what, SHOWN), why }));
}
