/** Gives out ids that nothing has yet, such as `todo-3`: one above the highest of their beginning. */
export class FreeIds {
  readonly #beginning: string;
  #last = 0;

  constructor(beginning: string, taken: Iterable<string>) {
    this.#beginning = `${beginning}-`;
    for (const id of taken) this.take(id);
  }

  /** Has an id counted as taken. */
  take(id: string): void {
    if (!id.startsWith(this.#beginning)) return;
    const number = id.slice(this.#beginning.length);
    if (/^\d{1,9}$/.test(number)) this.#last = Math.max(this.#last, Number(number));
  }

  /** Returns the next one, which is taken from then on. */
  next(): string {
    this.#last += 1;
    return `${this.#beginning}${this.#last}`;
  }
}
