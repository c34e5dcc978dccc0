/**
 * Wording of the lines about facts that an import did not find. Later changes parse these lines
 * (plans-from-elsewhere.md, plan import).
 */

/** The beginning of a line about a fact that the imported source does not state. */
export const NOT_IN_SOURCE = 'Not in the source: ';

/** Stands for every imported todo in such a line. */
export const ALL_TODOS = 'all todos';

/** Words for the fields of a todo. */
export const TODO_WORDS: Readonly<Record<string, string>> = {
  id: 'ids',
  title: 'titles',
  dependsOn: 'order',
  acceptance: 'proof',
};

/** How many ids a line names. */
const NAMED = 12;

/**
 * Joins names. If there are many, only the first ones are named, and the others are counted.
 * @param unnamed how many more there are whose names are not known; added to that count
 */
export function joinSome(all: readonly string[], unnamed = 0): string {
  const more = all.length - NAMED;
  const left = unnamed + Math.max(more, 0);
  return `${all.slice(0, NAMED).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}
