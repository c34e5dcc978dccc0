import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { EngineProgram, StageActor } from '../../machine/engine-program.js';
import type { NewTodo, StageResult } from './events.js';
import { createFinalStages, createTodoRow } from './rows.js';
import type { StepBuilder } from './step-builder.js';
import { createStepper, type StateNode, type StepperConfig } from './stepper.js';

/**
 * Begins the current stage of the whole run, or skips it if it does not apply.
 * @returns whether the run moved to another stage; false if the engine has to wait
 */
export function beginFinalStage(builder: StepBuilder): boolean {
  if (builder.scope.held === true) return false;
  const { stage } = builder.state;
  if (!builder.scope.applies(null, stage)) {
    builder.setFinalStage(stage, 'skipped');
    moveToStage(builder, 'PASS');
    return true;
  }
  builder.setFinalStage(stage, 'running');
  const actor = getStageActor(stage);
  const place = { todo: null, stage };
  if (actor === 'subagent') {
    builder.state.at = place;
    builder.effects.push({ type: 'dispatch', tasks: [{ ...place, attempt: builder.state.fixRounds + 1 }] });
  } else builder.beginAlone(actor, place);
  return false;
}

/**
 * Applies the outcome of a stage of the whole run.
 * @throws DevCliError `INTERNAL` if the run is not at that stage, or if the stage cannot have this verdict
 */
export function endFinalStage(builder: StepBuilder, stage: string, verdict: StageResult): void {
  if (builder.state.at?.todo !== null || builder.state.at.stage !== stage) {
    throw new DevCliError('INTERNAL', `The engine is not in stage ${stage}.`);
  }
  builder.state.at = null;
  switch (verdict.kind) {
    case 'pass':
    case 'deferred':
    case 'skipped':
      builder.setFinalStage(stage, verdict.kind === 'skipped' ? 'skipped' : 'done');
      moveToStage(builder, 'PASS');
      return;
    case 'fixes':
      addFixes(builder, stage, verdict.todos, verdict.why);
      return;
    case 'fail':
    case 'halt':
      stopRun(builder, stage, verdict.why);
      return;
    case 'widen':
    case 'ask':
    case 'again':
    case 'adapt':
      throw new DevCliError('INTERNAL', `${stage} cannot come to ${verdict.kind}.`);
  }
}

function addFixes(builder: StepBuilder, stage: string, todos: readonly NewTodo[], why: string): void {
  if (todos.length === 0 || builder.state.fixRounds >= builder.program.policies.maxFixRounds) {
    stopRun(builder, stage, why);
    return;
  }
  builder.state.fixRounds += 1;
  builder.state.finalize = createFinalStages();
  builder.insert(
    todos.map((todo) => createTodoRow(todo)),
    null,
  );
  builder.effects.push({ type: 'added', todos: todos.map(({ id }) => id), by: null });
  moveToStage(builder, 'FIX');
}

function stopRun(builder: StepBuilder, stage: string, why: string): void {
  builder.setFinalStage(stage, 'failed');
  builder.state.why = why;
  if (stage === 'report') endEngine(builder, 'halted');
  else moveToStage(builder, 'STOP');
}

/** Moves the run to the stage to which `event` leads. If that is `ended`, the run ends. */
export function moveToStage(builder: StepBuilder, event: RunStageEvent): void {
  builder.state.stage = stepRunStage(builder.program, builder.state.stage, event);
  if (builder.state.stage !== 'ended') return;
  const whole = builder.state.order.every((id) => builder.getRow(id).status === 'done');
  endEngine(builder, whole && builder.state.why === undefined ? 'completed' : 'halted');
}

function endEngine(builder: StepBuilder, outcome: 'completed' | 'halted'): void {
  builder.state.stage = 'ended';
  const why = outcome === 'halted' ? explainHalt(builder) : undefined;
  builder.effects.push({ type: 'ended', outcome, ...omitUndefined({ why }) });
}

function explainHalt(builder: StepBuilder): string {
  if (builder.state.why !== undefined) return builder.state.why;
  const failed = builder.state.order.filter((id) => builder.getRow(id).status === 'failed');
  return failed.map((id) => `${id}: ${builder.getRow(id).why ?? 'failed'}`).join('; ');
}

/** An event of the machine of the whole run. */
type RunStageEvent =
  /** The stage has ended, or does not apply. */
  | 'PASS'
  /** Findings have become fix todos, so the run returns to the stage `todos`. */
  | 'FIX'
  /** The run can no longer complete. It moves to the report or, if a person stopped it before any work, ends. */
  | 'STOP'
  /** The run is reopened and starts again at its first question. */
  | 'REOPEN';

/** Who acts in a stage of the whole run. A stage that is not listed is done by dev-cli itself. */
const ACTORS: Record<string, StageActor> = { approvePlan: 'human', approveCommands: 'human', codeReview: 'subagent' };

/** The stages in which a person is asked before any work begins. */
const QUESTIONS: readonly string[] = ['approvePlan', 'approveCommands'];

/** Returns who acts in a stage of the whole run. */
function getStageActor(stage: string): StageActor {
  return ACTORS[stage] ?? 'cli';
}

/**
 * Builds the machine of the whole run (house.md, XState): first the questions to a person, then one state for all todos
 * together, then the final stages.
 */
export function buildPhaseConfig({ finalize }: EngineProgram): StepperConfig {
  const order = [...QUESTIONS, 'stateBegin', 'todos', ...finalize, 'ended'];
  const states = order.map((stage, index): [string, StateNode] => {
    const last = stage === 'report' || stage === 'ended';
    const on = {
      ...omitUndefined({ PASS: order[index + 1] }),
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
 * @throws DevCliError `INTERNAL` if the stage does not accept the event
 */
export function stepRunStage(program: EngineProgram, stage: string, event: RunStageEvent): string {
  const after = step(program, stage, event);
  if (after === null) throw new DevCliError('INTERNAL', `The engine cannot take ${event} at ${stage}.`);
  return after as string;
}
