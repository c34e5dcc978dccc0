import { DevCliError } from '../../base/errors.js';
import type { Applies, EngineEffect, EngineEvent, NewTodo, Part, Verdict } from './events.js';
import { type PhaseEvent, phaseActor, stepPhase } from './phases.js';
import type { EngineProgram, StageActor } from './program.js';
import { nothingFinal, todoRow } from './rows.js';
import { dependentsOf, nextWave } from './scheduler.js';
import type { EngineState, SubstepStatus, TodoState } from './state.js';
import { stepTodo, type TodoEvent } from './todo-machine.js';

export interface EngineStep {
  state: EngineState;
  effects: EngineEffect[];
}

/** What a step knows beside state and event. */
export interface Scope {
  applies: Applies;
  /** The instant, UTC with milliseconds. */
  at: string;
}

/**
 * What an event leads to (engine.md, Shape and Waves). Pure: nothing given is changed, the same input gives the same step.
 * The effects end where something from outside is needed: tasks that are out, a piece of work, a gate, or the end.
 * @throws DevCliError `INTERNAL` for an event that the state does not allow: the caller refuses those first
 */
export function engineStep(program: EngineProgram, before: EngineState, event: EngineEvent, scope: Scope): EngineStep {
  const { order, todos, finalize } = before;
  const state = { ...before, order: [...order], todos: { ...todos }, finalize: { ...finalize } };
  return { state, effects: stepInPlace(program, state, event, scope) };
}

/**
 * The same on a state that is the caller's own, which becomes the one after the step: of ten thousand rows only those that
 * change are touched. Rows are replaced, never changed.
 * @throws DevCliError as `engineStep`; the state is of no use then
 */
export function stepInPlace(
  program: EngineProgram,
  state: EngineState,
  event: EngineEvent,
  scope: Scope,
): EngineEffect[] {
  const engine = new Engine(program, state, scope);
  engine.take(event);
  engine.proceed();
  return engine.effects;
}

/** One step in the making. */
class Engine {
  readonly effects: EngineEffect[] = [];

  constructor(
    private readonly program: EngineProgram,
    private readonly state: EngineState,
    private readonly scope: Scope,
  ) {}

  take(event: EngineEvent): void {
    switch (event.type) {
      case 'START':
        return;
      case 'OUTCOME':
        if (event.todo === null) this.phaseOutcome(event.stage, event.verdict);
        else this.todoOutcome(this.row(event.todo), event.stage, event.part, event.verdict);
        return;
      case 'INVALIDATE':
        this.invalidate(event.todo);
        return;
    }
  }

  /** Goes on until something from outside is needed. */
  proceed(): void {
    let moved = true;
    while (moved) {
      if (this.state.at !== null || this.state.stage === 'ended') return;
      moved = this.state.stage === 'todos' ? this.wave() : this.phase();
    }
  }

  private wave(): boolean {
    if (this.state.wave.length === 0 && !this.handOut()) return this.leaveTodos();
    const members = this.state.wave.map((id) => this.row(id));
    if (members.some((row) => row.substeps[row.status]?.status === 'running')) return false;
    const first = Math.min(...members.map((row) => this.place(row)));
    const here = members.filter((row) => this.place(row) === first);
    const idle = here.filter((row) => !this.scope.applies(row.id, row.status, row.part));
    for (const row of idle) this.pass(row, 'skipped');
    if (idle.length > 0) return true;
    return this.begin(here);
  }

  /** Puts the next todos into the wave; false when none can start. */
  private handOut(): boolean {
    const wave = nextWave(this.state, this.program.policies.parallelLimit);
    for (const id of wave) {
      const { why, endedAt: _, ...row } = this.row(id);
      this.set({
        ...row,
        ...stepTodo(this.program, row, 'START'),
        ...(why === undefined ? {} : { why }),
        attempt: row.attempt + 1,
        substeps: {},
        startedAt: row.startedAt ?? this.scope.at,
      });
    }
    this.state.wave = wave;
    return wave.length > 0;
  }

  /** All of `here` are at the same stage and part. */
  private begin(here: TodoState[]): boolean {
    const [row] = here;
    if (row === undefined) return false;
    switch (this.actor(row)) {
      case 'subagent':
        for (const member of here) this.substep(member, 'running');
        this.effects.push({ type: 'dispatch', tasks: here.map((member) => this.taskOf(member)) });
        return false;
      case 'cli':
        this.single('work', row);
        return false;
      case 'human':
        this.single('gate', row);
        return false;
    }
  }

  private single(type: 'work' | 'gate', row: TodoState): void {
    this.substep(row, 'running');
    const place = { todo: row.id, stage: row.status, ...(row.part === undefined ? {} : { part: row.part }) };
    this.state.at = place;
    this.effects.push({ type, ...place });
  }

  private taskOf({ id, status, attempt, why }: TodoState) {
    return { todo: id, stage: status, attempt, ...(why === undefined ? {} : { why }) };
  }

  private actor({ status, part }: TodoState): StageActor {
    if (part === 'commands') return 'cli';
    if (part === 'human' || part === 'question') return 'human';
    return this.program.stages.find(({ id }) => id === status)?.actor ?? 'cli';
  }

