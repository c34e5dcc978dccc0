import { assign, setup, transition } from 'xstate';
import { DevCliError } from '../base/errors.js';
import { runUnwrapped } from './transition.js';
import { compileWorkflow, type PhaseAction, type PhaseGuard, type WorkflowConfig } from './workflow-config.js';
import type {
  PhaseConditions,
  WorkflowEffect,
  WorkflowEvent,
  WorkflowPosition,
  WorkflowProgram,
  WorkflowStep,
} from './workflow-program.js';

/** The context of the machine; a position keeps only its retries. */
interface Context {
  retries: readonly number[];
  conditions: PhaseConditions;
}

type Facts = { context: Context; event: WorkflowEvent };

const guards: {
  [K in PhaseGuard['type']]: (facts: Facts, params: Extract<PhaseGuard, { type: K }>['params']) => boolean;
} = {
  lacks: ({ context }, { phase }) => context.conditions.lacks(phase),
  unmet: ({ context }, { when, of }) => !context.conditions.holds(when, of),
  binding: ({ event }) => event.type === 'PHASE_HALTED' && event.binding,
  retriesLeft: ({ context }, { phase, max }) => (context.retries[phase] ?? 0) < max,
};

/** Implements the actions that become effects. Does nothing, because the caller carries out the effects. */
function doNothing<K extends WorkflowEffect['type']>(
  _facts: Facts,
  _params: Extract<PhaseAction, { type: K }>['params'],
) {}

function createWorkflowMachine(config: WorkflowConfig) {
  return setup({
    types: {} as { context: Context; events: WorkflowEvent; input: Context },
    guards,
    actions: {
      retry: assign(({ context }: { context: Context }, { phase }: { phase: number }) => ({
        retries: context.retries.map((retries, index) => (index === phase ? retries + 1 : retries)),
      })),
      skip: doNothing<'skip'>,
      close: doNothing<'close'>,
      repeat: doNothing<'repeat'>,
      open: doNothing<'open'>,
      reopen: doNothing<'reopen'>,
      end: doNothing<'end'>,
    },
  }).createMachine({ ...config, context: ({ input }) => input });
}

/**
 * Applies an event to a workflow. Pure: changes no argument, and gives the same step for the same arguments and the
 * same results of `conditions` (recipes.md §4).
 * @throws DevCliError `INTERNAL` for an event that the position does not allow; any error of `conditions`
 */
export function transitionWorkflow(
  program: WorkflowProgram,
  position: WorkflowPosition,
  event: WorkflowEvent,
  conditions: PhaseConditions,
): WorkflowStep {
  const machine = createWorkflowMachine(compileWorkflow(program));
  return runUnwrapped(conditions.holds, (holds) => {
    const snapshot = machine.resolveState({
      value: getState(position),
      context: { retries: position.retries, conditions: { ...conditions, holds } },
    });
    const [next, actions] = transition(machine, snapshot, event);
    // Every transition has an effect, so no effect means that no transition was possible.
    if (actions.length === 0) throw buildImpossibleError(position, event);
    const effects = (actions as { type: string; params: object }[]).map(
      ({ type, params }) => ({ type, ...params }) as WorkflowEffect,
    );
    return { position: readPosition(next.value as string, position.phase, next.context.retries), effects };
  });
}

/** Returns the state of the machine at a position. */
function getState({ status, phase }: WorkflowPosition): string {
  return status === 'running' || status === 'halted' ? `${status}-${phase}` : status;
}

function readPosition(state: string, before: number, retries: readonly number[]): WorkflowPosition {
  const [status, phase] = state.split('-');
  return {
    status: status as WorkflowPosition['status'],
    phase: phase === undefined ? before : Number(phase),
    retries,
  };
}

function buildImpossibleError({ status, phase }: WorkflowPosition, event: WorkflowEvent): DevCliError {
  return new DevCliError('INTERNAL', `The workflow cannot take ${event.type}: it is ${status} at phase ${phase}.`);
}
