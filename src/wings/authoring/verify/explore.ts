import { BLOCK_KINDS } from '../../../machine/block-kinds.js';
import { ChoiceEnumerator } from './chance.js';
import type { ExploredState, StateGraph } from './graph.js';
import { type Interruptible, STEPS_BETWEEN_PAUSES } from './interruptible.js';
import { type LearnedTransition, Machine, type RemainingBounds } from './learned.js';
import { findLiveness, type Liveness } from './liveness.js';
import { listMoves, type Move, type TryMove } from './moves.js';
import { type CountedPlace, isPending, keyCountedPlace, type MachinePlace } from './place.js';
import { KnownPlaces } from './standings.js';
import { States } from './states.js';
import type { ExplorationSubject } from './subject.js';
import { createWorld, OUTCOME, WorldChange } from './world.js';

/** An observer that checks for faults each step that `work` moves alone can reach (see `Move.kind`). */
export interface Watch {
  step(step: WatchedStep): void;
}

/** An observed step. */
export interface WatchedStep {
  /** The world after the step. */
  change: WorldChange;
  learned: LearnedTransition;
  /** The edge that was taken; -1 for the beginning. */
  edge: number;
  /** The state after the step. */
  to: number;
}

/** Stands in for the real place in keys that are to compare counters alone. */
const NOWHERE: MachinePlace = { value: '', block: -1, state: 'active' };

/** Arguments for INVALIDATE, HALT and ABORT, which depend neither on bounds nor on conditions. */
const ALL_LEFT: RemainingBounds = { rounds: true, retries: true, jumps: true };
const NEVER = () => false;

/** Default maximum number of states. */
export const MOST_STATES = 50_000;

/**
 * Explores a sequential recipe breadth-first, under every outcome that an agent or a person can produce (authoring.md,
 * Verify). Uses the machine's own transition function.
 */
export function exploreSequentialRecipe(
  subject: ExplorationSubject,
  watch: Watch,
  most = MOST_STATES,
): Interruptible<StateGraph> {
  const explorer = new Explorer(subject, watch, most);
  return explorer.explore();
}

class Explorer {
  readonly #graph: StateGraph = { nodes: [], edges: [], work: { nodes: 0, edges: 0 }, transitions: 0, whole: true };
  readonly #machine: Machine;
  readonly #liveness: Liveness;
  readonly #standings: KnownPlaces;
  readonly #states: States;
  /** The moves to try at each standing (a place with its counters), by the standing's number. */
  readonly #attempts: TryMove[][] = [];
  /**
   * How many `own` moves (see `Move.kind`) a state has. The key is all that these moves depend on: the block, its state
   * and the world.
   */
  readonly #owned = new Map<string, number>();
  /** Redos that have been explored already: the block, and the world in which it was redone. */
  readonly #redone = new Set<string>();
  /** For each block, by its index: the transition that redoes it (INVALIDATE). */
  readonly #again = new Map<number, LearnedTransition>();
  #isAborted = false;
  /** States that also have moves other than `work`: these are explored after everything that `work` moves reach. */
  readonly #left = new Set<number>();
  /** Whether everything that `work` moves alone reach has been explored. */
  #isWorkDone = false;
  /** Number of moves tried so far. */
  #tried = 0;

  constructor(
    readonly subject: ExplorationSubject,
    readonly watch: Watch,
    readonly most: number,
  ) {
    this.#machine = new Machine(subject.program, subject.exactRounds);
    this.#liveness = findLiveness(subject);
    this.#standings = new KnownPlaces(subject.program, subject.exactRounds);
    this.#states = new States(this.#graph, most);
  }

