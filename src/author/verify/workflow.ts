import { transitionWorkflow } from '../../machine/workflow.js';
import type { WorkflowEvent, WorkflowPosition } from '../../machine/workflow-program.js';
import type { ResolvedWorkflow } from '../../recipe/resolved.js';
import { combine, findValues } from './values.js';

/** What a phase can come to. */
export interface PhaseOutcomes {
  completed: boolean;
  /** It can halt, and not because a person has stopped it. */
  halted: boolean;
  /** A person can stop it. */
  stopped: boolean;
  /** Actions on its longest way; null where that is not known. */
  actions: number | null;
  states: number;
  transitions: number;
}

/** What was explored of a workflow, its phases included. */
export interface ExploredWorkflow {
  states: number;
  transitions: number;
  actions: number | null;
  /** The phases that were begun on any way. */
  opened: ReadonlySet<number>;
  /** Whether it can be completed: on any way, and where no phase finds what it needs. */
  completed: boolean;
  completedWithout: boolean;
}

/** States at most: a phase may begin anew at most twenty times. */
const MOST = 5_000;

/**
 * Explores a workflow with its own transition function, each phase as the child machine that was explored before: what it can
 * come to is what can happen (authoring.md, Verify).
 */
export function exploreWorkflow(workflow: ResolvedWorkflow, outcomes: readonly PhaseOutcomes[]): ExploredWorkflow {
  const { phases, mode, vars, preferences } = workflow;
  const sources = phases.flatMap(({ when }) => when ?? []);
  const { values, conditions } = findValues({ blocks: [], mode, vars, preferences }, sources);
  const opened = new Set<number>();
  const found = { states: 0, transitions: 0, completed: false, completedWithout: false };
  const known = new Map<string, WorkflowPosition>();
  let actions: number | null = 0;
  const needy = phases.some(({ recipe }) => recipe.needs !== undefined);
  for (const given of combine(values.map((value) => value.values)).slice(0, 256)) {
    for (const lacking of needy ? [false, true] : [false]) {
      const step = (position: WorkflowPosition, event: WorkflowEvent) =>
        transitionWorkflow(workflow, position, event, {
          holds: (source) => {
            const condition = conditions.get(source);
            return condition?.holds(condition.looksAt.map((at) => given[at])) === true;
          },
          lacks: (phase) => lacking && phases[phase]?.recipe.needs !== undefined,
        }).position;
      const ways = walk(step, outcomes, known, found);
      for (const { phase } of ways.running) opened.add(phase);
      found.completed ||= ways.completed;
      if (lacking || !needy) found.completedWithout ||= ways.completed;
      actions = actions === null || ways.actions === null ? null : Math.max(actions, ways.actions);
    }
  }
  return { ...found, actions, opened };
}

interface Ways {
  running: WorkflowPosition[];
  completed: boolean;
  actions: number | null;
}

function walk(
  step: (position: WorkflowPosition, event: WorkflowEvent) => WorkflowPosition,
  outcomes: readonly PhaseOutcomes[],
  known: Map<string, WorkflowPosition>,
  found: { states: number; transitions: number },
): Ways {
  const keyOf = ({ status, phase, retries }: WorkflowPosition) => JSON.stringify([status, phase, retries]);
  const longest = new Map<string, number | null>();
  const running: WorkflowPosition[] = [];
  let completed = false;
  const visit = (position: WorkflowPosition): number | null => {
    const key = keyOf(position);
    const before = longest.get(key);
    if (before !== undefined) return before;
    if (longest.size >= MOST) return null;
    const own = position.status === 'running' ? outcomes[position.phase] : undefined;
    if (own !== undefined) running.push(position);
    completed ||= position.status === 'completed';
    longest.set(key, 0);
    const onward = listEvents(position, own).map((event) => step(position, event));
    if (!known.has(key)) {
      found.states += own?.states ?? 1;
      found.transitions += onward.length + (own?.transitions ?? 0);
    }
    known.set(key, position);
    const length = addLongest(own === undefined ? 0 : own.actions, onward.map(visit));
    longest.set(key, length);
    return length;
  };
  const actions = visit({ status: 'ready', phase: 0, retries: outcomes.map(() => 0) });
  return { running, completed, actions };
}

function addLongest(here: number | null, lengths: readonly (number | null)[]): number | null {
  return lengths.reduce<number | null>(
    (most, length) => (most === null || length === null || here === null ? null : Math.max(most, here + length)),
    here,
  );
}

/** What the work of a phase can make happen; to reopen or abort is whoever acts own wish. */
function listEvents({ status }: WorkflowPosition, own: PhaseOutcomes | undefined): WorkflowEvent[] {
  if (status === 'ready') return [{ type: 'START' }];
  if (status !== 'running' || own === undefined) return [];
  return [
    ...(own.completed ? [{ type: 'PHASE_COMPLETED' } as const] : []),
    ...(own.halted ? [{ type: 'PHASE_HALTED', binding: false } as const] : []),
    ...(own.stopped ? [{ type: 'PHASE_HALTED', binding: true } as const] : []),
  ];
}
