import { stripInvisible } from '../../base/visible.js';
import { listWords, type Statement, splitRequest, splitStatements } from '../../documents/sentences.js';

/**
 * Compares the quotes of a plan's requirements with the request (documents.md, Requirements). Only words count: white
 * space, case, accents, the shape of quotation marks and dashes, and emphasis marks are ignored.
 */

/** A run of unquoted words in a partly quoted sentence is reported if it has at least this many words. */
const GAP = 5;

/** Returns whether two texts have the same words. */
export function isSameText(a: string, b: string): boolean {
  return fold(a).text === fold(b).text;
}

/** Creates a test of whether a quote occurs in this request. A quote without a letter or digit never does. */
export function createOccurrenceTest(request: string): (quote: string) => boolean {
  const { text } = fold(request);
  return (quote) => {
    const wanted = fold(quote).text;
    return /[\p{L}\p{N}]/u.test(wanted) && text.includes(wanted);
  };
}

/**
 * Lists the parts of a request that no quote covers, in order: sentences and list items without a quoted word, unless
 * code that they introduce is quoted; and runs of at least `GAP` unquoted words in partly quoted sentences. Each is one
 * line. Fenced code that no sentence introduces is named by its first line.
 */
export function listUncovered(request: string, quotes: readonly string[]): string[] {
  const covered = markCovered(request, quotes);
  const isOpen = ({ start, end }: Statement) => !covered.subarray(start, end).includes(1);
  return splitRequest(request).flatMap(([first, ...rest]) => {
    if ([first, ...rest].every(isOpen)) return [first.kind === 'code' ? `${first.text} (code)` : first.text];
    return [first, ...rest]
      .filter((statement) => statement.kind !== 'code' && !isOpen(statement))
      .flatMap((statement) => listOpenParts(statement, request, covered));
  });
}

/** Returns, for each character of the request, whether a quote contains it. */
function markCovered(request: string, quotes: readonly string[]): Uint8Array {
  const covered = new Uint8Array(request.length);
  const { text, places } = fold(request);
  const ends = listEnds(request);
  for (const [wanted, quote] of new Map(quotes.map((one) => [fold(one).text, one]))) {
    if (wanted === '') continue;
    const found: number[] = [];
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
    const isShort = found.length > 1 && listWords(quote).length < GAP;
    for (const at of isShort ? selectMeant(found, wanted, places, ends) : found) {
      for (let index = at; index < at + wanted.length; index += 1) covered[places[index] ?? 0] = 1;
    }
  }
  return covered;
}

const FIRST = /[\p{L}\p{N}]/u;
const LAST = /[\p{L}\p{N}](?=[^\p{L}\p{N}]*$)/u;

/** The positions of the first and last letter or digit of each statement, and the end of the title. */
interface Ends {
  first: Set<number>;
  last: Set<number>;
  title: number;
}

function listEnds(request: string): Ends {
  const statements = splitStatements(request);
  const find = (pattern: RegExp) =>
    new Set(statements.map(({ start, end }) => start + request.slice(start, end).search(pattern)));
  return { first: find(FIRST), last: find(LAST), title: statements.find(({ kind }) => kind === 'title')?.end ?? 0 };
}

/**
 * Decides which occurrences are meant if a quote of only a few words occurs several times in the request: those that
 * are whole sentences or, if there are none, the first one below the title. The others do not count as quoted, because
 * the sentences around them may say the opposite.
 */
function selectMeant(found: readonly number[], wanted: string, places: readonly number[], ends: Ends): number[] {
  const [from, to] = [wanted.search(FIRST), wanted.search(LAST)];
  const below = found.filter((at) => (places[at] ?? 0) >= ends.title);
  const whole = below.filter((at) => ends.first.has(places[at + from] ?? -1) && ends.last.has(places[at + to] ?? -1));
  if (whole.length > 0) return whole;
  return [below[0] ?? found[0] ?? 0];
}

function listOpenParts({ start, end }: Statement, request: string, covered: Uint8Array): string[] {
  const original = request.slice(start, end);
  const open: string[] = [];
  let run: { start: number; end: number }[] = [];
  const close = () => {
    const [first, last] = [run[0], run.at(-1)];
    if (first !== undefined && last !== undefined && run.length >= GAP)
      open.push(renderPart(original, first.start, last.end));
    run = [];
  };
  for (const word of listWords(original)) {
    if (covered.subarray(start + word.start, start + word.end).includes(1)) close();
    else run.push(word);
  }
  close();
  return open;
}

function renderPart(sentence: string, from: number, to: number): string {
  const part = sentence.slice(from, to).replace(/\s+/g, ' ');
  return `${from === 0 ? '' : '… '}${part}${/^[\p{P}\s]*$/u.test(sentence.slice(to)) ? '' : ' …'}`;
}

/** Maps typographic quotation marks and dashes to their plain forms. */
const ALIKE: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["'", '‘’‚‛′`´'],
    ['"', '“”„‟″«»「」『』'],
    ['-', '‐‑‒–—―−'],
  ].flatMap(([plain = '', others = '']) => [...others].map((one) => [one, plain])),
);

/** Folds a text for comparison. `places` maps each UTF-16 unit of the result to its offset in the original text. */
function fold(text: string): { text: string; places: number[] } {
  const parts: string[] = [];
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    const folded = foldCharacter(character);
    parts.push(folded);
    for (let unit = 0; unit < folded.length; unit += 1) places.push(at);
    at += character.length;
  }
  return { text: parts.join(''), places };
}

function foldCharacter(character: string): string {
  if (/^[a-z0-9.,;:()/-]$/.test(character)) return character;
  if (/^[\s*_`]$/.test(character)) return '';
  return [...stripInvisible(character).normalize('NFKD').toLowerCase()]
    .filter((one) => !/[\p{M}\s]/u.test(one))
    .map((one) => ALIKE[one] ?? one)
    .join('');
}
