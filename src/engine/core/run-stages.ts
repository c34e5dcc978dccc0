import { createMachine, transition } from 'xstate';
import { defined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { EngineProgram, StageActor } from '../../machine/engine-program.js';

/** What can happen to the run as a whole. */
export type RunStageEvent =
  /** The stage is over, or does not apply. */
  | 'PASS'
  /** Findings have become todos. */
  | 'FIX'
  /** It cannot end well any more: on to the report. */
  | 'STOP'
  /** A person wants it to go on, from the first question on. */
  | 'REOPEN';

/** Who acts in the stages of the whole run; `todos` is no stage of its own but all the todos. */
const ACTORS: Record<string, StageActor> = {
  approvePlan: 'human',
  approveCommands: 'human',
  stateBegin: 'cli',
  residualCommit: 'cli',
  codeReview: 'subagent',
  finalVerify: 'cli',
  stateComplete: 'cli',
  report: 'cli',
};

/** What a person is asked before anything begins. */
const QUESTIONS: readonly string[] = ['approvePlan', 'approveCommands'];

export function getStageActor(stage: string): StageActor {
  return ACTORS[stage] ?? 'cli';
}

/** The parent machine (house.md, XState): what comes before the todos, the todos, what follows, in plain JSON. */
function buildPhaseConfig({ finalize }: EngineProgram): {
  id: string;
  initial: string;
  states: Record<string, { on: Partial<Record<RunStageEvent, string>> }>;
} {
  const order = [...QUESTIONS, 'stateBegin', 'todos', ...finalize, 'ended'];
  const states = order.map((stage, index): [string, { on: Partial<Record<RunStageEvent, string>> }] => {
    const next = order[index + 1];
    const last = stage === 'report' || stage === 'ended';
    return [
      stage,
      {
        on: {
          ...defined({ PASS: next }),
          ...(stage === 'codeReview' || stage === 'finalVerify' ? { FIX: 'todos' } : {}),
          ...(last ? {} : { STOP: QUESTIONS.includes(stage) ? 'ended' : 'report' }),
          REOPEN: 'approvePlan',
        },
      },
    ];
  });
  return { id: 'engine', initial: 'approvePlan', states: Object.fromEntries(states) };
}

const built = new WeakMap<EngineProgram, ReturnType<typeof build>>();

function build(program: EngineProgram) {
  return createMachine(buildPhaseConfig(program));
}

/**
 * Where an event leads the run.
 * @throws DevCliError `INTERNAL` for an event that the stage does not know
 */
export function stepRunStage(program: EngineProgram, stage: string, event: RunStageEvent): string {
  let machine = built.get(program);
  if (machine === undefined) {
    machine = build(program);
    built.set(program, machine);
  }
  const before = machine.resolveState({ value: stage });
  if (!before.can({ type: event })) {
    throw new DevCliError('INTERNAL', `The engine cannot take ${event} at ${stage}.`);
  }
  const [after] = transition(machine, before, { type: event });
  return after.value as string;
}
