import type { CapturedRecipe } from '../recipe/captured.js';
import type { ResolvedRecipe } from '../recipe/resolved.js';
import type { RunEngine } from '../run/engine.js';
import type { RecipeState } from '../run/recipe-state.js';
import type { RunState } from '../run/state.js';
import { toTodoStanding } from './execution.js';
import type { SignName } from './signs.js';
import { STAGE_NAMES } from './status-tree.js';
import type { RowSegment, Segment } from './timeline-work.js';

/** A row: a step of a recipe, a todo, or a stage of the execution as a whole. */
export interface TimelineRow {
  /** In a workflow, the id of a step begins with its phase. */
  id: string;
  title: string;
  kind: 'step' | 'todo' | 'stage';
  state: Exclude<SignName, 'held'>;
  /** The todos that must be done first. */
  after: readonly string[];
  /** The depth of a todo in the dependency graph, from 0; null for other rows. */
  wave: number | null;
  attempts: number;
  commit: string | null;
  /** Why the work failed or was attempted again. */
  why: string | null;
  /** The periods of work on the row, in the order in which they began. */
  segments: Segment[];
}

/** The stages of an execution that come before its todos. */
const BEFORE = ['approvePlan', 'approveCommands', 'stateBegin'];

/** Returns the row id of a step; in a workflow with its phase, since two phases may have blocks of the same name. */
export function nameStep(phase: string | null, block: string): string {
  return phase === null ? block : `${phase}/${block}`;
}

/** Builds the rows in the order of recipe and plan; rows known to neither come last. */
export function buildRows(
  captured: CapturedRecipe | null,
  state: RunState | null,
  work: readonly RowSegment[],
): TimelineRow[] {
  const left = new Map<string, RowSegment[]>();
  for (const one of work) {
    const own = left.get(one.row);
    if (own === undefined) left.set(one.row, [one]);
    else own.push(one);
  }
  const build = (of: Pick<TimelineRow, 'id' | 'kind'> & Partial<TimelineRow>): TimelineRow => {
    const own = left.get(of.id) ?? [];
    left.delete(of.id);
    return buildRow(of, own);
  };
  const rows = listPhases(captured, state).flatMap(({ phase, recipe, steps, engine, isSkipped }) => {
    const titles = new Map(recipe?.blocks.map(({ id, title }) => [id, title]));
    const blocks = recipe?.blocks.filter(({ kind }) => kind !== 'engine').map(({ id }) => id) ?? Object.keys(steps);
    return [
      ...blocks.map((block) => {
        const now = isSkipped ? 'skipped' : (steps[block]?.status ?? 'pending');
        return build({ id: nameStep(phase, block), kind: 'step', title: titles.get(block) ?? block, state: now });
      }),
      ...(engine === null ? [] : buildEngineRows(engine, recipe, (id) => left.has(id), build)),
    ];
  });
  return [...rows, ...[...left.keys()].map((id) => build({ id, kind: 'step' }))];
}

/** A recipe of the run, with the state of its steps and execution. */
interface Phase {
  phase: string | null;
  recipe: ResolvedRecipe | null;
  steps: RecipeState['steps'];
  engine: RunEngine | null;
  isSkipped: boolean;
}

function listPhases(captured: CapturedRecipe | null, state: RunState | null): Phase[] {
  const none = { steps: {}, engine: null };
  if (captured?.workflow === undefined)
    return [{ ...pick(state ?? none), phase: null, recipe: captured?.recipe ?? null, isSkipped: false }];
  const { phases: rows = [], currentPhase, phaseIndex, earlier = [] } = state?.workflow ?? {};
  return captured.workflow.phases.map(({ name, recipe }, index) => {
    const isHere = currentPhase === name || (currentPhase === null && phaseIndex === index);
    const isSkipped = rows[index]?.status === 'skipped';
    const known = (isHere ? state : earlier.findLast(({ phase }) => phase === name)) ?? none;
    return { ...pick(isSkipped ? none : known), phase: name, recipe, isSkipped };
  });
}

