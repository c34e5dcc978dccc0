import { DevCliError } from '../../base/errors.js';
import type { EngineProgram } from '../../machine/engine-program.js';
import type { EngineState, SubstepStatus, TodoState } from '../../run/engine-rows.js';
import type { EngineEffect, StageCondition } from './events.js';
import { stepTodo, type TodoEvent } from './todo-machine.js';

/** What a step knows beside state and event. */
export interface StepContext {
  applies: StageCondition;
  /** The instant, UTC with milliseconds. */
  at: string;
}

/** One step in the making: the state that it changes, and the effects so far. Rows are replaced, never changed. */
export class StepBuilder {
  readonly effects: EngineEffect[] = [];

  constructor(
    readonly program: EngineProgram,
    readonly state: EngineState,
    readonly scope: StepContext,
  ) {}

  /** @throws DevCliError `INTERNAL` for a todo that is not there */
  row(id: string): TodoState {
    const row = this.state.todos[id];
    if (row === undefined) throw new DevCliError('INTERNAL', `The engine knows no todo "${id}".`);
    return row;
  }

  set(row: TodoState): void {
    this.state.todos[row.id] = row;
  }

  /** Sets a row whose stage (its own, if none is named) stands so from this instant. */
  substep(row: TodoState, status: SubstepStatus, stage: string = row.status): void {
    this.set({ ...row, substeps: { ...row.substeps, [stage]: { status, at: this.scope.at } } });
  }

  /** The same for a stage of the whole run; one that keeps no record is left alone. */
  final(stage: string, status: 'running' | 'done' | 'skipped' | 'failed'): void {
    if (Object.hasOwn(this.state.finalize, stage)) this.state.finalize[stage] = { status, at: this.scope.at };
  }

  leaveWave(id: string): void {
    this.state.wave = this.state.wave.filter((member) => member !== id);
  }

  /** Adds rows behind the todo `after`, or at the end. */
  insert(rows: TodoState[], after: string | null): void {
    const at = after === null ? this.state.order.length : this.state.order.indexOf(after) + 1;
    this.state.order.splice(at, 0, ...rows.map(({ id }) => id));
    for (const row of rows) this.set(row);
  }

  /** The todos that name `id` as a dependency, in order. */
  dependingOn(id: string): string[] {
    return this.state.order.filter((candidate) => this.state.todos[candidate]?.dependsOn.includes(id));
  }

  /** Where an event takes a row. */
  step(row: TodoState, event: TodoEvent): ReturnType<typeof stepTodo> {
    return stepTodo(this.program, row, event);
  }
}
