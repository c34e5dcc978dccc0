/** Assigns unused ids such as `todo-3`: one above the highest number with the same prefix. */
export class FreeIds {
  readonly #beginning: string;
  #last = 0;

  constructor(beginning: string, taken: Iterable<string>) {
    this.#beginning = `${beginning}-`;
    for (const id of taken) this.take(id);
  }

  /** Marks an id as taken. */
  take(id: string): void {
    if (!id.startsWith(this.#beginning)) return;
    const number = id.slice(this.#beginning.length);
    if (/^\d{1,9}$/.test(number)) this.#last = Math.max(this.#last, Number(number));
  }

  /** Returns the next unused id and marks it as taken. */
  next(): string {
    this.#last += 1;
    return `${this.#beginning}${this.#last}`;
  }
}
