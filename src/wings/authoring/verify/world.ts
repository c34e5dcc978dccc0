import { needsVerdict } from '../../../recipe/declared.js';
import { STALE } from './candidates.js';
import type { ChoiceEnumerator } from './chance.js';
import { fillSections } from './filled.js';
import type { Counts } from './place.js';
import { type ExplorationSubject, findBlockAgent, LARGEST } from './subject.js';

/**
 * What a run knows apart from its place, as far as anything reads it: values of conditions and outcomes of blocks. The
 * numbers stand for the values, then for the watched blocks; the last one says whether the user set the size.
 */
export type World = readonly number[];

/** A world that an exploration has reached: one object, shared by all states that have it. */
export interface KnownWorld {
  values: World;
  /** Counted from 0, in the order in which they were reached. */
  number: number;
}

/** Unknown values: any candidate, any candidate that is set, any that is set and not 0. Known values are indices. */
const FREE = -1;
const SET = -2;
const NOT_ZERO = -3;

/** Outcomes of a watched block; after a redo, those of blocks before the redone one may be `forgotten`. */
export const OUTCOME = { pending: 0, done: 1, skipped: 2, failed: 3, forgotten: 9 } as const;

/** Returns whether a slot has no known value. */
export function isUnknown(value: number): boolean {
  return value < 0 || value === OUTCOME.forgotten;
}

/** A value chosen on the path: the value's number, and the index of the chosen candidate. */
export type Chosen = readonly [value: number, index: number];

/** A world being changed by one step of the exploration. */
export class WorldChange {
  readonly chosen: Chosen[] = [];
  /** Values that a condition read while they were unset, if a set value could have changed the result. */
  readonly unset: { value: number; source: string }[] = [];
  readonly #world: number[];

  constructor(
    readonly subject: ExplorationSubject,
    before: World,
    readonly chance: ChoiceEnumerator,
    readonly counts: ReadonlyMap<number, Counts>,
  ) {
    this.#world = [...before];
  }

  get world(): World {
    return this.#world;
  }

  outcome(block: number): number {
    return this.#world[this.#slot(block)] ?? OUTCOME.forgotten;
  }

  setOutcome(block: number, outcome: number): void {
    if (!this.subject.watched.has(block)) return;
    const merged = outcome === OUTCOME.failed && !this.subject.exact.has(block) ? OUTCOME.done : outcome;
    this.#world[this.#slot(block)] = merged;
  }

  /** Records that a block has handed in its values, whatever they are. */
  hand(block: number, how: 'done' | 'failed', choice: string | null): void {
    const { values, produced, size, classifier } = this.subject;
    const handed = (produced[block] ?? []).filter((at) => {
      const [root, id] = values[at]?.path ?? [];
      return root === 'agents' ? !this.#isIdle(block, id) : !this.#isFilled(at);
    });
    for (const at of handed) {
      const { path = [], values: all = [] } = values[at] ?? {};
      this.#world[at] = path[0] === 'agents' ? this.#getSaid(block, path, all, how) : getHanded(path, all, how, choice);
    }
    if (block === classifier && size >= 0 && !this.isSizeSaid) this.#world[size] = FREE;
  }

