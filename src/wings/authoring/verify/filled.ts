import type { ExplorationSubject } from './subject.js';

/** The consequences of a passed check of the draft for its sections (documents.md, draft validate). */

/**
 * Returns whether a world allows these sections to be filled; if so, the world then records them as filled. A world
 * holds indices of candidates; a negative number means that the value is unknown.
 */
export function fillSections({ values }: ExplorationSubject, world: number[], sections: readonly string[]): boolean {
  return values.every(({ path: [root, id = '', member], values: all }, at) => {
    if (root !== 'draft' || !sections.includes(id)) return true;
    const known = world[at] ?? -1;
    if (known >= 0) return all[known] !== false && all[known] !== '';
    if (member === 'filled') world[at] = all.indexOf(true);
    return true;
  });
}
