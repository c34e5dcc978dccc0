import type { ExplorationSubject } from './subject.js';

/** What follows for the sections of the draft when a check of it passes (documents.md, draft validate). */

/**
 * Returns whether these sections can be filled, given what is known in a world (world.ts): none may be known to be
 * empty. If so, the world then records them as filled. In a world, a negative number means an unknown value.
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