  /** Returns whether an agent was not asked. Called only for agents that conditions read, to keep the states few. */
  #isIdle(block: number, agent: string | undefined): boolean {
    const { when } = findBlockAgent(this.subject.recipe.blocks[block], agent) ?? {};
    return when !== undefined && !this.holds(when, block);
  }

  /**
   * Returns what is known about an agent's value. With several agents, one may have failed although the block is done,
   * and one may have delivered although the block failed.
   */
  #getSaid(at: number, [, id, member]: readonly string[], values: readonly unknown[], how: 'done' | 'failed'): number {
    const block = this.subject.recipe.blocks[at];
    if (block === undefined || !('agents' in block)) return FREE;
    const { agents, onError, onComplete } = block;
    const isAlone = !agents.some((one) => one.id !== id && (one.when === undefined || this.holds(one.when, at)));
    const isCertain = isAlone
      ? how === 'done' || onComplete === undefined
      : how === 'done' && onError.kind !== 'continue';
    if (member === 'status') return isCertain ? values.indexOf(how) : SET;
    if (!isCertain) return FREE;
    if (how === 'failed') return values.indexOf(null);
    const output = findBlockAgent(block, id)?.output;
    const isDemanded = output !== undefined && needsVerdict(block, output);
    const isPromised = member === 'summary' || (member === 'verdict' && isDemanded);
    return isPromised && values.length > 1 ? SET : FREE;
  }

  /** Assumes that a check found these sections filled. @returns whether that is possible */
  fill(sections: readonly string[]): boolean {
    return fillSections(this.subject, this.#world, sections);
  }

  /** Returns whether a value says that a section of the draft is filled; a filled section stays filled. */
  #isFilled(at: number): boolean {
    const { path = [], values = [] } = this.subject.values[at] ?? {};
    return path[0] === 'draft' && path[2] === 'filled' && values[this.#world[at] ?? FREE] === true;
  }

  /** Discards the results of a block. */
  retract(block: number): void {
    const { produced, size, classifier } = this.subject;
    for (const at of produced[block] ?? []) this.#world[at] = this.#getRetracted(at, block);
    if (block === classifier && size >= 0 && !this.isSizeSaid) this.#world[size] = LARGEST;
    this.setOutcome(block, OUTCOME.pending);
  }

  /**
   * Returns the value that remains when its block has to be done again. A draft stays. An agent's answer stays if the
   * agent or its block has a condition, because the agent may then not be asked again. Any other agent will be asked
   * again, and keeping its answer until then would triple the states of recipes with ways back.
   */
  #getRetracted(at: number, block: number): number {
    const { path: [root, id, member] = [], values = [] } = this.subject.values[at] ?? {};
    const known = this.#world[at] ?? FREE;
    switch (root) {
      case 'draft':
        return known;
      case 'blocks':
        return 0;
      case 'agents':
        if (known === 0) return 0;
        if (member === 'status') return values.indexOf(STALE);
        return this.#isAskedAgain(block, id) ? FREE : known;
      default:
        return FREE;
    }
  }

  #isAskedAgain(at: number, agent: string | undefined): boolean {
    const block = this.subject.recipe.blocks[at];
    return block?.when === undefined && findBlockAgent(block, agent)?.when === undefined;
  }

  /** Returns the size of the work, by its index; chooses one if it is unknown. */
  get size(): number {
    const { size } = this.subject;
    return size < 0 ? LARGEST : this.#get(size);
  }

  get isSizeSaid(): boolean {
    return this.#world.at(-1) === 1;
  }

  /** Records that the user did not set the size. */
  forgetSaid(): void {
    this.#world[this.#world.length - 1] = 0;
  }

  /** Records that the user increased the size by one. */
  grow(): void {
    const { size } = this.subject;
    if (size < 0) return;
    this.#world[size] = Math.min(LARGEST, this.size + 1);
    this.#world[this.#world.length - 1] = 1;
  }

  /**
   * Evaluates a condition. Chooses values that are unknown; they are known from then on.
   * @param block the block whose rounds `round` counts
   */
  holds(source: string, block: number): boolean {
    const condition = this.subject.conditions.get(source);
    if (condition === undefined) return true;
    const indices = condition.looksAt.map((at) => this.#get(at, block));
    const decided = condition.holdsAt(indices);
    for (const [place, at] of condition.looksAt.entries()) {
      if (this.#world[at] !== 0 || !this.#isMissing(at)) continue;
      const others = this.subject.values[at]?.values ?? [];
      const matters = others.some((_, index) => condition.holdsAt(indices.with(place, index)) !== decided);
      if (matters) this.unset.push({ value: at, source });
    }
    return decided;
  }

  /**
   * Lists the paths of those values of an unmet condition that could have been different, if that could have met it.
   * @param isOpen returns whether an agent could have set the value differently; `getValue` returns its current value
   * @returns none if the condition could not have held with any candidates of these values
   */
  listOpen(
    source: string,
    isOpen: (path: readonly string[], getValue: () => unknown) => boolean,
  ): (readonly string[])[] {
    const { looksAt = [], holdsAt = () => true } = this.subject.conditions.get(source) ?? {};
    const open = looksAt.filter((at) => {
      const { path = [], values = [] } = this.subject.values[at] ?? {};
      return isOpen(path, () => values[this.#get(at)]);
    });
    const canHold = (given: readonly number[]): boolean => {
      const next = looksAt[given.length];
      if (next === undefined) return holdsAt(given);
      if (!open.includes(next)) return canHold([...given, this.#get(next)]);
      return (this.subject.values[next]?.values ?? []).some((_, index) => canHold([...given, index]));
    };
    return canHold([]) ? open.map((at) => this.subject.values[at]?.path ?? []) : [];
  }

  /** Returns whether a value is unset because its block was skipped or failed. */
  #isMissing(at: number): boolean {
    const [root, id = '', member] = this.subject.values[at]?.path ?? [];
    if (root !== 'blocks' || (member !== 'data' && member !== 'exit')) return false;
    const outcome = this.outcome(this.subject.index.get(id) ?? -1);
    return outcome === OUTCOME.skipped || outcome === OUTCOME.failed;
  }

  #get(at: number, block = -1): number {
    const { path = [], values = [] } = this.subject.values[at] ?? {};
    const known = this.#world[at] ?? FREE;
    if (path[0] === 'blocks' && path[2] === 'status') return this.#getStatus(path[1] ?? '');
    if (path[0] === 'round') return this.#countRounds(values, Math.max(1, this.#getRounds(block)), block);
    if (path[0] === 'blocks' && path[2] === 'rounds') {
      const of = this.subject.index.get(path[1] ?? '') ?? -1;
      return this.#countRounds(values, this.#getRounds(of), of);
    }
    if (known >= 0) return known;
    const fits = (value: unknown) => isPossible(known, value, path) && this.#agrees(path, value);
    const possible = values.flatMap((value, index) => (fits(value) ? [index] : []));
    const index = possible[this.chance.pick(Math.max(1, possible.length))] ?? 0;
    this.#world[at] = index;
    this.chosen.push([at, index]);
    return index;
  }

  /** Returns whether a value of an agent fits its other known values: an agent that failed has reported nothing. */
  #agrees([root, id, member]: readonly string[], value: unknown): boolean {
    if (root !== 'agents') return true;
    return this.subject.values.every(({ path, values }, at) => {
      const known = this.#world[at] ?? FREE;
      if (path[0] !== 'agents' || path[1] !== id || path[2] === member || known < 0) return true;
      if (member === 'status') return value === 'done' || values[known] === null;
      return path[2] !== 'status' || values[known] === 'done' || values[known] === STALE || value === null;
    });
  }

  #getRounds(block: number): number {
    return this.counts.get(block)?.rounds ?? 0;
  }

  /**
   * Returns the candidate that stands for a number of rounds: the last one that is not greater. If the block asks the
   * user, there may have been more rounds, so a higher candidate may be chosen, anew each time.
   */
  #countRounds(values: readonly unknown[], rounds: number, block: number): number {
    const least = Math.max(
      0,
      values.findLastIndex((one) => Number(one) <= rounds),
    );
    const isOpen = this.subject.program.blocks[block]?.asksUser === true;
    return isOpen ? least + this.chance.pick(values.length - least) : least;
  }

  #getStatus(id: string): number {
    const outcome = this.outcome(this.subject.index.get(id) ?? -1);
    return outcome === OUTCOME.forgotten ? OUTCOME.pending : outcome;
  }

  #slot(block: number): number {
    const number = this.subject.watched.get(block);
    return number === undefined ? -1 : this.subject.values.length + number;
  }
}

function isPossible(known: number, value: unknown, path: readonly string[]): boolean {
  // An agent never reports this status.
  if (path[0] === 'agents' && path[2] === 'status' && value === STALE) return false;
  if (known === FREE) return true;
  return value !== null && (known === SET || value !== 0);
}

function getHanded(
  path: readonly string[],
  values: readonly unknown[],
  how: 'done' | 'failed',
  choice: string | null,
): number {
  const [root, , member] = path;
  if (root !== 'blocks') return FREE;
  switch (member) {
    case 'choice':
      return choice === null ? 0 : Math.max(0, values.indexOf(choice));
    case 'exit':
      return how === 'done' ? values.indexOf(0) : NOT_ZERO;
    case 'data':
      return how === 'done' ? (values.length > 1 ? SET : 0) : 0;
    default:
      return 0;
  }
}

/** Creates the world in which a run begins. */
export function createWorld({ values, watched, classifier }: ExplorationSubject): World {
  return [
    ...values.map(({ path, values: all }) => {
      if (path[0] === 'size') return classifier >= 0 ? LARGEST : FREE;
      return all[0] === null && path[0] !== 'preferences' ? 0 : FREE;
    }),
    ...[...watched].map(() => OUTCOME.pending),
    0,
  ];
}
