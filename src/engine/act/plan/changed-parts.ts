import { joinFirst } from '../../../base/words.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import type { ChangedPart, RunEngine } from '../../../run/engine.js';

/** The todos and requirements that a person has changed while the plan is carried out (living-plan.md, plan apply). */

/** What one change of the plan does to one part of it. */
export type PartChange = Omit<ChangedPart, 'at'>;

/** Joins what was changed before and what is changed now to what differs from the plan as it began. */
export function mergeChangedParts(
  known: readonly ChangedPart[],
  changes: readonly PartChange[],
  at: string,
): readonly ChangedPart[] {
  const merged = new Map(known.map((one) => [`${one.part} ${one.id}`, one]));
  for (const change of changes) {
    const key = `${change.part} ${change.id}`;
    const was = merged.get(key)?.how;
    // At the end of the list, where the latest stands.
    merged.delete(key);
    if (was === 'added' && change.how === 'withdrawn') continue;
    const how = was === 'added' ? 'added' : was === 'withdrawn' && change.how === 'added' ? 'changed' : change.how;
    merged.set(key, { ...change, how, at });
  }
  return [...merged.values()];
}

/** The kinds of changes, in the order in which they are told: what is not wanted any more comes first. */
const KINDS = ['withdrawn', 'changed', 'added'] as const satisfies readonly ChangedPart['how'][];

/** Characters of a part's words that a line shows. */
const WORDS = 300;

/** Renders each changed part as a line, such as `withdrawn: r-4: the words of it`. */
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

/** Parts that a line of the report names. */
const NAMED = 10;

/** Renders a line for each kind of change, with who and when, for the report. */
export function renderChangedKinds(
  { changed = [] }: Pick<RunEngine, 'changed'>,
  show: (at: string) => string,
): string[] {
  return KINDS.flatMap((kind) =>
    [undefined, true as const].flatMap((proposed) => {
      const parts = changed.filter((one) => one.how === kind && one.proposed === proposed);
      const instants = [...new Set(parts.map(({ at }) => show(at)))];
      const words = parts.map(({ id, text }) => `${id} (${toBoundedLine(text, WORDS)})`);
      const how = `${kind}${describeWho(proposed)}`;
      return parts.length === 0 ? [] : [`${how}, ${joinFirst(instants, NAMED)}: ${joinFirst(words, NAMED)}`];
    }),
  );
}

/** Whose change it is, behind what was done. */
export function describeWho(proposed: ChangedPart['proposed']): string {
  return proposed === true ? ', as the agent proposed and a person approved' : ' by a person';
}