  *explore(): Interruptible<StateGraph> {
    const { nodes, edges, work } = this.#graph;
    this.#begin();
    for (let at = 0; at < nodes.length; at += 1) yield* this.#expand(at, 'work');
    this.#isWorkDone = true;
    work.nodes = nodes.length;
    work.edges = edges.length;
    this.#graph.transitions = edges.length;
    for (let at = 0; at < nodes.length; at += 1) {
      const before = edges.length;
      if (at >= work.nodes) yield* this.#expand(at, 'all');
      else if (this.#left.has(at)) yield* this.#expand(at, 'rest');
      this.#graph.transitions += edges.length - before;
      this.#expandOwn(at);
      if (at % STEPS_BETWEEN_PAUSES === 0) yield;
    }
    return this.#graph;
  }

  #begin(): void {
    const chance = new ChoiceEnumerator();
    do {
      const change = new WorldChange(this.subject, createWorld(this.subject), chance, new Map());
      const learned = this.#machine.start(this.#answer(change, -1));
      this.#follow({ change, learned, before: null, from: -1, move: null });
    } while (this.#goOn(chance));
  }

  /** @param which the moves to take: `work` moves, the rest, or all */
  *#expand(at: number, which: 'work' | 'rest' | 'all'): Interruptible<void> {
    const node = this.#graph.nodes[at];
    if (node === undefined || !this.#graph.whole) return;
    for (const attempt of this.#listAttempts(node)) {
      const chance = new ChoiceEnumerator();
      do {
        this.#try(at, node, attempt, chance, which);
        this.#tried += 1;
        if (this.#tried % STEPS_BETWEEN_PAUSES === 0) yield;
      } while (this.#goOn(chance));
    }
  }

  #listAttempts({ standing }: ExploredState): TryMove[] {
    const attempts = this.#attempts[standing.number] ?? listMoves(this.subject, standing);
    this.#attempts[standing.number] = attempts;
    return attempts;
  }

  /**
   * Advances to the next combination of choices. If a step has more combinations than the limit of states, gives up:
   * the exploration is then incomplete.
   */
  #goOn(chance: ChoiceEnumerator): boolean {
    const isNext = chance.next();
    if (isNext && chance.taken > this.most) this.#graph.whole = false;
    return isNext && this.#graph.whole;
  }

  #try(
    at: number,
    node: ExploredState,
    attempt: TryMove,
    chance: ChoiceEnumerator,
    which: 'work' | 'rest' | 'all',
  ): void {
    const change = new WorldChange(this.subject, node.world.values, chance, node.standing.counts);
    const move = attempt(change);
    if (move === null) return;
    if (which === 'work' && move.kind !== 'work') this.#left.add(at);
    if (which !== 'all' && (move.kind === 'work') !== (which === 'work')) return;
    const { place, left } = node.standing;
    const { event } = move;
    const isFailed = event.type === 'FAIL' || event.type === 'ROUND' || event.type === 'HALT';
    if (move.handed !== true)
      change.hand(place.block, isFailed ? 'failed' : 'done', event.type === 'CHOOSE' ? event.choice : null);
    if (event.type === 'CHOOSE' && this.#grows(place.block, event.choice)) change.grow();
    change.setOutcome(place.block, isFailed ? OUTCOME.failed : OUTCOME.done);
    const learned = this.#machine.take(place, event, left, this.#answer(change, place.block));
    this.#follow({ change, learned, before: node.standing, from: at, move });
  }

  #grows(block: number, choice: string): boolean {
    const found = this.subject.recipe.blocks[block];
    return (
      found !== undefined &&
      'choices' in found &&
      found.choices.some(({ id, grows }) => id === choice && grows === true)
    );
  }

