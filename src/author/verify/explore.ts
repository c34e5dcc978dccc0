import { Chance } from './chance.js';
import type { Graph, Node } from './graph.js';
import { type Interruptible, STEPS_BETWEEN_PAUSES } from './interruptible.js';
import { changeCounts, type Learned, type Left, Machine } from './learned.js';
import { findLiveness, type Liveness } from './liveness.js';
import { type Attempt, listMoves, type Move } from './moves.js';
import { type Counts, keyStanding, NOTHING_SPENT, type Place, reduceStanding, type Standing } from './place.js';
import type { Subject } from './subject.js';
import { Change, createWorld, OUTCOME, type World } from './world.js';

/** Told of each step of the work, to find what is wrong with it. */
export interface Watch {
  step(step: WatchedStep): void;
}

/** A step of the work. */
export interface WatchedStep {
  /** What is known after it. */
  change: Change;
  learned: Learned;
  /** The edge; -1 for the beginning. */
  edge: number;
  /** The state that it leads to. */
  to: number;
}

/** Stands for any place where only counters are compared. */
const NOWHERE: Place = { value: '', block: -1, state: 'active' };

/** States at most, unless said otherwise. */
export const MOST_STATES = 50_000;

/**
 * Explores a sequential recipe breadth-first, under every outcome that an agent or a person can give (authoring.md, Verify). The
 * steps are those of the machine's own transition function.
 */
export function explore(subject: Subject, watch: Watch, most = MOST_STATES): Interruptible<Graph> {
  const explorer = new Explorer(subject, watch, most);
  return explorer.explore();
}

class Explorer {
  readonly #graph: Graph = { nodes: [], edges: [], work: { nodes: 0, edges: 0 }, transitions: 0, whole: true };
  readonly #known = new Map<string, number>();
  readonly #machine: Machine;
  readonly #liveness: Liveness;
  /** The states by their standing alone. */
  readonly #alike = new Map<string, number[]>();
  /** How many things whoever acts can do at any time, by what tells states apart in this. */
  readonly #owned = new Map<string, number>();
  /** Blocks that were redone, each with what was known then. */
  readonly #redone = new Set<string>();
  /** By index of a block: what an invalidate of it leads to. */
  readonly #again = new Map<number, Learned>();
  #over: Learned | null = null;
  /** States where more can happen than the work. */
  readonly #left = new Set<number>();
  /** Whether all that the work itself reaches is known. */
  #isWorkDone = false;
  /** How many steps were tried. */
  #tried = 0;

  constructor(
    readonly subject: Subject,
    readonly watch: Watch,
    readonly most: number,
  ) {
    this.#machine = new Machine(subject.program, subject.exactRounds);
    this.#liveness = findLiveness(subject);
  }

