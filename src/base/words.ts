/** Renders lists and counts in sentences. */

/** Joins the first `most` words and counts the rest: `a, b and 3 more`. */
export function joinFirst(words: readonly string[], most: number): string {
  return `${words.slice(0, most).join(', ')}${words.length > most ? ` and ${words.length - most} more` : ''}`;
}

/** Joins all words, with `and` or `or` before the last: `a, b or c`. */
export function joinAll(words: readonly string[], last: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

/**
 * Counts things: `1 file`, `3 files`.
 * @param many the plural; by default `one` with an `s`
 */
export function renderCount(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
