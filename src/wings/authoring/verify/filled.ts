import type { Subject } from './subject.js';

/** What a passed check of the draft tells of its sections (documents.md, draft validate). */

/**
 * Whether these sections may be filled, by what a world knows; from now on it knows that they are. What is known is the index of
 * a value, and below 0 where nothing is.
 */
export function fillSections({ values }: Subject, world: number[], sections: readonly string[]): boolean {
  return values.every(({ path: [root, id = '', member], values: all }, at) => {
    if (root !== 'draft' || !sections.includes(id)) return true;
    const known = world[at] ?? -1;
    if (known >= 0) return all[known] !== false && all[known] !== '';
    if (member === 'filled') world[at] = all.indexOf(true);
    return true;
  });
}
