/** How PLAN.md says what a plan did not take from its source, so that a change of the plan can be told from it (plans-from-elsewhere.md, plan import). */

/** Begins a line about what the source of an import does not say. */
export const NOT_IN_SOURCE = 'Not in the source: ';

/** Stands for every todo that was imported. */
export const ALL_TODOS = 'all todos';

/** Fields of a todo in words. */
export const TODO_WORDS: Readonly<Record<string, string>> = {
  id: 'ids',
  title: 'titles',
  dependsOn: 'order',
  acceptance: 'proof',
};

/** Ids that a line names. */
const NAMED = 12;

/** Lists names, the first ones of many. */
export function listSome(all: readonly string[], unnamed = 0): string {
  const more = all.length - NAMED;
  const left = unnamed + Math.max(more, 0);
  return `${all.slice(0, NAMED).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}
