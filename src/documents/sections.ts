import { DevCliError } from '../base/errors.js';
import { findSuggestion } from '../base/suggest.js';

/** The sections of DRAFT.md, in order (documents.md, DRAFT.md). */
export const SECTION_IDS = [
  'intent',
  'purpose',
  'boundaries',
  'criteria',
  'decisions',
  'findings',
  'direction',
  'assumptions',
] as const;

export type SectionId = (typeof SECTION_IDS)[number];

/** The texts about a section, for a new DRAFT.md and for actions. */
interface SectionText {
  /** The heading in a new draft; people may rename it. */
  heading: string;
  /** The placeholder comment of an empty section. */
  hint: string;
  /** One line that tells an agent what to write, for `data.need` of an action. */
  need: string;
}

/** The texts about each section. */
export const SECTION_TEXTS: Record<SectionId, SectionText> = {
  intent: {
    heading: 'Intent',
    hint: 'what kind of change this is',
    need: 'the kind of change in one word, such as Feature, Bug or Refactor',
  },
  purpose: {
    heading: 'Purpose',
    hint: 'what is wanted, and why',
    need: 'what is wanted and why, in the words of the person who asked',
  },
  boundaries: {
    heading: 'Boundaries',
    hint: 'what must not change',
    need: 'what must not change, one bullet each',
  },
  criteria: {
    heading: 'Criteria',
    hint: 'how anyone can tell that it is done',
    need: 'observable results, each checkable by a command, a reader or a person',
  },
  decisions: {
    heading: 'Decisions',
    hint: 'what was decided, and by whom',
    need: 'one bullet per decision: what, why, and whether the user said it or it is assumed',
  },
  findings: {
    heading: 'Findings',
    hint: 'what exploration brought to light',
    need: 'one bullet per fact about the code that the plan builds on, with its file',
  },
  direction: {
    heading: 'Direction',
    hint: 'the breakdown of the work',
    need: 'the pieces of work in order, one bullet each',
  },
  assumptions: {
    heading: 'Assumptions',
    hint: 'what nobody confirmed',
    need: 'what is taken for granted and was not confirmed, one bullet each',
  },
};

/** Returns whether `text` is the id of a section. */
export function isSectionId(text: string): text is SectionId {
  return (SECTION_IDS as readonly string[]).includes(text);
}

/** Renders `unknown section "x"; did you mean "y"?`, for options, headings and data alike. */
export function describeUnknownSection(text: string): string {
  const shown = JSON.stringify(text.slice(0, 80));
  const near = findSuggestion(text.slice(0, 80), SECTION_IDS);
  return `unknown section ${shown}${near === undefined ? '' : `; did you mean "${near}"?`}`;
}

/**
 * Returns `text` if it is the id of a section.
 * @throws DevCliError `UNKNOWN_SECTION`, with the valid ids (documents.md, DRAFT.md)
 */
export function requireSection(text: string): SectionId {
  if (isSectionId(text)) return text;
  throw new DevCliError('UNKNOWN_SECTION', `${describeUnknownSection(text)}.`, { fix: VALID_SECTIONS });
}

/** The fix of every error about a section's id. */
export const VALID_SECTIONS = `Sections are ${SECTION_IDS.join(', ')}.`;

/** The text of the section `decisions` if nobody decided anything. It does not count as a decision. */
export const NO_DECISION = 'None was made before the plan, which states its own.';
