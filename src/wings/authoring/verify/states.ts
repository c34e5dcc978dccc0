import type { ExploredState, StateGraph } from './graph.js';
import type { KnownPlace } from './standings.js';
import { isUnknown, type KnownWorld, type World } from './world.js';

/** The states of an exploration, without duplicates. */
export class States {
  readonly #worlds = new Map<string, KnownWorld>();
  /** The number of each state, by the number of its standing, then of its world. */
  readonly #known: Map<number, number>[] = [];

  constructor(
    readonly graph: StateGraph,
    readonly most: number,
  ) {}

  /** Returns the one object that represents a world. */
  know(world: World): KnownWorld {
    const key = world.join();
    const known = this.#worlds.get(key) ?? { values: world, number: this.#worlds.size };
    this.#worlds.set(key, known);
    return known;
  }

  /**
   * Returns the number of the state; -1 if the limit was reached.
   * @param how the way to the state, stored if it is new
   */
  meet(standing: KnownPlace, world: KnownWorld, how: Pick<ExploredState, 'via' | 'begun'>): number {
    const { nodes } = this.graph;
    const byWorld = this.#at(standing);
    const before = byWorld.get(world.number);
    if (before !== undefined) return before;
    if (nodes.length >= this.most) {
      this.graph.whole = false;
      return -1;
    }
    byWorld.set(world.number, nodes.length);
    nodes.push({ standing, world, ...how });
    return nodes.length - 1;
  }

  /**
   * Like `meet`, but treats states as equal if they differ only in values that became unknown when a run was sent back;
   * such values only serve to report later faults.
   */
  meetAlike(standing: KnownPlace, world: KnownWorld, how: Pick<ExploredState, 'via' | 'begun'>): number {
    const byWorld = this.#at(standing);
    if (!byWorld.has(world.number)) {
      const alike = [...byWorld.values()].find((at) => isAlike(this.graph.nodes[at]?.world.values ?? [], world.values));
      if (alike !== undefined) byWorld.set(world.number, alike);
    }
    return this.meet(standing, world, how);
  }

  #at({ number }: KnownPlace): Map<number, number> {
    const byWorld = this.#known[number] ?? new Map<number, number>();
    this.#known[number] = byWorld;
    return byWorld;
  }
}

function isAlike(one: World, other: World): boolean {
  // The last slot is not compared: it is no value, and only says whether the user set the size.
  return one.every((value, slot) => {
    const against = other[slot] ?? -1;
    return slot === one.length - 1 || value === against || isUnknown(value) || isUnknown(against);
  });
}
