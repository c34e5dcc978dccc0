import { isRecord, isSameJson } from '../../base/json.js';
import type { PlanContent } from '../model/schema.js';

/** Merges two independent edits of one plan (living-plan.md, plan edit). */

/** A part of a plan that both edits changed. */
interface MergeConflict {
  /** The part, such as `todo-1 title`. */
  target: string;
  problem: string;
}

/** The merged plan, or the conflicts that prevent a merge. */
export type MergeResult =
  | { kind: 'merged'; plan: PlanContent }
  | { kind: 'conflict'; conflicts: readonly [MergeConflict, ...MergeConflict[]] };

type Fields = Readonly<Record<string, unknown>>;
type NameOf = (entry: Fields) => string;

/** The lists that are merged entry by entry, with functions that name an entry. Any other list is merged as a whole. */
const NAMES: Readonly<Record<string, NameOf>> = {
  todos: ({ id }) => String(id),
  requirements: ({ id }) => String(id),
  acceptance: ({ id }) => String(id),
  inputs: ({ name }) => String(name),
  outputs: ({ name }) => String(name),
  commits: ({ afterTodo }) => String(afterTodo),
};

const BOTH = 'changed in both, but differently';

/**
 * Merges two edits of a plan. A part that only one of them changed is taken from that edit.
 * @param base the plan from which both edits started
 * @param mine one of the edits. If both add entries at the same place of a list, its entries come after those of
 * `theirs`, unless `mine` has also reordered the list; then they come first.
 */
export function mergePlans(base: PlanContent, mine: PlanContent, theirs: PlanContent): MergeResult {
  const conflicts: MergeConflict[] = [];
  const plan = mergeFields(base, mine, theirs, '', conflicts);
  const [first, ...more] = conflicts;
  // Every part comes from one of two valid plans, so the merged value has the type of a plan.
  return first === undefined ? { kind: 'merged', plan: plan as unknown as PlanContent } : conflict([first, ...more]);
}

const conflict = (conflicts: [MergeConflict, ...MergeConflict[]]): MergeResult => ({ kind: 'conflict', conflicts });

function mergeFields(base: Fields, mine: Fields, theirs: Fields, place: string, conflicts: MergeConflict[]): Fields {
  const keys = new Set([...Object.keys(theirs), ...Object.keys(mine)]);
  const merged = [...keys].map((key) => {
    const sides = [base[key], mine[key], theirs[key]] as const;
    return [key, mergeValue(key, sides, place === '' ? key : `${place} ${key}`, conflicts)] as const;
  });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

type Sides = readonly [base: unknown, mine: unknown, theirs: unknown];

function mergeValue(key: string, [base, mine, theirs]: Sides, target: string, conflicts: MergeConflict[]): unknown {
  if (isSameJson(mine, base) || isSameJson(mine, theirs)) return theirs;
  if (isSameJson(theirs, base)) return mine;
  const nameOf = NAMES[key];
  if (nameOf !== undefined && (base === undefined || isList(base)) && isList(mine) && isList(theirs))
    return mergeEntries(key, nameOf, [base ?? [], mine, theirs], target, conflicts);
  if (isRecord(base) && isRecord(mine) && isRecord(theirs)) return mergeFields(base, mine, theirs, target, conflicts);
  conflicts.push({ target, problem: BOTH });
  return theirs;
}

const isList = (value: unknown): value is readonly Fields[] => Array.isArray(value) && value.every(isRecord);

type Lists = readonly [base: readonly Fields[], mine: readonly Fields[], theirs: readonly Fields[]];

function mergeEntries(key: string, nameOf: NameOf, lists: Lists, target: string, conflicts: MergeConflict[]): Fields[] {
  const [base, mine, theirs] = lists.map((list) => new Map(list.map((entry) => [nameOf(entry), entry])));
  if (base === undefined || mine === undefined || theirs === undefined) return [];
  const merged = new Map<string, Fields>();
  for (const name of new Set([...theirs.keys(), ...mine.keys()])) {
    const place = key === 'todos' ? name : `${target} ${name}`;
    const entry = mergeEntry(key, [base.get(name), mine.get(name), theirs.get(name)], place, conflicts);
    if (entry !== undefined) merged.set(name, entry);
  }
  const order = orderNames([...base.keys()], [...mine.keys()], [...theirs.keys()]);
  if (order === null) conflicts.push({ target, problem: 'reordered in both' });
  return (order ?? [...merged.keys()]).map((name) => merged.get(name)).filter((entry) => entry !== undefined);
}

function mergeEntry(
  key: string,
  [base, mine, theirs]: readonly (Fields | undefined)[],
  target: string,
  conflicts: MergeConflict[],
): Fields | undefined {
  if (isSameJson(mine, base) || isSameJson(mine, theirs)) return theirs;
  if (isSameJson(theirs, base)) return mine;
  if (mine === undefined || theirs === undefined) {
    conflicts.push({ target, problem: 'removed in one and changed in the other' });
    return undefined;
  }
  if (base !== undefined && key === 'todos') return mergeFields(base, mine, theirs, target, conflicts);
  conflicts.push({ target, problem: base === undefined ? 'added in both, but differently' : BOTH });
  return theirs;
}

/** Merges the orders of both lists of names. Returns null if both edits reordered the old names, in different ways. */
function orderNames(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] | null {
  const stays = new Set(base.filter((name) => mine.includes(name) && theirs.includes(name)));
  const keep = (names: readonly string[]) => names.filter((name) => stays.has(name)).join('\n');
  const isMineMoved = keep(mine) !== keep(base);
  if (isMineMoved && keep(theirs) !== keep(base) && keep(mine) !== keep(theirs)) return null;
  const [leading, following] = isMineMoved ? [mine, theirs] : [theirs, mine];
  const order = [...leading];
  for (const [index, name] of following.entries()) {
    if (order.includes(name)) continue;
    const before = following.slice(0, index).findLast((each) => order.includes(each));
    let at = before === undefined ? 0 : order.indexOf(before) + 1;
    // Skips entries that the other side has added at this place.
    while (at < order.length && !base.includes(order[at] ?? '') && !following.includes(order[at] ?? '')) at += 1;
    order.splice(at, 0, name);
  }
  return order;
}