  /** Where a row stands among all stages and their parts; what comes first is done first. */
  private place({ status, part }: TodoState): number {
    const parts: readonly (Part | undefined)[] = [undefined, 'question', 'commands', 'judge', 'human'];
    return this.program.stages.findIndex(({ id }) => id === status) * parts.length + parts.indexOf(part);
  }

  private todoOutcome(row: TodoState, stage: string, part: Part | undefined, verdict: Verdict): void {
    const running = row.substeps[stage]?.status === 'running';
    if (row.status !== stage || row.part !== part || !running) {
      throw new DevCliError(
        'INTERNAL',
        `The todo "${row.id}" is not at ${stage}${part === undefined ? '' : `/${part}`}.`,
      );
    }
    if (this.state.at?.todo === row.id) this.state.at = null;
    switch (verdict.kind) {
      case 'pass':
        this.pass(row, 'done');
        return;
      case 'skipped':
      case 'deferred':
        this.pass(row, verdict.kind);
        return;
      case 'fail':
        if (row.retries >= this.program.policies.maxRetries) this.fail(row, verdict.why);
        else this.again({ ...row, retries: row.retries + 1 }, verdict.why);
        return;
      case 'halt':
        this.fail(row, verdict.why);
        return;
      case 'widen':
        this.again(
          { ...row, files: [...new Set([...row.files, ...verdict.files])] },
          `may now touch ${verdict.files.join(', ')}`,
        );
        return;
      case 'ask':
        this.substep({ ...row, ...this.step(row, 'ASK'), why: verdict.question }, 'pending');
        return;
      case 'again':
        this.again(row, verdict.why);
        return;
      case 'adapt':
        this.adapt(row, verdict.todo, verdict.passed);
        return;
      case 'fixes':
        throw new DevCliError('INTERNAL', 'Fixes come from a stage of the whole run, not from a todo.');
    }
  }

  /** On to the next part or stage. A stage with parts was done when one of them was. */
  private pass(row: TodoState, how: 'done' | 'skipped' | 'deferred'): void {
    const { part: _, ...rest } = row;
    const next = { ...rest, ...this.step(row, 'PASS') };
    const begun = row.substeps[row.status]?.status === 'pending';
    if (next.status === row.status) {
      if (how === 'skipped' && !begun) this.set(next);
      else this.substep(next, 'pending');
      return;
    }
    this.substep(next, how === 'skipped' && begun ? 'done' : how, row.status);
    if (next.status === 'done') this.settle(next.id, 'done');
  }

  private again(row: TodoState, why: string): void {
    const { part: _, ...rest } = row;
    const next = { ...rest, ...this.step(row, 'AGAIN'), why };
    this.substep(next, 'failed', row.status);
    this.leaveWave(row.id);
    this.effects.push({ type: 'retried', todo: row.id, attempt: row.attempt + 1, why });
  }

  private fail(row: TodoState, why: string): void {
    const { part: _, ...rest } = row;
    this.substep({ ...rest, ...this.step(row, 'FAIL'), why }, 'failed', row.status);
    this.settle(row.id, 'failed', why);
  }

  private settle(id: string, status: 'done' | 'failed', why?: string): void {
    const { why: known, ...row } = this.row(id);
    this.set({ ...row, ...(status === 'failed' && known !== undefined ? { why: known } : {}), endedAt: this.scope.at });
    this.leaveWave(id);
    this.effects.push({ type: 'settled', todo: id, status, ...(why === undefined ? {} : { why }) });
  }

  private adapt(row: TodoState, todo: NewTodo, passed: boolean): void {
    const added = { ...todoRow(todo), depth: row.depth + 1, parent: row.id };
    const dynamicTodos = [...row.dynamicTodos, added.id];
    const waiting = passed ? this.dependingOn(row.id) : [];
    this.insert([added], row.id);
    this.state.added += 1;
    for (const id of waiting) {
      const dependent = this.row(id);
      this.set({ ...dependent, dependsOn: [...dependent.dependsOn, added.id] });
    }
    this.effects.push({ type: 'added', todos: [added.id], by: row.id });
    if (passed) this.pass({ ...row, dynamicTodos }, 'done');
    else this.again({ ...row, dynamicTodos, dependsOn: [...row.dependsOn, added.id] }, `after ${added.id}`);
  }

  private dependingOn(id: string): string[] {
    return this.state.order.filter((candidate) => this.state.todos[candidate]?.dependsOn.includes(id));
  }

  private insert(rows: TodoState[], after: string | null): void {
    const at = after === null ? this.state.order.length : this.state.order.indexOf(after) + 1;
    this.state.order.splice(at, 0, ...rows.map(({ id }) => id));
    for (const row of rows) this.set(row);
  }

  /** Nothing more can start: the end, good or bad, begins. */
  private leaveTodos(): boolean {
    const open = this.state.order.some((id) => this.row(id).status !== 'done');
    this.toPhase(open ? 'STOP' : 'PASS');
    return true;
  }

