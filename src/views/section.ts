import type { RunView } from './run-view.js';

/** A part of a run's status or manifest. A wing adds its own through the ports (docs/architecture.md). */
export interface Section {
  /** Its key in JSON, unique within the view. */
  id: string;
  view: 'manifest' | 'status';
  /** Longest rendering, in characters. */
  budget: number;
  /** Its lines, most important first; null where there is nothing to show. */
  render: (run: RunView) => string[] | null;
}

/** A rendered section. */
export interface Rendered {
  id: string;
  text: string;
}

/** Renders the sections of one view that have something to show, each truncated to its budget. */
export function renderSections(run: RunView, view: Section['view'], sections: readonly Section[]): Rendered[] {
  return sections.flatMap((section) => {
    const lines = section.view === view ? section.render(run) : null;
    return lines === null ? [] : [{ id: section.id, text: truncate(lines.join('\n'), section.budget) }];
  });
}

/** Renders the counts that are not zero, such as `2 failed`, by what is counted. */
export function listCounts(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
}

/** Truncates a text to a number of characters, the last of which is then an ellipsis. */
export function truncate(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, Math.max(0, characters - 1))}…`;
}
