import { distance } from 'fastest-levenshtein';

/** The known word that `word` was probably meant to be, or undefined when none is near. */
export function suggestion(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let nearest = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const far = distance(word.toLowerCase(), candidate.toLowerCase());
    if (far < nearest) [best, nearest] = [candidate, far];
  }
  return best;
}
