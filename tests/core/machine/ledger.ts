import type { Effect, MachineEvent } from '../../../src/machine/events.js';
import type { Position } from '../../../src/machine/position.js';
import type { Program } from '../../../src/machine/program.js';
import { startProgram, type TransitionResult, transition } from '../../../src/machine/transition.js';

type Status = 'pending' | 'running' | 'done' | 'skipped' | 'failed' | 'stale';

/** The blocks' statuses as the machine's caller would store them, computed from the effects alone. */
type Ledger = Record<string, Status>;

function emptyLedger(program: Program): Ledger {
  return Object.fromEntries(program.blocks.map(({ id }) => [id, 'pending']));
}

function recorded(ledger: Ledger, effects: readonly Effect[]): Ledger {
  const after = { ...ledger };
  for (const effect of effects) {
    switch (effect.type) {
      case 'settle':
        after[effect.block] = effect.status;
        break;
      case 'stale':
        for (const id of effect.blocks) after[id] = 'stale';
        break;
      case 'issue':
      case 'execute':
        after[effect.block] = 'running';
        break;
      case 'end':
        break;
    }
  }
  return after;
}

/** One step of a recorded run: the state before, the event, and the result. */
export interface Moment {
  before: Position | null;
  event: MachineEvent | null;
  step: TransitionResult;
  ledger: Ledger;
  /** Every condition that was evaluated, with its answer, in order. */
  asked: [source: string, answer: boolean][];
}

/** Answers to the conditions of a whole run, used in order; the last one repeats. */
export type Answers = readonly boolean[];

/** Chooses the next event; null to stop. */
export type Chooser = (moment: Moment, tx: number) => MachineEvent | null;

/** Walks through a program and records everything observable. Deeply freezes the positions given to the machine. */
export function recordedRun(program: Program, answers: Answers, choose: Chooser, most: number): Moment[] {
  let asked: Moment['asked'] = [];
  let count = 0;
  const conditions = (source: string) => {
    const answer = answers[Math.min(count++, answers.length - 1)] ?? true;
    asked.push([source, answer]);
    return answer;
  };
  const first = startProgram(program, conditions);
  const moments: Moment[] = [];
  const note = (before: Position | null, event: MachineEvent | null, step: TransitionResult) => {
    const last = moments.at(-1);
    const ledger = recorded(last?.ledger ?? emptyLedger(program), step.effects);
    moments.push({ before, event, step, ledger, asked });
    asked = [];
  };
  note(null, null, first);
  for (let tx = 0; tx < most; tx++) {
    const last = moments.at(-1) as Moment;
    const event = choose(last, tx);
    if (event === null) break;
    const before = frozen(last.step.position);
    note(before, event, transition(program, before, event, conditions));
  }
  return moments;
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}