  private phase(): boolean {
    const { stage } = this.state;
    if (!this.scope.applies(null, stage)) {
      this.final(stage, 'skipped');
      this.toPhase('PASS');
      return true;
    }
    this.final(stage, 'running');
    this.state.at = { todo: null, stage };
    switch (phaseActor(stage)) {
      case 'subagent':
        this.effects.push({ type: 'dispatch', tasks: [{ todo: null, stage, attempt: this.state.fixRounds + 1 }] });
        break;
      case 'cli':
        this.effects.push({ type: 'work', todo: null, stage });
        break;
      case 'human':
        this.effects.push({ type: 'gate', todo: null, stage });
        break;
    }
    return false;
  }

  private phaseOutcome(stage: string, verdict: Verdict): void {
    if (this.state.at?.todo !== null || this.state.at.stage !== stage) {
      throw new DevCliError('INTERNAL', `The engine is not at ${stage}.`);
    }
    this.state.at = null;
    switch (verdict.kind) {
      case 'pass':
      case 'deferred':
        this.final(stage, 'done');
        this.toPhase('PASS');
        return;
      case 'skipped':
        this.final(stage, 'skipped');
        this.toPhase('PASS');
        return;
      case 'fixes':
        this.fix(stage, verdict.todos, verdict.why);
        return;
      case 'fail':
      case 'halt':
        this.stop(stage, verdict.why);
        return;
      case 'widen':
      case 'ask':
      case 'again':
      case 'adapt':
        throw new DevCliError('INTERNAL', `${stage} cannot come to ${verdict.kind}.`);
    }
  }

  private fix(stage: string, todos: readonly NewTodo[], why: string): void {
    if (todos.length === 0 || this.state.fixRounds >= this.program.policies.maxFixRounds) {
      this.stop(stage, why);
      return;
    }
    this.state.fixRounds += 1;
    this.state.finalize = nothingFinal();
    this.insert(
      todos.map((todo) => todoRow(todo)),
      null,
    );
    this.effects.push({ type: 'added', todos: todos.map(({ id }) => id), by: null });
    this.toPhase('FIX');
  }

  private stop(stage: string, why: string): void {
    this.final(stage, 'failed');
    this.state.why = why;
    if (stage === 'report') this.end('halted');
    else this.toPhase('STOP');
  }

  private toPhase(event: PhaseEvent): void {
    this.state.stage = stepPhase(this.program, this.state.stage, event);
    if (this.state.stage !== 'ended') return;
    const whole = this.state.order.every((id) => this.row(id).status === 'done');
    this.end(whole && this.state.why === undefined ? 'completed' : 'halted');
  }

  private end(outcome: 'completed' | 'halted'): void {
    this.state.stage = 'ended';
    const why = outcome === 'halted' ? this.whyHalted() : undefined;
    this.effects.push({ type: 'ended', outcome, ...(why === undefined ? {} : { why }) });
  }

  private whyHalted(): string {
    if (this.state.why !== undefined) return this.state.why;
    const failed = this.state.order.filter((id) => this.row(id).status === 'failed');
    return failed.map((id) => `${id}: ${this.row(id).why ?? 'failed'}`).join('; ');
  }

  private invalidate(todo: string | null): void {
    const { stage, at } = this.state;
    const affected =
      todo === null
        ? this.state.order.filter((id) => this.row(id).status !== 'done')
        : [todo, ...dependentsOf(this.state, todo)];
    for (const id of affected) {
      const { part: _, why: _why, endedAt: _ended, ...row } = this.row(id);
      const untouched = row.status === 'pending' && row.attempt === 0;
      if (untouched) continue;
      const event = todo === null || id === todo ? 'AGAIN' : 'STALE';
      const standing = row.status === 'pending' ? { status: 'pending' } : this.step(this.row(id), event);
      this.set({ ...row, ...standing, retries: 0, substeps: {} });
    }
    this.state.wave = this.state.wave.filter((id) => !affected.includes(id));
    if (at !== null && (at.todo === null || affected.includes(at.todo))) this.state.at = null;
    this.state.finalize = nothingFinal();
    this.state.fixRounds = 0;
    delete this.state.why;
    if (stage !== 'todos') this.state.stage = stepPhase(this.program, stage, 'REOPEN');
  }

  private step(row: TodoState, event: TodoEvent) {
    return stepTodo(this.program, row, event);
  }

  private substep(row: TodoState, status: SubstepStatus, stage: string = row.status): void {
    this.set({ ...row, substeps: { ...row.substeps, [stage]: { status, at: this.scope.at } } });
  }

  private final(stage: string, status: 'running' | 'done' | 'skipped' | 'failed'): void {
    if (Object.hasOwn(this.state.finalize, stage)) this.state.finalize[stage] = { status, at: this.scope.at };
  }

  private leaveWave(id: string): void {
    this.state.wave = this.state.wave.filter((member) => member !== id);
  }

  private row(id: string): TodoState {
    const row = this.state.todos[id];
    if (row === undefined) throw new DevCliError('INTERNAL', `The engine knows no todo "${id}".`);
    return row;
  }

  private set(row: TodoState): void {
    this.state.todos[row.id] = row;
  }
}
