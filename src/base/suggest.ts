// door: refusal

import { distance } from 'fastest-levenshtein';

/** Maximum number of suggestions in one message. */
const MAX_OFFERED = 6;

/** Minimum length, in characters, at which a word is completed as the beginning of known words. */
const MIN_PREFIX = 2;

/** Finds the known word closest to `word` by edit distance; undefined if none is close enough. */
export function findSuggestion(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let nearest = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const far = distance(word.toLowerCase(), candidate.toLowerCase());
    // In a word of up to three letters, two edits make a different word, unless they swap letters or add missing ones.
    if (far > 1 && word.length < 4 && !isNearInShort(word.toLowerCase(), candidate.toLowerCase())) continue;
    if (far < nearest) [best, nearest] = [candidate, far];
  }
  return best;
}

const sortLetters = (text: string): string => [...text].sort().join('');

function isNearInShort(word: string, candidate: string): boolean {
  return candidate.startsWith(word) || sortLetters(word) === sortLetters(candidate);
}

/**
 * Returns whether `word` probably is `known`, misspelt. In a short word, two edits make a different word: `note` is not
 * a misspelling of `mode`.
 */
export function isMisspelling(word: string, known: string): boolean {
  const given = word.toLowerCase();
  return word.length > 5 || distance(given, known) < 2 || sortLetters(given) === sortLetters(known);
}

/** Lists at most six known words that begin with `word` or, if there are none, the closest one. */
function listSuggestions(word: string, known: readonly string[]): string[] {
  const start = word.toLowerCase();
  const begins = (candidate: string) => candidate.toLowerCase().startsWith(start);
  const begun = word.length < MIN_PREFIX ? [] : [...new Set(known)].filter(begins);
  if (begun.length > 0) return begun.slice(0, MAX_OFFERED);
  const near = findSuggestion(word, known);
  return near === undefined ? [] : [near];
}

/** Renders ` Did you mean "a", "b" or "c"?` to be appended to a sentence; empty if no known word fits. */
export function renderSuggestion(word: string, known: readonly string[]): string {
  const meant = listSuggestions(word, known).map((candidate) => JSON.stringify(candidate));
  const last = meant.pop();
  if (last === undefined) return '';
  return ` Did you mean ${meant.length === 0 ? last : `${meant.join(', ')} or ${last}`}?`;
}
