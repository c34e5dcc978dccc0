/** Takes every combination of choices, one after the other: a run of a function asks for each choice as it comes to it. */
export class Chance {
  readonly #taken: { pick: number; of: number }[] = [];
  #at = 0;
  /** How many combinations were taken before this one. */
  taken = 0;

  /** Chooses one of `of` possibilities, from 0. */
  pick(of: number): number {
    const known = this.#taken[this.#at];
    this.#at += 1;
    if (known !== undefined) return known.pick;
    this.#taken.push({ pick: 0, of });
    return 0;
  }

  /** Goes on to the next combination; false when all were taken. */
  next(): boolean {
    this.#at = 0;
    this.taken += 1;
    for (let last = this.#taken.pop(); last !== undefined; last = this.#taken.pop()) {
      if (last.pick + 1 < last.of) {
        this.#taken.push({ pick: last.pick + 1, of: last.of });
        return true;
      }
    }
    return false;
  }
}
