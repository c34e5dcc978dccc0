import { alignEntries, type KeyedEntry, mergeValues, type PlacedValue } from '../changes/align.js';
import type { Notes } from './fault.js';

/** An entry of a list or a table of PLAN.md. */
export interface PlanEntry extends KeyedEntry {
  line: number;
}

/** A list of a plan: its values in plan-content.json, and its entries in PLAN.md before and after an edit. */
export interface ShownList<V, I extends PlanEntry> {
  old: readonly V[];
  /** The indexes of the values that PLAN.md shows, in the order shown. If left out, it shows all values in order. */
  shown?: readonly number[];
  /** The entries as rendered. */
  before: readonly I[];
  /** The entries as edited. */
  after: readonly I[];
  /** The name of the list in messages. */
  name: string;
  /** Whether names are ids, which have to be unique. */
  isUnique?: boolean;
}

/**
 * Applies the edits to a list. An unchanged entry keeps its value.
 * @param read returns the value of an entry, or null after it has refused the entry
 */
export function applyList<V, I extends PlanEntry>(
  { old, shown = [...old.keys()], before, after, name, isUnique = false }: ShownList<V, I>,
  notes: Notes,
  read: (item: I, was: { value: V; item: I } | null) => V | null,
): PlacedValue<V>[] {
  const isSame = before.length === after.length && before.every(({ key }, index) => key === after[index]?.key);
  if (before.length !== shown.length) {
    // The number of entries is wrong only if a value's text broke the Markdown of the list when it was rendered.
    const line = after.find(({ key }, index) => key !== before[index]?.key)?.line ?? after.at(-1)?.line ?? 1;
    if (!isSame) notes.refuse(line, `${name} cannot be distinguished here: change them in plan-content.json`);
    return old.map((value, from) => ({ value, line: null, from }));
  }
  if (isUnique) refuseDoubled(before, after, notes);
  const found = isSame ? after.map((_, index) => index) : alignEntries(before, after);
  const edited = after.flatMap((item, index) => {
    const from = found[index] ?? null;
    const [was, value] = from === null ? [] : [before[from], old[shown[from] ?? -1]];
    if (was === undefined || value === undefined) {
      const made = read(item, null);
      return made === null ? [] : [{ value: made, line: item.line, from: null }];
    }
    const made = was.key === item.key ? value : read(item, { value, item: was });
    return made === null ? [] : [{ value: made, line: item.line, from }];
  });
  return mergeValues(old, shown, edited);
}

/** Refuses a repeated name, unless it was already repeated before the edit. */
function refuseDoubled(before: readonly PlanEntry[], after: readonly PlanEntry[], notes: Notes): void {
  const first = new Map<string, number>();
  const had = before.map(({ name }) => name);
  for (const { name, line } of after) {
    if (typeof name !== 'string') continue;
    const there = first.get(name);
    if (there === undefined) first.set(name, line);
    else if (had.indexOf(name) === had.lastIndexOf(name))
      notes.refuse(line, `${name} is already taken by line ${there}`);
  }
}

/** Returns the values of a list, and records the line of each for later findings. */
export function noteLines<V>(placed: readonly PlacedValue<V>[], pointer: string, notes: Notes): V[] {
  for (const [index, { line }] of placed.entries()) if (line !== null) notes.place(`${pointer}/${index}`, line);
  return placed.map(({ value }) => value);
}
