import { DevCliError } from '../../base/errors.js';
import type { EngineProgram, StageActor } from '../../machine/engine-program.js';
import type { EngineState, SubstepStatus, TodoState } from '../../run/engine-rows.js';
import type { EngineEffect, StageCondition } from './events.js';
import { stepTodo, type TodoEvent } from './todo-machine.js';

/** The arguments of a step besides state and event. */
export interface StepContext {
  applies: StageCondition;
  /** The time of the step: UTC with milliseconds. */
  at: string;
  /**
   * Whether the run is held (control.md, Holding): then nothing begins but dev-cli's own work for todos that are
   * already in the wave.
   */
  held?: boolean;
}

/** A step in progress: the state that it changes, and its effects so far. Rows are replaced, never modified. */
export class StepBuilder {
  readonly effects: EngineEffect[] = [];

  constructor(
    readonly program: EngineProgram,
    readonly state: EngineState,
    readonly scope: StepContext,
  ) {}

  /** @throws DevCliError `INTERNAL` for an unknown todo */
  getRow(id: string): TodoState {
    const row = this.state.todos[id];
    if (row === undefined) throw new DevCliError('INTERNAL', `The engine knows no todo "${id}".`);
    return row;
  }

  setRow(row: TodoState): void {
    this.state.todos[row.id] = row;
  }

  /** Sets a row and the status of one of its stages, by default the stage that the row is at. */
  setSubstep(row: TodoState, status: SubstepStatus, stage: string = row.status): void {
    this.setRow({ ...row, substeps: { ...row.substeps, [stage]: { status, at: this.scope.at } } });
  }

  /** Sets the status of a stage of the whole run, if `finalize` records that stage. */
  setFinalStage(stage: string, status: 'running' | 'done' | 'skipped' | 'failed'): void {
    if (Object.hasOwn(this.state.finalize, stage)) this.state.finalize[stage] = { status, at: this.scope.at };
  }

  leaveWave(id: string): void {
    this.state.wave = this.state.wave.filter((member) => member !== id);
  }

  /** Begins a stage during which no other work starts. `place`: the stage and, if it has parts, the part. */
  beginAlone(actor: Exclude<StageActor, 'subagent'>, place: NonNullable<EngineState['at']>): void {
    this.state.at = place;
    this.effects.push({ type: actor === 'cli' ? 'work' : 'gate', ...place });
  }

  /** Inserts rows after the todo `after`, or at the end if `after` is null. */
  insert(rows: TodoState[], after: string | null): void {
    const at = after === null ? this.state.order.length : this.state.order.indexOf(after) + 1;
    this.state.order.splice(at, 0, ...rows.map(({ id }) => id));
    for (const row of rows) this.setRow(row);
  }

  /** Returns the row after an event. */
  step(row: TodoState, event: TodoEvent): TodoState {
    return stepTodo(this.program, row, event);
  }
}