  /**
   * Returns the function with which the machine evaluates a block's condition before it enters the block. The function
   * records the blocks that were passed on the way there as skipped (recipes.md, Conditions).
   */
  #answer(change: WorldChange, resting: number): (source: string, of: string) => boolean {
    const { blocks } = this.subject.program;
    let last = resting;
    return (source, of) => {
      const index = this.#find(of);
      if (resting < 0 && blocks[0]?.standsForInit === true && index > 0) change.setOutcome(0, OUTCOME.done);
      for (let between = last + 1; between < index; between += 1)
        if (blocks[between]?.standsForInit !== true) change.setOutcome(between, OUTCOME.skipped);
      last = Math.max(last, index - 1);
      return change.holds(source, index);
    };
  }

  /** Takes the moves that are always possible: redo a block, halt, or abort. */
  #expandOwn(at: number): void {
    const node = this.#graph.nodes[at];
    if (node === undefined || !this.#graph.whole) return;
    const { place } = node.standing;
    const block = this.subject.recipe.blocks[place.block];
    if (block === undefined || place.state === 'completed' || place.state === 'aborted') return;
    // dev-cli's own commands end before anybody can act.
    if (!isPending(block) && place.state === 'active') return;
    // These moves read no counter, so states that differ only in counters have the same moves.
    const areCounted = this.subject.exactRounds.size > 0;
    const alike = `${place.block} ${place.state} ${node.world.number}`;
    const before = this.#owned.get(alike);
    if (before !== undefined && !areCounted) {
      this.#graph.transitions += before;
      return;
    }
    this.#abort(at, node);
    const count = 1 + this.#halt(at, node) + this.#redo(at, node);
    this.#owned.set(alike, count);
    this.#graph.transitions += count;
  }

  /** All aborts lead to the same state, so one is enough. */
  #abort(at: number, { standing }: ExploredState): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#own(at, { type: 'ABORT' }, this.#machine.take(standing.place, { type: 'ABORT' }, ALL_LEFT, NEVER));
  }

  /** Follows the event HALT. Returns the number of transitions, as `#redo` does. */
  #halt(at: number, { standing: { place } }: ExploredState): number {
    if (place.state === 'halted') return 0;
    const block = this.subject.program.blocks[place.block];
    const isKnown = block?.onError.kind === 'halt' && BLOCK_KINDS[block.kind].by !== 'person';
    // If a failure halts the run anyway, the halted state is already known.
    if (!isKnown) this.#own(at, { type: 'HALT' }, this.#machine.take(place, { type: 'HALT' }, ALL_LEFT, NEVER));
    return 1;
  }

  #redo(at: number, { standing, world }: ExploredState): number {
    const { program, exactRounds } = this.subject;
    const rounds = exactRounds.size > 0 ? keyCountedPlace({ ...standing, place: NOWHERE }) : '';
    const targets = program.blocks.slice(0, standing.place.block + 1);
    for (const [target, { id, standsForInit }] of targets.entries()) {
      // The result of redoing a block depends only on the world, and on rounds that conditions read.
      const key = `${target} ${world.number} ${rounds}`;
      if (standsForInit === true || this.#redone.has(key)) continue;
      this.#redone.add(key);
      const event = { type: 'INVALIDATE', block: id } as const;
      const known = this.#again.get(target) ?? this.#machine.take(standing.place, event, ALL_LEFT, NEVER);
      this.#again.set(target, known);
      this.#own(at, event, known);
    }
    return targets.filter(({ standsForInit }) => standsForInit !== true).length;
  }

  #own(from: number, event: Move['event'], learned: LearnedTransition): void {
    const node = this.#graph.nodes[from];
    if (node === undefined) return;
    const change = new WorldChange(this.subject, node.world.values, new ChoiceEnumerator(), node.standing.counts);
    if (event.type === 'INVALIDATE') {
      // A real run keeps a size that the user increased. Here every size becomes possible again, that one included.
      if (learned.to.block <= this.subject.classifier) change.forgetSaid();
      for (const block of this.subject.touched)
        if (block >= learned.to.block && block <= node.standing.place.block) change.retract(block);
      for (const block of this.subject.watched.keys())
        if (block < learned.to.block && !this.subject.asksStatus.has(block))
          change.setOutcome(block, OUTCOME.forgotten);
    }
    this.#follow({ change, learned, before: node.standing, from, move: { event, kind: 'own' } });
  }

  #follow({ change, learned, before, from, move }: Taken): void {
    if (before !== null && move?.kind !== 'own') change.setOutcome(before.place.block, OUTCOME.pending);
    this.#settle(change, learned);
    const { standing, times } = this.#standings.follow(before, move?.event ?? null, learned);
    const { nodes, edges } = this.#graph;
    const edge = move === null ? -1 : edges.length;
    const world = this.#states.know(this.#liveness.forget(change.world, learned.to));
    const how = { via: edge, begun: move === null ? change.chosen : [] };
    const to = this.#isWorkDone
      ? this.#states.meetAlike(standing, world, how)
      : this.#states.meet(standing, world, how);
    if (to < 0) return;
    // No finding is proved by an `own` move; its edge is kept only if it leads to a new state.
    const isOwn = this.#isWorkDone && move?.kind === 'own';
    if (move !== null && !(isOwn && nodes[to]?.via !== edge))
      edges.push({ from, to, move, chosen: change.chosen, times });
    if (!this.#isWorkDone) this.watch.step({ change, learned, to, edge });
  }

  #settle(change: WorldChange, { effects }: LearnedTransition): void {
    for (const effect of effects) {
      if (effect.type === 'settle') change.setOutcome(this.#find(effect.block), OUTCOME[effect.status]);
      if (effect.type === 'stale') for (const block of effect.blocks) change.retract(this.#find(block));
    }
  }

  #find(id: string): number {
    return this.subject.index.get(id) ?? -1;
  }
}

interface Taken {
  change: WorldChange;
  learned: LearnedTransition;
  /** Where the step begins; null, like `move`, at the beginning of a run. */
  before: CountedPlace | null;
  from: number;
  move: Move | null;
}
