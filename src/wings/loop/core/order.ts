import { DevCliError } from '../../../base/errors.js';
import { type LoopGoal, listGoals } from '../goals.js';

/** Chooses and orders the goals of a batch (loop-core.md, auto). Pure. */

/** A goal with its depth in the tree. */
export interface PlacedGoal {
  goal: LoopGoal;
  depth: number;
}

/** Lists all goals, each after its parent. */
export function placeGoals(goals: readonly LoopGoal[], depth = 0): PlacedGoal[] {
  return goals.flatMap((goal) => [{ goal, depth }, ...placeGoals(goal.children, depth + 1)]);
}

/** The options that choose goals. */
export interface GoalSelection {
  /** A goal by name. */
  named?: string | undefined;
  recursive: boolean;
  /** The goal of the newest handoff. */
  newest: string | null;
}

/**
 * Chooses the goals of a batch, in the order in which they are begun.
 * @throws DevCliError `GOAL_REFUSED` if the named goal cannot be run, or a chosen goal depends on one that is neither
 * done nor chosen
 */
export function chooseGoals(goals: readonly LoopGoal[], { named, recursive, newest }: GoalSelection): LoopGoal[] {
  const all = listGoals(goals);
  const root = named === undefined ? null : requireKnown(all, named);
  const within = root === null ? placeGoals(goals) : placeGoals([root]);
  const ordered = sortGoals(within, newest).filter((goal) => findRefusal(goal) === null);
  const one = ordered.find((goal) => findUndone(goal, all) === null) ?? ordered[0];
  const chosen = recursive ? ordered : root === null ? (one === undefined ? [] : [one]) : [requireRunnable(root)];
  requireDependencies(all, chosen);
  return sortByDependency(chosen);
}

/** Lists all goals in the order in which they are assigned. @param newest the goal of the newest handoff */
export function orderGoals(goals: readonly LoopGoal[], newest: string | null): LoopGoal[] {
  return sortByDependency(sortGoals(placeGoals(goals), newest));
}

/** Returns why a goal is not run; null if it may be run. */
export function findRefusal({ status, mode, children }: LoopGoal): string | null {
  if (children.length > 0) return 'it is divided into other goals';
  if (mode === 'interactive') return 'its mode is interactive: it is for a person';
  return status === 'active' ? null : `its status is ${status}`;
}

/** Finds an unfinished dependency of a goal; null if all are done. */
export function findUndone(goal: LoopGoal, all: readonly LoopGoal[]): string | null {
  const statuses = new Map(all.map(({ id, status }) => [id, status]));
  return goal.depends_on.find((id) => statuses.get(id) !== 'done') ?? null;
}

/** Sorts goals: first the goal of the newest handoff, then goals deeper in the tree, then in the order of the file. */
function sortGoals(goals: readonly PlacedGoal[], newest: string | null): LoopGoal[] {
  const rank = ({ goal: { id } }: PlacedGoal): number => (id === newest ? 0 : 1);
  return [...goals].sort((a, b) => rank(a) - rank(b) || b.depth - a.depth).map(({ goal }) => goal);
}

/** Moves goals behind those that they depend on, and keeps the order otherwise. */
function sortByDependency(goals: readonly LoopGoal[]): LoopGoal[] {
  const left = [...goals];
  const sorted: LoopGoal[] = [];
  while (left.length > 0) {
    const waiting = new Set(left.map(({ id }) => id));
    const at = left.findIndex(({ depends_on: needs }) => needs.every((id) => !waiting.has(id)));
    sorted.push(...left.splice(Math.max(0, at), 1));
  }
  return sorted;
}

function requireKnown(all: readonly LoopGoal[], id: string): LoopGoal {
  const found = all.find((goal) => goal.id === id);
  if (found !== undefined) return found;
  throw goalRefusedError(id, 'there is no such goal', 'Name a goal of .ai/goals.yaml; dev-cli observe lists them.');
}

function requireRunnable(goal: LoopGoal): LoopGoal {
  const why = findRefusal(goal);
  if (why === null) return goal;
  const fix = why.includes('divided')
    ? 'Add --recursive, or name one of the goals below it.'
    : 'Set its status to active in .ai/goals.yaml, or name another goal.';
  throw goalRefusedError(goal.id, why, fix);
}

/** Requires that every dependency is done or also chosen. Unknown dependencies and cycles were rejected on reading. */
function requireDependencies(all: readonly LoopGoal[], chosen: readonly LoopGoal[]): void {
  const ids = new Set(chosen.map(({ id }) => id));
  for (const goal of chosen) {
    const missing = goal.depends_on.find(
      (id) => !ids.has(id) && findUndone({ ...goal, depends_on: [id] }, all) !== null,
    );
    if (missing !== undefined)
      throw goalRefusedError(
        goal.id,
        `it depends on ${missing}, which is neither done nor among the chosen goals`,
        `Have ${missing} done first, or make it active and choose it, too: --recursive.`,
      );
  }
}

/** Builds the refusal of a goal. @param why a clause that follows "cannot be run:" */
export function goalRefusedError(goal: string, why: string, fix: string): DevCliError {
  return new DevCliError('GOAL_REFUSED', `The goal "${goal}" cannot be run: ${why}.`, {
    details: [{ target: goal, problem: why }],
    fix,
  });
}
