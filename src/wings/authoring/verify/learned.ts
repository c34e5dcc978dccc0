import type { Effect, EvaluateCondition, MachineEvent } from '../../../machine/events.js';
import { type Counters, findRestingState, type Position } from '../../../machine/position.js';
import type { Program } from '../../../machine/program.js';
import { startProgram, type TransitionResult, transition } from '../../../machine/transition.js';
import { type Counts, type ExactRounds, hasBoundedCounter, type MachinePlace, readPlace } from './place.js';

/**
 * The effect of the machine's own transition function at a place, learned from one call and reused for all counter
 * values. That is possible because a guard only compares a counter of the resting block with its bound. A test compares
 * what was learned with the function itself, for every explored transition.
 */
export interface LearnedTransition {
  to: MachinePlace;
  effects: Effect[];
  /** By block: how its counters change. */
  change: ReadonlyMap<number, CounterChange>;
}

/** The change of a counter: by a difference, or to a fixed value. */
type Change = { add: number } | { set: number };
interface CounterChange {
  spent: Change;
  retries: Change;
  jumps: Change;
  rounds: Change;
}

/** Which bounds of the resting block are not exhausted. */
export interface RemainingBounds {
  rounds: boolean;
  retries: boolean;
  jumps: boolean;
}

/** Counter values below and above every bound, far from any value that a transition sets. */
const BELOW = -1_000_000;
const ABOVE = 1_000_000;
const NEAR = 1_000;

/** A node of a decision tree: the condition asked next, and where its answers lead. */
interface Decision {
  asks?: { source: string; of: string };
  yes?: Decision;
  no?: Decision;
  learned?: LearnedTransition;
}

/** Calls the transition function of a program, and remembers the results. */
export class Machine {
  readonly #decisions = new Map<string, Decision>();
  readonly #index: ReadonlyMap<string, number>;
  /** The blocks whose counters have a bound, or whose rounds a condition reads. */
  readonly #counted: ReadonlySet<number>;
  /** Counters of blocks other than the resting one. */
  readonly #others: Position['counters'];

  constructor(
    readonly program: Program,
    exact: ExactRounds = new Map(),
  ) {
    this.#index = new Map(program.blocks.map(({ id }, index) => [id, index]));
    const below: Counters = { round: BELOW, roundBase: 0, retries: BELOW, jumps: BELOW };
    this.#others = Object.fromEntries(program.blocks.map(({ id }) => [id, below]));
    this.#counted = new Set(
      program.blocks.flatMap((block, index) => (hasBoundedCounter(block) || exact.has(index) ? [index] : [])),
    );
  }

  /** Returns the effect of START. Calls `answer` for conditions in the order in which the machine asks for them. */
  start(answer: EvaluateCondition): LearnedTransition {
    return this.#decide('', answer, (conditions) => startProgram(this.program, conditions), null);
  }

  /** Returns the effect of an event at a place; calls `answer` as `start` does. */
  take(place: MachinePlace, event: MachineEvent, left: RemainingBounds, answer: EvaluateCondition): LearnedTransition {
    const { rounds, retries, jumps } = left;
    const key = `${place.block} ${place.state} ${rounds} ${retries} ${jumps} ${JSON.stringify(event)}`;
    const probe = () => this.#probe(place, left);
    return this.#decide(key, answer, (conditions) => transition(this.program, probe(), event, conditions), probe);
  }

  #probe({ value, block }: MachinePlace, left: RemainingBounds): Position {
    const side = (isLeft: boolean) => (isLeft ? BELOW : ABOVE);
    const id = this.program.blocks[block]?.id ?? '';
    const own = { round: side(left.rounds), roundBase: 0, retries: side(left.retries), jumps: side(left.jumps) };
    return { value, counters: { ...this.#others, [id]: own } };
  }

  #decide(
    key: string,
    answer: EvaluateCondition,
    run: (conditions: EvaluateCondition) => TransitionResult,
    probe: (() => Position) | null,
  ): LearnedTransition {
    let decision: Decision = this.#decisions.get(key) ?? {};
    this.#decisions.set(key, decision);
    const given: boolean[] = [];
    while (decision.asks !== undefined) {
      const isMet = answer(decision.asks.source, decision.asks.of);
      given.push(isMet);
      decision = follow(decision, isMet);
    }
    if (decision.learned !== undefined) return decision.learned;
    let last: Decision = decision;
    let asked = 0;
    const step = run((source, of) => {
      const known = given[asked];
      asked += 1;
      if (known !== undefined) return known;
      const isMet = answer(source, of);
      last.asks = { source, of };
      last = follow(last, isMet);
      return isMet;
    });
    last.learned = this.#learn(step, probe?.().counters ?? null);
    return last.learned;
  }

  #learn({ position, effects }: TransitionResult, before: Position['counters'] | null): LearnedTransition {
    const change = new Map<number, CounterChange>();
    for (const index of this.#counted) {
      const id = this.program.blocks[index]?.id ?? '';
      const after = position.counters[id];
      const was = before?.[id];
      if (after === undefined || was === after) continue;
      const compare = (to: number, from: number): Change =>
        before !== null && Math.abs(to - from) < NEAR ? { add: to - from } : { set: to };
      change.set(index, {
        spent: compare(after.round - after.roundBase, was === undefined ? 0 : was.round - was.roundBase),
        retries: compare(after.retries, was?.retries ?? 0),
        jumps: compare(after.jumps, was?.jumps ?? 0),
        rounds: compare(after.round, was?.round ?? 0),
      });
    }
    return { to: readPlace(position, findRestingState(position), this.#index), effects, change };
  }
}

/** Returns the node that an answer leads to, and creates it if necessary. */
function follow(decision: Decision, isMet: boolean): Decision {
  const key = isMet ? 'yes' : 'no';
  const next = decision[key] ?? {};
  decision[key] = next;
  return next;
}

/** Applies a learned change to the counters of a block. */
export function changeCounts(counts: Counts, change: CounterChange): Counts {
  const apply = (value: number, how: Change) => ('add' in how ? value + how.add : how.set);
  return {
    spent: apply(counts.spent, change.spent),
    retries: apply(counts.retries, change.retries),
    jumps: apply(counts.jumps, change.jumps),
    rounds: apply(counts.rounds, change.rounds),
  };
}
