import type {
  EngineEffect,
  EngineEvent,
  NewTask,
  NewTodo,
  PlanUpdate,
  StagePart,
  StageResult,
} from '../../../src/engine/core/events.js';
import { createEngineState, createTodoRow } from '../../../src/engine/core/rows.js';
import { stepInPlace } from '../../../src/engine/core/step.js';
import type { EngineProgram } from '../../../src/machine/engine-program.js';
import type { EngineState } from '../../../src/run/engine-rows.js';

export const PROGRAM: EngineProgram = {
  stages: [
    { id: 'worker', actor: 'subagent' },
    { id: 'verify', actor: 'subagent' },
    { id: 'wrapUp', actor: 'cli' },
    { id: 'commit', actor: 'cli' },
  ],
  finalize: ['residualCommit', 'codeReview', 'finalVerify', 'report'],
  policies: {
    maxRetries: 2,
    adaptDepthLimit: 1,
    maxDynamicTodos: 3,
    parallelLimit: 3,
    triagePrecedence: ['halt', 'adapt', 'retry'],
    maxFixRounds: 2,
    mustNot: 'retry',
  },
};

export function todo(id: string, dependsOn: string[] = [], files: string[] = [`src/${id}/**`]): NewTodo {
  return { id, title: id, type: 'work', risk: 'low', dependsOn, files };
}

/** A task, job or gate that waits for an outcome. */
export interface Waiting {
  todo: string | null;
  stage: string;
  part?: StagePart;
  attempt: number;
  how: 'task' | 'work' | 'gate';
}

type Ended = Extract<EngineEffect, { type: 'ended' }>;

/** Drives an engine as its caller does, and checks the invariants at each step. */
export class Rim {
  state: EngineState;
  readonly waiting: Waiting[] = [];
  readonly log: string[] = [];
  ended: Ended | null = null;
  /** While true, no new work may begin. */
  held = false;

  constructor(
    readonly todos: NewTodo[],
    readonly program: EngineProgram = PROGRAM,
    readonly applies: (todo: string | null, stage: string, part?: StagePart) => boolean = (_, stage) =>
      !stage.startsWith('approve') && stage !== 'stateBegin',
  ) {
    this.state = createEngineState(todos.map((one) => createTodoRow(one)));
    this.take({ type: 'START' });
  }

  /** Reopens a run that has ended. */
  reopen(event: Extract<EngineEvent, { type: 'INVALIDATE' }>): void {
    this.ended = null;
    this.take(event);
  }

  /** Switches to another plan. The caller must first remove interrupted work from `waiting`. */
  apply(plan: PlanUpdate): void {
    const before = this.ended;
    this.ended = null;
    this.take({ type: 'APPLY', plan });
    // If the new plan leaves nothing to do, the run stays ended with its former outcome.
    if (this.state.stage === 'ended') this.ended ??= before;
  }

  /** Proposes another plan, so that a person is asked about it. */
  propose(reopen: string[] = []): void {
    this.ended = null;
    this.take({ type: 'PROPOSE', reopen });
  }

  take(event: EngineEvent): void {
    const before = JSON.stringify(this.state);
    const frozen = this.state;
    const state = { ...frozen, order: [...frozen.order], todos: { ...frozen.todos }, finalize: { ...frozen.finalize } };
    const effects = stepInPlace(this.program, state, event, { applies: this.applies, at: 'T', held: this.held });
    if (JSON.stringify(frozen) !== before) throw new Error('the step changed a row or a list that it was given');
    this.state = state;
    for (const effect of effects) this.note(effect);
  }

  outcome(waiting: Waiting, verdict: StageResult): void {
    this.waiting.splice(this.waiting.indexOf(waiting), 1);
    const { todo: id, stage, part } = waiting;
    this.take({ type: 'OUTCOME', todo: id, stage, ...(part === undefined ? {} : { part }), verdict });
  }

  release(): void {
    this.held = false;
    this.take({ type: 'RELEASE' });
  }

  /** Gives outcomes to waiting work until the run has ended; throws after `limit` steps. */
  run(
    decide: (waiting: Waiting) => StageResult = () => ({ kind: 'pass' }),
    pick: (waiting: readonly Waiting[]) => number = () => 0,
    limit = 5000,
  ): this {
    for (let step = 0; this.ended === null; step += 1) {
      if (step >= limit) throw new Error(`no end after ${limit} steps at ${this.state.stage}`);
      const next = this.waiting[pick(this.waiting)];
      if (next === undefined) throw new Error(`nothing waits, and the run has not ended (${this.state.stage})`);
      this.outcome(next, decide(next));
    }
    return this;
  }

  private note(effect: EngineEffect): void {
    switch (effect.type) {
      case 'dispatch':
        for (const task of effect.tasks) this.dispatched(task);
        return;
      case 'work':
      case 'gate': {
        if (this.waiting.length > 0) throw new Error(`${effect.type} while something is out`);
        const { type, ...place } = effect;
        this.waiting.push({ ...place, attempt: 0, how: type });
        this.log.push(
          `${type} ${place.todo ?? 'run'}/${place.stage}${place.part === undefined ? '' : `.${place.part}`}`,
        );
        return;
      }
      case 'settled':
        this.log.push(`${effect.status} ${effect.todo}`);
        return;
      case 'retried':
        this.log.push(`again ${effect.todo}`);
        return;
      case 'added':
        this.log.push(`added ${effect.todos.join(' ')}`);
        return;
      case 'ended':
        this.ended = effect;
        this.log.push(effect.outcome);
        return;
    }
  }

  private dispatched({ todo: id, stage, attempt }: NewTask): void {
    if (this.waiting.some(({ how }) => how !== 'task')) throw new Error('a task while dev-cli or a person is at work');
    this.waiting.push({ todo: id, stage, attempt, how: 'task', ...(stage === 'verify' ? { part: 'judge' } : {}) });
    this.log.push(`task ${id ?? 'run'}/${stage} ${attempt}`);
  }
}
