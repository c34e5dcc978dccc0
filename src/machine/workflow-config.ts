import type { Named } from './machine-config.js';
import type { WorkflowEffect, WorkflowProgram } from './workflow-program.js';

/** The guards of transitions. */
export type PhaseGuard = Named<
  /** Something that the phase's recipe needs is not available. */
  | { type: 'lacks'; phase: number }
  /** The phase's condition is false. */
  | { type: 'unmet'; when: string; of: string }
  /** The run has to halt regardless of the error policy. */
  | { type: 'binding' }
  | { type: 'retriesLeft'; phase: number; max: number }
>;

/** The actions of transitions. All become effects except `retry`, which increments the phase's retries. */
export type PhaseAction = Named<WorkflowEffect | { type: 'retry'; phase: number }>;

interface PhaseTransition {
  target: string;
  guard?: PhaseGuard;
  actions: PhaseAction[];
}

interface PhaseState {
  type?: 'final';
  always?: PhaseTransition[];
  on?: Partial<Record<string, PhaseTransition[]>>;
}

/** An XState v5 machine configuration that is plain JSON. */
export interface WorkflowConfig {
  id: 'workflow';
  initial: 'ready';
  states: Record<string, PhaseState>;
  options: { maxIterations: number };
}

/** Aborts the run from any resting state. */
const ABORT: PhaseTransition[] = [{ target: '#workflow.aborted', actions: [buildEnd('aborted')] }];

/**
 * Compiles a workflow to a plain-JSON XState configuration (house.md, XState; recipes.md §4). Each phase N has three
 * states: `entering-N` decides whether it begins, `running-N` waits for its end, and from `halted-N` it can be
 * reopened. `ready` precedes the first phase; `completed` and `aborted` are final. Guards and actions are names with
 * params, which workflow.ts implements.
 */
export function compileWorkflow(program: WorkflowProgram): WorkflowConfig {
  const phases = program.phases.flatMap((_, phase) => buildPhaseStates(program, phase));
  return {
    id: 'workflow',
    initial: 'ready',
    states: {
      ready: { on: { START: [buildOnward(program, 0, [])], ABORT } },
      ...Object.fromEntries(phases),
      completed: { type: 'final' },
      aborted: { type: 'final' },
    },
    // One event takes a step for each skipped phase, plus a few at the beginning and the end.
    options: { maxIterations: program.phases.length + 10 },
  };
}

function buildPhaseStates(program: WorkflowProgram, phase: number): [string, PhaseState][] {
  const when = program.phases[phase]?.when;
  const skip = buildOnward(program, phase + 1, [{ type: 'skip', params: { phase } }]);
  const open: PhaseTransition = {
    target: targetInside('running', phase),
    actions: [{ type: 'open', params: { phase } }],
  };
  return [
    [
      `entering-${phase}`,
      {
        always: [
          { ...skip, guard: { type: 'lacks', params: { phase } } },
          ...(when === undefined
            ? []
            : [{ ...skip, guard: { type: 'unmet', params: { when, of: String(phase) } } as const }]),
          open,
        ],
      },
    ],
    [
      `running-${phase}`,
      {
        on: {
          PHASE_COMPLETED: [buildOnward(program, phase + 1, [buildClose(phase, 'done')])],
          PHASE_HALTED: [
            { ...buildHalt(phase), guard: { type: 'binding', params: {} } },
            ...buildAfterHalt(program, phase),
          ],
          ABORT,
        },
      },
    ],
    [
      `halted-${phase}`,
      {
        on: {
          REOPEN: [{ target: targetInside('running', phase), actions: [{ type: 'reopen', params: { phase } }] }],
          ABORT,
        },
      },
    ],
  ];
}

/** Builds the transitions that apply the error policy after a phase has halted. */
function buildAfterHalt(program: WorkflowProgram, phase: number): PhaseTransition[] {
  const { errorPolicy } = program;
  switch (errorPolicy.kind) {
    case 'halt':
      return [buildHalt(phase)];
    case 'skip':
      return [buildOnward(program, phase + 1, [buildClose(phase, 'failed')])];
    case 'retry': {
      const { max } = errorPolicy;
      return [
        {
          // The phase's condition was true when the phase began, and is not evaluated again.
          target: targetInside('running', phase),
          guard: { type: 'retriesLeft', params: { phase, max } },
          actions: [
            { type: 'retry', params: { phase } },
            { type: 'repeat', params: { phase, max } },
            { type: 'open', params: { phase } },
          ],
        },
        buildHalt(phase),
      ];
    }
  }
}

/** Builds the transition to a phase, or to the end of the run after the last phase. */
function buildOnward({ phases }: WorkflowProgram, phase: number, actions: PhaseAction[]): PhaseTransition {
  if (phase < phases.length) return { target: targetInside('entering', phase), actions };
  return { target: '#workflow.completed', actions: [...actions, buildEnd('completed')] };
}

function buildHalt(phase: number): PhaseTransition {
  return { target: targetInside('halted', phase), actions: [buildEnd('halted')] };
}

function buildClose(phase: number, status: 'done' | 'failed'): PhaseAction {
  return { type: 'close', params: { phase, status } };
}

function buildEnd(outcome: Extract<WorkflowEffect, { type: 'end' }>['outcome']): PhaseAction {
  return { type: 'end', params: { outcome } };
}

function targetInside(state: 'entering' | 'running' | 'halted', phase: number): string {
  return `#workflow.${state}-${phase}`;
}