const pick = ({ steps, engine }: Pick<RecipeState, 'steps' | 'engine'>) => ({ steps, engine });

function buildEngineRows(
  engine: RunEngine,
  recipe: ResolvedRecipe | null,
  isSeen: (id: string) => boolean,
  build: (of: Pick<TimelineRow, 'id' | 'kind'> & Partial<TimelineRow>) => TimelineRow,
): TimelineRow[] {
  const stage = (id: string) => ({ id, kind: 'stage' as const, title: STAGE_NAMES[id] ?? id });
  const waves = computeWaves(engine);
  const finals = recipe?.engine?.program.finalize ?? Object.keys(engine.finalize);
  return [
    ...BEFORE.filter(isSeen).map((id) => build(stage(id))),
    ...engine.order.flatMap((id) => {
      const todo = engine.todos[id];
      if (todo === undefined) return [];
      const { title, dependsOn: after, attempt: attempts, commit = null, why = null } = todo;
      const of = { id, kind: 'todo' as const, title, after, attempts, commit, why };
      return [build({ ...of, state: toTodoStanding(todo), wave: waves.get(id) ?? 0 })];
    }),
    ...finals.map((id) => build({ ...stage(id), state: engine.finalize[id]?.status ?? 'pending' })),
  ];
}

function buildRow(
  { id, kind, ...of }: Pick<TimelineRow, 'id' | 'kind'> & Partial<TimelineRow>,
  work: readonly RowSegment[],
): TimelineRow {
  const last = work.at(-1);
  const seen = last === undefined ? 'pending' : last.to === null ? 'running' : last.ok === false ? 'failed' : 'done';
  const { state = seen } = of;
  const isYours = state === 'running' && work.some(({ to, who }) => to === null && who === 'you');
  const attempts = work.reduce((most, { attempt = 1 }) => Math.max(most, attempt), 0);
  return {
    ...{ id, kind, title: id, after: [], wave: null, commit: null },
    attempts: kind === 'step' ? work.length : attempts,
    ...of,
    state: isYours ? 'waiting' : state,
    why: of.why ?? work.findLast(({ ok }) => ok === false)?.why ?? null,
    segments: work.map(({ row: _row, attempt: _attempt, why: _why, ...segment }) => segment),
  };
}

/**
 * Computes the depth of each todo in the dependency graph, from 0. An added todo without dependencies comes after the
 * todo that made it necessary or, without such a todo, last. Not recursive, because 10,000 todos may form one chain.
 */
function computeWaves({ order, todos }: Pick<RunEngine, 'order' | 'todos'>): Map<string, number> {
  const waves = new Map<string, number>();
  const before = (id: string): readonly string[] => {
    const { dependsOn = [], parent } = todos[id] ?? {};
    return (dependsOn.length > 0 || !parent ? dependsOn : [parent]).filter((one) => Object.hasOwn(todos, one));
  };
  const entered = new Set<string>();
  for (const first of order) {
    const open = entered.has(first) ? [] : [first];
    for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
      entered.add(id);
      const next = before(id).find((one) => !entered.has(one));
      if (next !== undefined) open.push(next);
      else {
        open.pop();
        waves.set(id, before(id).reduce((deepest, one) => Math.max(deepest, waves.get(one) ?? -1), -1) + 1);
      }
    }
  }
  // Of the todos still in the plan, only added ones have a body in the state, so `body` tells them apart.
  const last = order.filter((id) => todos[id]?.body !== undefined && !todos[id].gone && before(id).length === 0);
  const others = order.filter((id) => !last.includes(id));
  const deepest = others.reduce((most, id) => Math.max(most, waves.get(id) ?? 0), -1);
  for (const id of last) waves.set(id, deepest + 1);
  return waves;
}
