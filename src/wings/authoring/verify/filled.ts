import type { ExplorationSubject } from './subject.js';

/** What a passed check of the draft implies for its sections (documents.md, draft validate). */

/**
 * Returns whether these sections may be filled, given a world, and records in the world that they are. A world holds
 * indices of values; a negative number means unknown.
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
