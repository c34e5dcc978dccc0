import { needsVerdict } from '../../../recipe/declared.js';
import { STALE } from './candidates.js';
import type { Chance } from './chance.js';
import { fillSections } from './filled.js';
import type { Counts } from './place.js';
import { findAgent, LARGEST, type Subject } from './subject.js';

/**
 * What a run knows besides its place, as far as anybody asks: the values of conditions and the outcomes of blocks. Numbers:
 * first the values, then the watched blocks, last whether the user has said the size.
 */
export type World = readonly number[];

/** A world that an exploration has met: one object for all states that have it. */
export interface KnownWorld {
  values: World;
  /** From 0, in the order in which they were met. */
  number: number;
}

/** Of a value: any of its values, any that is set, any that is set and not 0. Else the index of one. */
const FREE = -1;
const SET = -2;
const NOT_ZERO = -3;

/** The outcome of a watched block. */
export const OUTCOME = { pending: 0, done: 1, skipped: 2, failed: 3, forgotten: 9 } as const;

/** Whether nobody can tell what stands there. */
export function isUnknown(value: number): boolean {
  return value < 0 || value === OUTCOME.forgotten;
}

/** A value that was chosen on the way: which, and of its values which. */
export type Chosen = readonly [value: number, index: number];

/** A world in the making: one step of the exploration changes it. */
export class Change {
  readonly chosen: Chosen[] = [];
  /** Values that were asked for before they were set, and whether it mattered. */
  readonly unset: { value: number; source: string }[] = [];
  readonly #world: number[];

  constructor(
    readonly subject: Subject,
    before: World,
    readonly chance: Chance,
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

  /** What a block has handed in is there: whatever it may have been. */
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

  /**
   * Whether the condition of an agent does not hold: it was not asked, and is what it was. Only of agents that somebody asks
   * about: a condition decided for others would tell states apart that nothing tells apart.
   */
  #isIdle(block: number, agent: string | undefined): boolean {
    const { when } = findAgent(this.subject.recipe.blocks[block], agent) ?? {};
    return when !== undefined && !this.holds(when, block);
  }

  /** What an agent of a block has come to. Of several, one may have failed where the run goes on, and one delivered where it does not. */
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
    const output = findAgent(block, id)?.output;
    const isDemanded = output !== undefined && needsVerdict(block, output);
    const isPromised = member === 'summary' || (member === 'verdict' && isDemanded);
    return isPromised && values.length > 1 ? SET : FREE;
  }

  /** Takes it that a check has found these sections filled. @returns whether it can have */
  fill(sections: readonly string[]): boolean {
    return fillSections(this.subject, this.#world, sections);
  }

  /** Whether a value says that a section of the draft is filled: nothing empties it again. */
  #isFilled(at: number): boolean {
    const { path = [], values = [] } = this.subject.values[at] ?? {};
    return path[0] === 'draft' && path[2] === 'filled' && values[this.#world[at] ?? FREE] === true;
  }

  /** What a block has come to no longer counts. */
  retract(block: number): void {
    const { produced, size, classifier } = this.subject;
    for (const at of produced[block] ?? []) this.#world[at] = this.#getRetracted(at, block);
    if (block === classifier && size >= 0 && !this.isSizeSaid) this.#world[size] = LARGEST;
    this.setOutcome(block, OUTCOME.pending);
  }

  /**
   * Returns what a value is once its block has to be done again. A draft stays. What an agent said stays if the agent or its block has
   * a condition, and so may not be asked again. What any other agent said is free to be anything: it will be asked again, and
   * keeping its answer until then would triple the states of recipes with ways back.
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
    return block?.when === undefined && findAgent(block, agent)?.when === undefined;
  }

  /** The size of the work, by its index; asks chance where nothing says it. */
  get size(): number {
    const { size } = this.subject;
    return size < 0 ? LARGEST : this.#get(size);
  }

  get isSizeSaid(): boolean {
    return this.#world.at(-1) === 1;
  }

  /** Nobody has said the size. */
  forgetSaid(): void {
    this.#world[this.#world.length - 1] = 0;
  }

  /** The user has made the work one size larger. */
  grow(): void {
    const { size } = this.subject;
    if (size < 0) return;
    this.#world[size] = Math.min(LARGEST, this.size + 1);
    this.#world[this.#world.length - 1] = 1;
  }

  /**
   * Decides a condition; what is not known yet chance decides, and it is known from then on.
   * @param block whose round counts
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
   * Lists those values of a condition that does not hold here without which it would have to stay so.
   * @param isOpen whether a value could be another; `getValue` gives what it is
   * @returns empty where it could not hold whatever they were
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

  /** Whether a value is asked for that a block was to set which was skipped or has failed. */
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

  /** Whether a value of an agent can be with what is known of its others: one that has failed has said nothing. */
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
   * The value that stands for a number of rounds: the last that is not greater. Where the user may grant or fill rounds there may
   * have been any number before, and each time another.
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
  // No agent reports that.
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

/** The world in which a run begins. */
export function createWorld({ values, watched, classifier }: Subject): World {
  return [
    ...values.map(({ path, values: all }) => {
      if (path[0] === 'size') return classifier >= 0 ? LARGEST : FREE;
      return all[0] === null && path[0] !== 'preferences' ? 0 : FREE;
    }),
    ...[...watched].map(() => OUTCOME.pending),
    0,
  ];
}
