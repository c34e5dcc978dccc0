// outside: status

import { DevCliError, type ErrorDetail } from '../base/errors.js';
import { isSectionHeading, readMarkdownLines } from './markdown-lines.js';
import { decodeSection, hasContent, parseMarker, renderMarker, renderPlaceholder } from './section-codec.js';
import { SECTION_IDS, SECTION_TEXTS, type SectionId } from './sections.js';

/**
 * DRAFT.md: eight sections, each a level-two heading with the section's id in a comment below it (documents.md,
 * DRAFT.md).
 */

/** The content of a section, unescaped and without its placeholder; empty when it is not filled. */
interface DraftSection {
  filled: boolean;
  text: string;
}
/** The content of DRAFT.md by section. */
export type Draft = Record<SectionId, DraftSection>;

/** Offsets of a section's body in DRAFT.md: from the line after its marker to the next heading. */
interface SectionSpan {
  start: number;
  end: number;
}

/**
 * Creates the text of a new DRAFT.md, in which all sections are empty.
 * @param name the name of the run
 */
export function createDraft(name: string): string {
  const sections = SECTION_IDS.map(
    (id) => `## ${SECTION_TEXTS[id].heading}\n${renderMarker(id)}\n${renderPlaceholder(SECTION_TEXTS[id].hint)}\n`,
  );
  return [`# Draft: ${name}\n`, ...sections].join('\n');
}

/**
 * Reads DRAFT.md. Only this function decides which sections are filled: those that contain more than a placeholder
 * comment. Headings may be renamed and sections reordered; markers in fenced code are plain text.
 * @throws DevCliError `DOCUMENT_UNREADABLE` when a marker is missing, repeated or not below a level-two heading
 */
export function readDraft(text: string): Draft {
  const spans = findSections(text);
  const entries = SECTION_IDS.map((id): [SectionId, DraftSection] => {
    const body = decodeSection(text.slice(spans[id].start, spans[id].end));
    const filled = hasContent(body);
    return [id, { filled, text: filled ? body : '' }];
  });
  return Object.fromEntries(entries) as Draft;
}

/** The status of a draft, which `draft validate` reports. */
export interface DraftStatus {
  /** Whether every required section is filled. */
  ready: boolean;
  /** How many of all eight sections are filled. */
  filled: number;
  total: 8;
  /** The required sections that are empty, in order. */
  missing: SectionId[];
}

/**
 * Reads from DRAFT.md whether the sections that the recipe requires are filled.
 * @throws DevCliError `DOCUMENT_UNREADABLE` if `readDraft` cannot read the draft
 */
export function readDraftStatus(text: string, required: SectionId[]): DraftStatus {
  return computeDraftStatus(readDraft(text), required);
}

/** Computes the status of a draft that has already been read. */
export function computeDraftStatus(draft: Draft, required: SectionId[]): DraftStatus {
  const missing = SECTION_IDS.filter((id) => required.includes(id) && !draft[id].filled);
  const filled = SECTION_IDS.filter((id) => draft[id].filled).length;
  return { ready: missing.length === 0, filled, total: SECTION_IDS.length, missing };
}

/**
 * Finds the body of every section. A section ends at the next level-two heading. If people add such a heading between
 * two sections, the text below it belongs to neither and is never changed.
 * @throws DevCliError `DOCUMENT_UNREADABLE`, naming every marker that is missing, repeated or misplaced
 */
export function findSections(text: string): Record<SectionId, SectionSpan> {
  const spans = new Map<SectionId, SectionSpan>();
  const details: ErrorDetail[] = [];
  let current: SectionSpan | null = null;
  let belowHeading = false;
  for (const line of readMarkdownLines(text)) {
    if (line.text.trim() === '') continue;
    const isHeading = !line.fenced && isSectionHeading(line.text);
    const id = line.fenced ? null : parseMarker(line.text);
    if (isHeading && current !== null) current.end = line.start;
    if (isHeading) current = null;
    if (id !== null) {
      const fault = findMarkerFault(spans.has(id), belowHeading);
      if (fault !== null) {
        details.push({
          problem: `the marker of section "${id}" ${fault}`,
          target: id,
          at: `DRAFT.md:${line.number}:1`,
        });
      }
      current = { start: line.next, end: text.length };
      spans.set(id, current);
    }
    belowHeading = isHeading;
  }
  const missing = SECTION_IDS.filter((id) => !spans.has(id));
  details.push(...missing.map((id) => ({ problem: `the marker of section "${id}" is missing`, target: id })));
  if (details.length > 0) throw buildUnreadableError(details);
  return Object.fromEntries(spans) as Record<SectionId, SectionSpan>;
}

function findMarkerFault(isDoubled: boolean, belowHeading: boolean): string | null {
  if (isDoubled) return 'occurs twice';
  return belowHeading ? null : 'is not directly below a "## " heading';
}

function buildUnreadableError(details: ErrorDetail[]): DevCliError {
  return new DevCliError('DOCUMENT_UNREADABLE', 'The structure of DRAFT.md is damaged; the file was left unchanged.', {
    details: details.map((detail) => ({
      ...detail,
      expected: `one line ${renderMarker(detail.target ?? 'id')} below a "## " heading`,
    })),
    fix: 'Restore the markers listed in details, each once, directly below the "## " heading of its section; then repeat.',
  });
}
