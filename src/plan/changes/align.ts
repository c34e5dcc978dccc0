/**
 * Aligns the entries of a list before and after an edit to PLAN.md, and puts the entries that PLAN.md does not show
 * back into the list.
 */

/** A list entry as PLAN.md shows it. */
export interface KeyedEntry {
  /** The text that PLAN.md shows for the entry; entries with equal keys look the same. */
  key: string;
  /** The id or name, which stays when the text changes. */
  name?: string | null;
}

/**
 * Finds, for each entry of `after`, the index of the same entry in `before`; null for a new entry. Matches equal
 * entries first, then entries with the same name, then entries next to matched ones.
 */
export function alignEntries(before: readonly KeyedEntry[], after: readonly KeyedEntry[]): (number | null)[] {
  const found: (number | null)[] = after.map(() => null);
  const free = new Set(before.keys());
  const take = (at: number, from: number | undefined) => {
    if (from === undefined || !free.delete(from)) return;
    found[at] = from;
  };
  // Matches equal entries in the same place first, so that an unmoved entry does not seem to have moved.
  const both = Math.min(before.length, after.length);
  let start = 0;
  for (; start < both && before[start]?.key === after[start]?.key; start += 1) take(start, start);
  for (let end = 1; end <= both - start && before.at(-end)?.key === after.at(-end)?.key; end += 1) {
    take(after.length - end, before.length - end);
  }
  takeBy(before, after, found, free, ({ key }) => key, take);
  takeBy(before, after, found, free, ({ name }) => name ?? null, take);
  for (const at of after.keys()) {
    if (found[at] !== null) continue;
    const previous = at === 0 ? -1 : found[at - 1];
    if (typeof previous === 'number') take(at, previous + 1);
  }
  for (let at = after.length - 1; at >= 0; at -= 1) {
    const next = at === after.length - 1 ? before.length : found[at + 1];
    if (found[at] === null && typeof next === 'number') take(at, next - 1);
  }
  return found;
}

function takeBy(
  before: readonly KeyedEntry[],
  after: readonly KeyedEntry[],
  found: readonly (number | null)[],
  free: ReadonlySet<number>,
  nameOf: (entry: KeyedEntry) => string | null,
  take: (at: number, from: number | undefined) => void,
): void {
  const places = new Map<string, number[]>();
  for (const from of free) {
    const name = nameOf(before[from] ?? { key: '' });
    if (name === null) continue;
    const known = places.get(name);
    if (known === undefined) places.set(name, [from]);
    else known.push(from);
  }
  for (const queue of places.values()) queue.reverse();
  for (const [at, entry] of after.entries()) {
    const name = found[at] === null ? nameOf(entry) : null;
    if (name !== null) take(at, places.get(name)?.pop());
  }
}

/** A value of a list, and the line of PLAN.md that states it, if known. */
export interface PlacedValue<V> {
  value: V;
  line: number | null;
  /** The value's index in the list before the edit; null for a new value. */
  from: number | null;
}

/**
 * Returns a list of the plan after an edit to PLAN.md. A value that PLAN.md does not show stays after the value that it
 * followed.
 * @param shown the indexes in `old` of the values that PLAN.md showed before the edit, in the order shown
 * @param edited the values shown after the edit; `from` is a value's index in `shown`, or null for a new value
 */
export function mergeValues<V>(
  old: readonly V[],
  shown: readonly number[],
  edited: readonly { value: V; line: number; from: number | null }[],
): PlacedValue<V>[] {
  const kept = edited.flatMap(({ from }) => from ?? []);
  const isOrdered = kept.every((from, index) => index === 0 || (kept[index - 1] ?? 0) < from);
  const placed = edited.map(({ from, ...entry }) => ({ ...entry, from: from === null ? null : (shown[from] ?? null) }));
  return isOrdered ? mergeInPlace(old, new Set(shown), placed) : mergeReordered(old, new Set(shown), placed);
}

type Edited<V> = { value: V; line: number; from: number | null };

/** Handles an edit that keeps the order: each new value follows the value that precedes it in PLAN.md. */
function mergeInPlace<V>(
  old: readonly V[],
  shown: ReadonlySet<number>,
  edited: readonly Edited<V>[],
): PlacedValue<V>[] {
  const at = new Map<number, PlacedValue<V>[]>();
  let open: PlacedValue<V>[] = [];
  let current: PlacedValue<V>[] | null = null;
  for (const entry of edited) {
    if (entry.from !== null) {
      current = [...open, entry];
      open = [];
      at.set(entry.from, current);
    } else (current ?? open).push(entry);
  }
  const merged = old.flatMap((value, index): PlacedValue<V>[] =>
    shown.has(index) ? (at.get(index) ?? []) : [{ value, line: null, from: index }],
  );
  return [...merged, ...open];
}

function mergeReordered<V>(
  old: readonly V[],
  shown: ReadonlySet<number>,
  edited: readonly Edited<V>[],
): PlacedValue<V>[] {
  const kept = new Set(edited.map(({ from }) => from));
  const hidden = new Map<number, PlacedValue<V>[]>([[-1, []]]);
  let anchor = -1;
  for (const [index, value] of old.entries()) {
    if (kept.has(index)) {
      anchor = index;
      hidden.set(anchor, []);
    } else if (!shown.has(index)) hidden.get(anchor)?.push({ value, line: null, from: index });
  }
  return [
    ...(hidden.get(-1) ?? []),
    ...edited.flatMap((entry) => [entry, ...(entry.from === null ? [] : (hidden.get(entry.from) ?? []))]),
  ];
}
