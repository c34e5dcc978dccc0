import { defined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { EngineProgram, StageActor } from '../../machine/engine-program.js';
import { createStepper, type MachineConfig, type StateNode } from './stepper.js';

/** What can happen to the run as a whole. */
export type RunStageEvent =
  /** The stage is over, or does not apply. */
  | 'PASS'
  /** Findings have become todos. */
  | 'FIX'
  /** The run cannot end well any more and goes on to the report. */
  | 'STOP'
  /** The run is reopened and begins with its first question again. */
  | 'REOPEN';

/** Who acts in a stage of the whole run, where it is not dev-cli. */
const ACTORS: Record<string, StageActor> = { approvePlan: 'human', approveCommands: 'human', codeReview: 'subagent' };

/** What a person is asked before anything begins. */
const QUESTIONS: readonly string[] = ['approvePlan', 'approveCommands'];

/** Returns who acts in a stage of the whole run. */
export function getStageActor(stage: string): StageActor {
  return ACTORS[stage] ?? 'cli';
}

/** The parent machine (house.md, XState): the questions, all todos as one state, the final stages. */
export function buildPhaseConfig({ finalize }: EngineProgram): MachineConfig {
  const order = [...QUESTIONS, 'stateBegin', 'todos', ...finalize, 'ended'];
  const states = order.map((stage, index): [string, StateNode] => {
    const last = stage === 'report' || stage === 'ended';
    const on = {
      ...defined({ PASS: order[index + 1] }),
      ...(stage === 'codeReview' || stage === 'finalVerify' ? { FIX: 'todos' } : {}),
      ...(last ? {} : { STOP: QUESTIONS.includes(stage) ? 'ended' : 'report' }),
      REOPEN: 'approvePlan',
    };
    return [stage, { on }];
  });
  return { id: 'engine', initial: 'approvePlan', states: Object.fromEntries(states) };
}

const step = createStepper<RunStageEvent>(buildPhaseConfig);

/**
 * Returns the stage to which an event leads the run.
 * @throws DevCliError `INTERNAL` for an event that the stage does not accept
 */
export function stepRunStage(program: EngineProgram, stage: string, event: RunStageEvent): string {
  const after = step(program, stage, event);
  if (after === null) throw new DevCliError('INTERNAL', `The engine cannot take ${event} at ${stage}.`);
  return after as string;
}
