import { joinFirst } from '../../../base/words.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { ChangedPart, RunEngine } from '../../../run/engine.js';

/** The todos and requirements that a person has changed while the plan is carried out (living-plan.md, plan apply). */

/** How one change to the plan affects one todo or requirement. */
export type PartChange = Omit<ChangedPart, 'at'>;

/** Merges earlier and new changes, so that each part has one entry that says how it differs from the original plan. */
export function mergeChangedParts(
  known: readonly ChangedPart[],
  changes: readonly PartChange[],
  at: string,
): readonly ChangedPart[] {
  const merged = new Map(known.map((one) => [`${one.part} ${one.id}`, one]));
  for (const change of changes) {
    const key = `${change.part} ${change.id}`;
    const was = merged.get(key)?.how;
    // Deleting the entry before setting it again moves it to the end of the map, so that the newest change comes last.
    merged.delete(key);
    if (was === 'added' && change.how === 'withdrawn') continue;
    const how = was === 'added' ? 'added' : was === 'withdrawn' && change.how === 'added' ? 'changed' : change.how;
    merged.set(key, { ...change, how, at });
  }
  return [...merged.values()];
}

/** The kinds of changes in the order in which they are reported. */
const KINDS = ['withdrawn', 'changed', 'added'] as const satisfies readonly ChangedPart['how'][];

/** Maximum number of characters of a part's text in a line. */
const WORDS = 300;

/** Renders each changed part as a line, such as `withdrawn: r-4: its text`. */
export function renderChangedParts({ changed = [], todos }: Pick<RunEngine, 'changed' | 'todos'>): string[] {
  return KINDS.flatMap((kind) => {
    return changed
      .filter(({ how }) => how === kind)
      .map(({ id, text, part }) => {
        const isKept = kind === 'withdrawn' && part === 'todo' && todos[id]?.gone === true;
        return `${kind}${isKept ? ', though what was done for it stays' : ''}: ${id}: ${toBoundedLine(text, WORDS)}`;
      });
  });
}

/** How many parts a line of the report names. */
const NAMED = 10;

/** Renders a line of the report for each kind of change, with who made it and when. */
export function renderChangedKinds(
  { changed = [] }: Pick<RunEngine, 'changed'>,
  show: (at: string) => string,
): string[] {
  return KINDS.flatMap((kind) =>
    [undefined, true as const].flatMap((proposed) => {
      const parts = changed.filter((one) => one.how === kind && one.proposed === proposed);
      const instants = [...new Set(parts.map(({ at }) => show(at)))];
      const words = parts.map(({ id, text }) => `${id} (${toBoundedLine(text, WORDS)})`);
      const how = `${kind}${describeChangeAuthor(proposed)}`;
      return parts.length === 0 ? [] : [`${how}, ${joinFirst(instants, NAMED)}: ${joinFirst(words, NAMED)}`];
    }),
  );
}

/** Renders who made a change, to follow the kind of the change in a sentence. */
export function describeChangeAuthor(proposed: ChangedPart['proposed']): string {
  return proposed === true ? ', as the agent proposed and a person approved' : ' by a person';
}
