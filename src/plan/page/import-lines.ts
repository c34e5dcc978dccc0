/** Words for what an import did not find, which later changes parse (plans-from-elsewhere.md, plan import). */

/** The beginning of a line about what the source of an import does not say. */
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

/** Lists names; of many, only the first ones and the number of the others. */
export function joinSome(all: readonly string[], unnamed = 0): string {
  const more = all.length - NAMED;
  const left = unnamed + Math.max(more, 0);
  return `${all.slice(0, NAMED).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}
