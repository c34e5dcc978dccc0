import type { RunView } from './run-view.js';

/** A part of what a run tells about itself. A wing adds its own through the ports (docs/architecture.md). */
export interface Section {
  /** Its key in JSON; no two of a view share one. */
  id: string;
  view: 'manifest' | 'status';
  /** Longest rendering, in characters. */
  budget: number;
  /** Lines, most important first; null when there is nothing to say. */
  render: (run: RunView) => string[] | null;
}

/** A section as rendered. */
export interface Rendered {
  id: string;
  text: string;
}

/** The sections of one view that have something to say, each cut to its budget. */
export function renderSections(run: RunView, view: Section['view'], sections: readonly Section[]): Rendered[] {
  return sections.flatMap((section) => {
    const lines = section.view === view ? section.render(run) : null;
    return lines === null ? [] : [{ id: section.id, text: truncate(lines.join('\n'), section.budget) }];
  });
}

/** A text of at most so many characters; an ellipsis stands for what is left out. */
export function truncate(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, Math.max(0, characters - 1))}…`;
}