  *explore(): Interruptible<Graph> {
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
    const chance = new Chance();
    do {
      const change = new Change(this.subject, createWorld(this.subject), chance, new Map());
      const learned = this.#machine.start(this.#answer(change, -1));
      this.#follow({ change, learned, before: { place: learned.to, counts: new Map() }, from: -1, move: null });
    } while (this.#goOn(chance));
  }

  /** @param which of what can happen: the work, what is left after it, or both */
  *#expand(at: number, which: 'work' | 'rest' | 'all'): Interruptible<void> {
    const node = this.#graph.nodes[at];
    if (node === undefined || !this.#graph.whole) return;
    for (const attempt of listMoves(this.subject, node.standing)) {
      const chance = new Chance();
      do {
        this.#try(at, node, attempt, chance, which);
        this.#tried += 1;
        if (this.#tried % STEPS_BETWEEN_PAUSES === 0) yield;
      } while (this.#goOn(chance));
    }
  }

  /** Goes on to the next combination of choices; one step that has more of them than states may be is not explored to the end. */
  #goOn(chance: Chance): boolean {
    const isNext = chance.next();
    if (isNext && chance.taken > this.most) this.#graph.whole = false;
    return isNext && this.#graph.whole;
  }

  #try(at: number, node: Node, attempt: Attempt, chance: Chance, which: 'work' | 'rest' | 'all'): void {
    const change = new Change(this.subject, node.world, chance, node.standing.counts);
    const move = attempt(change);
    if (move === null) return;
    if (which === 'work' && move.kind !== 'work') this.#left.add(at);
    if (which !== 'all' && (move.kind === 'work') !== (which === 'work')) return;
    const { place, counts } = node.standing;
    const { event } = move;
    const isFailed = event.type === 'FAIL' || event.type === 'ROUND' || event.type === 'HALT';
    if (move.handed !== true)
      change.hand(place.block, isFailed ? 'failed' : 'done', event.type === 'CHOOSE' ? event.choice : null);
    if (event.type === 'CHOOSE' && this.#grows(place.block, event.choice)) change.grow();
    change.setOutcome(place.block, isFailed ? OUTCOME.failed : OUTCOME.done);
    const left = this.#findLeft(place.block, counts.get(place.block) ?? NOTHING_SPENT);
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

  #findLeft(block: number, { spent, retries, jumps }: Counts): Left {
    const { maxRounds = 0, onError } = this.subject.program.blocks[block] ?? { onError: { kind: 'halt' } as const };
    return {
      rounds: spent < maxRounds,
      retries: onError.kind === 'retry' && retries < onError.max,
      jumps: jumps < maxRounds,
    };
  }

  /** Answers conditions of blocks that are entered: those between have been skipped (recipes.md, Conditions). */
  #answer(change: Change, resting: number): (source: string, of: string) => boolean {
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

  /** What whoever acts can do at any time: redo a block, or abort. */
  #expandOwn(at: number): void {
    const node = this.#graph.nodes[at];
    if (node === undefined || !this.#graph.whole) return;
    const { place } = node.standing;
    const block = this.subject.recipe.blocks[place.block];
    if (block === undefined || place.state === 'completed' || place.state === 'aborted') return;
    // What dev-cli does itself is over before anybody can act.
    if (block.kind === 'cli' && block.command.kind === 'own' && place.state === 'active') return;
    // None of it looks at a counter, so states that differ in nothing else come to the same.
    const alike = `${place.block} ${place.state}|${node.world.join(',')}`;
    const areCounted = this.subject.exactRounds.size > 0;
    const before = this.#owned.get(alike);
    if (before !== undefined && !areCounted) {
      this.#graph.transitions += before;
      return;
    }
    const left: Left = { rounds: true, retries: true, jumps: true };
    const never = () => false;
    let count = 1;
    this.#over ??= this.#machine.take(place, { type: 'ABORT' }, left, never);
    this.#own(at, { type: 'ABORT' }, this.#over);
    if (place.state !== 'halted') {
      count += 1;
      // Where a failure halts, the state that a halt leads to is known.
      if (this.subject.program.blocks[place.block]?.onError.kind !== 'halt' || block.kind === 'wait-for-user')
        this.#own(at, { type: 'HALT' }, this.#machine.take(place, { type: 'HALT' }, left, never));
    }
    const world = node.world.join(',');
    const rounds = this.subject.exactRounds.size === 0 ? '' : keyStanding({ ...node.standing, place: NOWHERE });
    for (let target = 0; target <= place.block; target += 1) {
      const id = this.subject.program.blocks[target]?.id ?? '';
      if (this.subject.program.blocks[target]?.standsForInit === true) continue;
      count += 1;
      // Where the block leads that is redone depends on nothing but what is known, rounds that are looked at included.
      const key = `${target}|${world}${rounds}`;
      if (this.#redone.has(key)) continue;
      this.#redone.add(key);
      const event = { type: 'INVALIDATE', block: id } as const;
      const known = this.#again.get(target) ?? this.#machine.take(place, event, left, never);
      this.#again.set(target, known);
      this.#own(at, event, known);
    }
    this.#owned.set(alike, count);
    this.#graph.transitions += count;
  }

  #own(from: number, event: Move['event'], learned: Learned): void {
    const node = this.#graph.nodes[from];
    if (node === undefined) return;
    const change = new Change(this.subject, node.world, new Chance(), node.standing.counts);
    if (event.type === 'INVALIDATE') {
      // A size that the user has let grow stays; any size that the block may find then covers it.
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
    const { to } = learned;
    if (move !== null && move.kind !== 'own') change.setOutcome(before.place.block, OUTCOME.pending);
    this.#settle(change, learned);
    const counts = applyChange(before, learned);
    const times = move === null ? 1 : this.#spendRounds(before, move, learned, counts);
    const standing = reduceStanding(this.subject.program, { place: to, counts }, this.subject.exactRounds);
    const edge = move === null ? -1 : this.#graph.edges.length;
    const world = this.#liveness.forget(change.world, to);
    const key = keyStanding(standing);
    const alike = this.#isWorkDone ? this.#findAlike(key, world) : -1;
    const reached = alike >= 0 ? alike : this.#meet(key, standing, world, edge, move === null ? change.chosen : []);
    if (reached < 0) return;
    // What whoever acts does at will proves nothing: its edges are kept where they lead to something new.
    const isOwn = this.#isWorkDone && move?.kind === 'own';
    if (move !== null && !(isOwn && this.#graph.nodes[reached]?.via !== edge))
      this.#graph.edges.push({ from, to: reached, move, chosen: [...change.chosen], times });
    if (!this.#isWorkDone) this.watch.step({ change, learned, to: reached, edge });
  }

  #settle(change: Change, { effects }: Learned): void {
    for (const effect of effects) {
      if (effect.type === 'settle') change.setOutcome(this.#find(effect.block), OUTCOME[effect.status]);
      if (effect.type === 'stale') for (const block of effect.blocks) change.retract(this.#find(block));
    }
  }

  /**
   * Finds a state that differs only in what a run has forgotten that was sent back, and that nobody asks for but to tell what is
   * wrong on the way on; -1 where there is none.
   */
  #findAlike(key: string, world: World): number {
    const isUnknown = (value: number) => value < 0 || value === OUTCOME.forgotten;
    const found = this.#alike.get(key)?.find((at) =>
      this.#graph.nodes[at]?.world.every((value, slot) => {
        const other = world[slot] ?? -1;
        // The last says only whose word the size is.
        if (slot === world.length - 1) return true;
        return value === other || isUnknown(value) || isUnknown(other);
      }),
    );
    return found ?? -1;
  }

  /** Takes all rounds of a loop but the last at once. Returns how many that are. */
  #spendRounds({ place }: Standing, { event }: Move, { to }: Learned, counts: Map<number, Counts>): number {
    const { revise, maxRounds = 1 } = this.subject.program.blocks[place.block] ?? {};
    const own = counts.get(place.block);
    const isAgain = event.type === 'ROUND' && !event.filled && to.block === place.block && to.state === 'active';
    const isExact = this.subject.exactRounds.has(place.block);
    if (!isAgain || isExact || revise !== undefined || own === undefined || own.spent >= maxRounds) return 1;
    counts.set(place.block, { ...own, spent: maxRounds });
    return maxRounds - own.spent + 1;
  }

  #find(id: string): number {
    return this.subject.index.get(id) ?? -1;
  }

  /** Returns the number of the state; -1 at the limit. */
  #meet(place: string, standing: Standing, world: World, via: number, begun: Node['begun']): number {
    const { nodes } = this.#graph;
    const key = `${place}|${world.join(',')}`;
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    if (nodes.length >= this.most) {
      this.#graph.whole = false;
      return -1;
    }
    this.#known.set(key, nodes.length);
    const alike = this.#alike.get(place);
    if (alike === undefined) this.#alike.set(place, [nodes.length]);
    else alike.push(nodes.length);
    nodes.push({ standing, world, via, begun: [...begun] });
    return nodes.length - 1;
  }
}

interface Taken {
  change: Change;
  learned: Learned;
  before: Standing;
  from: number;
  /** Null at the beginning. */
  move: Move | null;
}

function applyChange({ counts }: Standing, { change }: Learned): Map<number, Counts> {
  const after = new Map(counts);
  for (const [block, how] of change) after.set(block, changeCounts(counts.get(block) ?? NOTHING_SPENT, how));
  return after;
}
