// door: refusal

import { distance } from 'fastest-levenshtein';

/** The most suggestions in one message. */
const MAX_OFFERED = 6;

/** The shortest beginning of a word, in characters, that is completed. */
const MIN_PREFIX = 2;

/** Finds the known word closest to `word` by edit distance; undefined when none is near. */
export function findSuggestion(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let nearest = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const far = distance(word.toLowerCase(), candidate.toLowerCase());
    // In a word of three letters two edits make a different word, unless letters are swapped or still missing.
    if (far > 1 && word.length < 4 && !isNearInShort(word.toLowerCase(), candidate.toLowerCase())) continue;
    if (far < nearest) [best, nearest] = [candidate, far];
  }
  return best;
}

const sortLetters = (text: string): string => [...text].sort().join('');

function isNearInShort(word: string, candidate: string): boolean {
  return candidate.startsWith(word) || sortLetters(word) === sortLetters(candidate);
}

/** Whether `word` is probably `known`, misspelt. In a short word two edits make a different word: note and mode. */
export function isMisspelling(word: string, known: string): boolean {
  const given = word.toLowerCase();
  return word.length > 5 || distance(given, known) < 2 || sortLetters(given) === sortLetters(known);
}

/** Lists the known words that begin with `word`, at most six; when there are none, the closest one. */
function listSuggestions(word: string, known: readonly string[]): string[] {
  const start = word.toLowerCase();
  const begins = (candidate: string) => candidate.toLowerCase().startsWith(start);
  const begun = word.length < MIN_PREFIX ? [] : [...new Set(known)].filter(begins);
  if (begun.length > 0) return begun.slice(0, MAX_OFFERED);
  const near = findSuggestion(word, known);
  return near === undefined ? [] : [near];
}

/** Renders ` Did you mean "a", "b" or "c"?` for appending to a sentence; empty when no known word fits. */
export function renderSuggestion(word: string, known: readonly string[]): string {
  const meant = listSuggestions(word, known).map((candidate) => JSON.stringify(candidate));
  const last = meant.pop();
  if (last === undefined) return '';
  return ` Did you mean ${meant.length === 0 ? last : `${meant.join(', ')} or ${last}`}?`;
}
