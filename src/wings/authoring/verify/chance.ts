/**
 * Enumerates every combination of choices: a function is run once per combination, and asks for each choice when it
 * needs it.
 */
export class ChoiceEnumerator {
  readonly #taken: { pick: number; of: number }[] = [];
  #at = 0;
  /** Number of combinations before this one. */
  taken = 0;

  /** Chooses one of `of` possibilities, counted from 0. */
  pick(of: number): number {
    const known = this.#taken[this.#at];
    this.#at += 1;
    if (known !== undefined) return known.pick;
    this.#taken.push({ pick: 0, of });
    return 0;
  }

  /** Advances to the next combination; returns false after the last. */
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
