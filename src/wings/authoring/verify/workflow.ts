import { transitionWorkflow } from '../../../machine/workflow.js';
import type { WorkflowEvent, WorkflowPosition } from '../../../machine/workflow-program.js';
import type { ResolvedWorkflow } from '../../../recipe/captured.js';
import { ChoiceEnumerator } from './chance.js';
import { type Condition, findValues, type Value } from './values.js';

/** The possible outcomes of a phase. */
export interface PhaseOutcomes {
  completed: boolean;
  /** Whether it can halt other than by a choice. */
  halted: boolean;
  /** Whether a choice can halt it. */
  stopped: boolean;
  /** Actions on its longest path; null if unknown. */
  actions: number | null;
  states: number;
  transitions: number;
}

/** The result of exploring a workflow, including its phases. */
export interface ExploredWorkflow {
  states: number;
  transitions: number;
  actions: number | null;
  /** False if the exploration is incomplete. */
  whole: boolean;
  /** The phases that were begun on some path. */
  opened: ReadonlySet<number>;
  /** Whether some path completes the workflow. */
  completed: boolean;
  /** The workflow's positions, by the names that `keyPosition` gives. */
  known: ReadonlySet<string>;
}

/** Maximum number of states. Workflows seldom reach it, since a phase may restart at most twenty times. */
const MOST = 5_000;

/** A position of the workflow, with the values that later phases read. */
interface Stand {
  position: WorkflowPosition;
  /** The index of each value's candidate; -1 if the value has not been read. */
  world: readonly number[];
}

/**
 * Explores a workflow with its own transition function. Each phase is a child machine that was explored before; its
 * outcomes are the workflow's events (authoring.md, Verify).
 */
export function exploreWorkflow(workflow: ResolvedWorkflow, outcomes: readonly PhaseOutcomes[]): ExploredWorkflow {
  const needy = workflow.phases.some(({ recipe }) => recipe.needs !== undefined);
  const plain = new WorkflowExplorer(workflow, outcomes, false);
  const all = needy ? [plain, new WorkflowExplorer(workflow, outcomes, true)] : [plain];
  const actions = all.map((one) => one.explore());
  return {
    states: Math.max(...all.map(({ states }) => states)),
    transitions: Math.max(...all.map(({ transitions }) => transitions)),
    actions: actions.reduce((most, one) => (most === null || one === null ? null : Math.max(most, one))),
    whole: all.every(({ whole }) => whole),
    opened: new Set(all.flatMap(({ opened }) => [...opened])),
    completed: all.some(({ completed }) => completed),
    known: new Set(all.flatMap(({ known }) => [...known])),
  };
}

class WorkflowExplorer {
  states = 0;
  transitions = 0;
  whole = true;
  completed = false;
  readonly opened = new Set<number>();
  readonly known = new Set<string>();
  readonly #values: readonly Value[];
  readonly #conditions: ReadonlyMap<string, Condition>;
  readonly #longest = new Map<string, number | null>();

  /** @param lacking whether to assume that everything that phases need is missing */
  constructor(
    readonly workflow: ResolvedWorkflow,
    readonly outcomes: readonly PhaseOutcomes[],
    readonly lacking: boolean,
  ) {
    const { phases, mode, vars, preferences } = workflow;
    const found = findValues(
      { blocks: [], mode, vars, preferences },
      phases.flatMap(({ when }) => when ?? []),
    );
    this.#values = found.values;
    this.#conditions = found.conditions;
  }

  /** Returns the number of actions on the longest path; null if unknown. */
  explore(): number | null {
    const position = { status: 'ready', phase: 0, retries: this.outcomes.map(() => 0) } as const;
    return this.#visit({ position, world: this.#values.map(() => -1) });
  }

  #visit({ position, world }: Stand): number | null {
    const { status, phase } = position;
    const at = keyPosition(position);
    const key = `${at} ${world.join()}`;
    const before = this.#longest.get(key);
    if (before !== undefined) return before;
    if (this.#longest.size >= MOST) {
      this.whole = false;
      return null;
    }
    this.known.add(at);
    const own = status === 'running' ? this.outcomes[phase] : undefined;
    if (own !== undefined) this.opened.add(phase);
    this.completed ||= status === 'completed';
    this.#longest.set(key, 0);
    const onward = listEvents(position, own).flatMap((event) => this.#take({ position, world }, event));
    this.states += own?.states ?? 1;
    this.transitions += onward.length + (own?.transitions ?? 0);
    const length = addLongest(
      own === undefined ? 0 : own.actions,
      onward.map((next) => this.#visit(next)),
    );
    this.#longest.set(key, length);
    return length;
  }

  /** Returns the results of an event, one for each combination of values that conditions read. */
  #take({ position, world }: Stand, event: WorkflowEvent): Stand[] {
    const chance = new ChoiceEnumerator();
    const reached: Stand[] = [];
    do {
      const known = [...world];
      const holds = (source: string) => {
        const { looksAt = [], holdsAt } = this.#conditions.get(source) ?? {};
        for (const at of looksAt) if (known[at] === -1) known[at] = chance.pick(this.#values[at]?.values.length ?? 1);
        return holdsAt?.(looksAt.map((at) => known[at] ?? 0)) === true;
      };
      const lacks = (phase: number) => this.lacking && this.workflow.phases[phase]?.recipe.needs !== undefined;
      const next = transitionWorkflow(this.workflow, position, event, { holds, lacks }).position;
      reached.push({ position: next, world: this.#forget(known, next) });
      this.whole &&= reached.length < MOST;
    } while (this.whole && chance.next());
    return reached;
  }

  /** Keeps only the values that the current or a later phase reads. */
  #forget(world: readonly number[], { status, phase }: WorkflowPosition): number[] {
    const later = status === 'running' ? this.workflow.phases.slice(phase) : [];
    const asked = new Set(later.flatMap(({ when }) => this.#conditions.get(when ?? '')?.looksAt ?? []));
    return world.map((value, at) => (asked.has(at) ? value : -1));
  }
}

/** Returns a key that is equal for equal positions. */
export function keyPosition({ status, phase, retries }: WorkflowPosition): string {
  return `${status} ${phase} ${retries.join()}`;
}

function addLongest(here: number | null, lengths: readonly (number | null)[]): number | null {
  return lengths.reduce<number | null>(
    (most, length) => (most === null || length === null || here === null ? null : Math.max(most, here + length)),
    here,
  );
}

/** Lists the events that the work of a phase can cause; reopening and aborting are up to the agent or person. */
function listEvents({ status }: WorkflowPosition, own: PhaseOutcomes | undefined): WorkflowEvent[] {
  if (status === 'ready') return [{ type: 'START' }];
  if (status !== 'running' || own === undefined) return [];
  return [
    ...(own.completed ? [{ type: 'PHASE_COMPLETED' } as const] : []),
    ...(own.halted ? [{ type: 'PHASE_HALTED', binding: false } as const] : []),
    ...(own.stopped ? [{ type: 'PHASE_HALTED', binding: true } as const] : []),
  ];
}
