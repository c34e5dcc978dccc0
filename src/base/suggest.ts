import { distance } from 'fastest-levenshtein';

/** Words offered at most. */
const OFFERED = 6;

/** Characters from which on the beginning of a word says which words are meant. */
const TELLING = 2;

/** The known word that `word` was probably meant to be, or undefined when none is near. */
export function findSuggestion(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let nearest = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const far = distance(word.toLowerCase(), candidate.toLowerCase());
    if (far < nearest) [best, nearest] = [candidate, far];
  }
  return best;
}

/** The known words that `word` can stand for: those that it begins, at most six, else the one that it is near to. */
function listSuggestions(word: string, known: readonly string[]): string[] {
  const start = word.toLowerCase();
  const begins = (candidate: string) => candidate.toLowerCase().startsWith(start);
  const begun = word.length < TELLING ? [] : [...new Set(known)].filter(begins);
  if (begun.length > 0) return begun.slice(0, OFFERED);
  const near = findSuggestion(word, known);
  return near === undefined ? [] : [near];
}

/** ` Did you mean "a", "b" or "c"?`, to stand behind a sentence; nothing when no known word fits. */
export function renderSuggestion(word: string, known: readonly string[]): string {
  const meant = listSuggestions(word, known).map((candidate) => JSON.stringify(candidate));
  const last = meant.pop();
  if (last === undefined) return '';
  return ` Did you mean ${meant.length === 0 ? last : `${meant.join(', ')} or ${last}`}?`;
}
