import type { Files } from '../base/files.js';
import type { Draft } from '../documents/draft.js';
import type { CapturedRecipe } from '../recipe/resolved.js';
import type { ReadContext } from '../run/context.js';
import type { RunState } from '../run/state.js';

/** What a section is rendered from. */
export interface SectionInput {
  state: RunState;
  captured: CapturedRecipe;
  files: Files;
  /**
   * DRAFT.md, read at the first need for all sections together; null where there is none.
   * @throws DevCliError `DOCUMENT_UNREADABLE`
   */
  draft: () => Draft | null;
  context: ReadContext;
}

/** A part of what a run tells about itself; wings add theirs through the same door (house.md, Ports). */
export interface Section {
  id: string;
  view: 'manifest' | 'status';
  /** Longest rendering, in characters. */
  budget: number;
  /** Lines, most important first; null when there is nothing to say. */
  render: (input: SectionInput) => string[] | null;
}
