import { isLatin, segmentSentences, segmentWords } from './latin-text.js';
import { readMarkdownLines } from './markdown-lines.js';

/** Splits a request into its sentences, whatever its language (documents.md, Requirements). */

/** A sentence, a list item, a heading or a block of code. */
export interface Statement {
  /** A title is a first-level heading at the beginning of the text. */
  kind: 'title' | 'sentence' | 'code';
  /** The statement on one line; for a block of code, the first line in it that has a word. */
  text: string;
  /** Offset of its first character in the whole text. */
  start: number;
  /** Offset after its last character. */
  end: number;
}

/** Matches the marks before the words of a line: those of a quotation, a list item, a task or a heading. */
const MARKS = /^[ \t]*(?:>[ \t]?)*(?:(?:[-*+•]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|#{1,6}[ \t]+)?/;
const BEGINS = /^[ \t]*(?:>[ \t]?)*(?:[-*+•]|\d{1,9}[.)]|#{1,6})[ \t]/;
const HEADING = /^[ \t]*(?:>[ \t]?)*#{1,6}[ \t]/;
const TITLE = /^[ \t]*#[ \t]/;
const WORD = /[\p{L}\p{N}]/u;

/**
 * Lists the statements of a text in order. A sentence may be wrapped over several lines, but ends with its list item,
 * heading or paragraph. A block of fenced code is one statement. Text without a letter or digit is not a statement.
 */
export function splitStatements(text: string): Statement[] {
  const found: Statement[] = [];
  let prose: Line[] = [];
  let length = 0;
  let code: Line[] = [];
  const endProse = (kind: 'title' | 'sentence' = 'sentence') => {
    for (const statement of splitSentences(prose)) found.push({ ...statement, kind });
    prose = [];
    length = 0;
  };
  const endCode = () => {
    for (const statement of describeCode(code)) found.push(statement);
    code = [];
  };
  for (const { text: line, start, fenced } of readMarkdownLines(text)) {
    if (fenced) {
      endProse();
      code.push({ text: line, start });
      continue;
    }
    endCode();
    if (!WORD.test(line) || BEGINS.test(line)) endProse();
    if (!WORD.test(line)) continue;
    const marks = MARKS.exec(line)?.[0].length ?? 0;
    for (const part of cutLine({ text: line.slice(marks), start: start + marks })) {
      if (length + part.text.length > LONGEST) endProse();
      prose.push(part);
      length += part.text.length;
    }
    if (HEADING.test(line)) endProse(found.length === 0 && TITLE.test(line) ? 'title' : 'sentence');
  }
  endProse();
  endCode();
  return found;
}

/**
 * `words`: the most words of a lead-in, which is a short sentence without an end mark (see `open`), such as "prints"
 * between two blocks of code. `introducing`: the most words of an introduction, a short sentence that ends with a
 * colon.
 */
const LEAD_IN = { words: 4, introducing: 6, open: /[^.!?。！？…]$/u };

/**
 * Lists the things that a request asks for: each sentence, with the code that it introduces. Leaves out a title if text
 * follows, because a title only repeats the text. Also leaves out introductions to other sentences, and headings that
 * come from a template.
 */
export function splitRequest(text: string): [Statement, ...Statement[]][] {
  const statements = splitStatements(text);
  const found: [Statement, ...Statement[]][] = [];
  for (const [index, statement] of statements.entries()) {
    const next = statements[index + 1];
    if (statements.length > 1 && (statement.kind === 'title' || isPartOfForm(statement, text))) continue;
    if (next?.kind === 'sentence' && isIntroduction(statement)) continue;
    const last = found.at(-1);
    const between = last?.at(-1)?.kind === 'code' && next?.kind === 'code' && isLeadIn(statement);
    if (last !== undefined && (statement.kind === 'code' || between)) last.push(statement);
    else found.push([statement]);
  }
  return found;
}

/** Returns whether a statement is a heading from the template in which the request was written. */
function isPartOfForm({ text, start }: Statement, whole: string): boolean {
  return isFormHeading(text) && HEADING.test(whole.slice(whole.lastIndexOf('\n', start) + 1, start + 1));
}

/** Returns whether a sentence only announces other sentences, such as "How it should behave:". */
function isIntroduction({ kind, text }: Statement): boolean {
  return kind === 'sentence' && /[:：]$/u.test(text) && listWords(text).length <= LEAD_IN.introducing;
}

function isLeadIn({ text }: Statement): boolean {
  return LEAD_IN.open.test(text) && listWords(text).length <= LEAD_IN.words;
}

interface Line {
  text: string;
  /** Offset in the whole text. */
  start: number;
}

/** Maximum number of characters to segment at once, because the segmenter copies all of them for every segment. */
const LONGEST = 5_000;

function cutLine({ text, start }: Line): Line[] {
  if (text.length <= LONGEST) return [{ text, start }];
  const pieces = Math.ceil(text.length / LONGEST);
  return Array.from({ length: pieces }, (_, index) => ({
    text: text.slice(index * LONGEST, (index + 1) * LONGEST),
    start: start + index * LONGEST,
  }));
}

const segmenters = new Map<string, Intl.Segmenter>();

/** Segments a text by language-neutral rules, because the result must not depend on where dev-cli runs. */
function segment(text: string, granularity: 'sentence' | 'word'): Iterable<Intl.SegmentData> {
  const segmenter = segmenters.get(granularity) ?? new Intl.Segmenter('und', { granularity });
  segmenters.set(granularity, segmenter);
  return segmenter.segment(text);
}

function splitSentences(lines: readonly Line[]): Statement[] {
  const [first] = lines;
  if (first === undefined) return [];
  // Lines are joined by spaces, because the segmenter would end a sentence at a line break.
  const whole = lines.map((line) => line.text).join(' ');
  const place = createPlacement(lines);
  return findSentences(whole).flatMap(({ start, end }) => {
    const segment = whole.slice(start, end);
    if (!WORD.test(segment)) return [];
    const from = start + segment.length - segment.trimStart().length;
    const to = start + segment.trimEnd().length;
    const text = whole.slice(from, to).replace(/\s+/g, ' ');
    return [{ kind: 'sentence', text, start: place(from), end: place(to - 1) + 1 } as const];
  });
}

/**
 * Returns whether a boundary lies within a word such as `!!omap`, because no space follows the mark. Scripts without
 * spaces use other end marks.
 */
function isWithinWord(text: string, at: number): boolean {
  return /[!?.][^\s]/.test(text.slice(at - 1, at + 1));
}

/**
 * Matches a full stop between a word and white space. It ends a sentence whatever follows, although the segmenter would
 * continue the sentence before a lower-case letter.
 */
const POINT = /[^\s\d.]\.["'`*_)\]»”’]{0,3}\s+/gu;
const INITIAL = /(?:^|[\s(.])(\p{L})\.\s*$/u;
const INITIALS = /(?:^|[\s(.])\p{L}\.\s*\p{L}\.\s*$/u;
/** Matches abbreviations of several letters that end with a full stop but do not end a sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:vs|cf|resp|approx|incl|excl|mr|mrs|dr|hr|fr|bzw|ggf|vgl|evtl|inkl|ca)\.\s*$/iu;
/** Matches abbreviations that may also end a sentence. */
const LAST_OF_LIST = /(?:^|[\s(])(?:etc|usw)\.\s*$/iu;

/**
 * Returns whether the sentence continues after a boundary, as in `z. B.`, `e.g. this`, `J. R. Doe`, `etc. as well`. A
 * single capital letter after other words does end a sentence if a capital follows: "Do Y." in "Don't do X. Do Y." is a
 * sentence of its own.
 */
function goesOn(before: string, after: string): boolean {
  const end = before.slice(-12);
  if (ABBREVIATION.test(end)) return true;
  const begins = /^\p{Lu}(?!\.)/u.test(after);
  if (LAST_OF_LIST.test(end)) return !begins;
  const letter = INITIAL.exec(end)?.[1];
  if (letter === undefined) return false;
  return !begins || letter === letter.toLowerCase() || INITIALS.test(end) || before.trim().length <= 2;
}

function findSentences(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const { segment: part, index } of isLatin(text) ? segmentSentences(text) : segment(text, 'sentence')) {
    const ends = [...part.matchAll(POINT)].map((match) => match.index + match[0].length);
    for (const [number, end] of [...ends.filter((one) => one < part.length), part.length].entries()) {
      const start = index + (number === 0 ? 0 : (ends[number - 1] ?? 0));
      const last = found.at(-1);
      const joins = last !== undefined && goesOn(text.slice(last.start, start), text.slice(start, start + 2));
      if (last !== undefined && (joins || isWithinWord(text, start))) last.end = index + end;
      else found.push({ start, end: index + end });
    }
  }
  return found;
}

/**
 * Creates a function that maps an offset in the joined lines to the offset in the whole text. The function must be
 * called with ascending offsets.
 */
function createPlacement(lines: readonly Line[]): (at: number) => number {
  let line = 0;
  let before = 0;
  return (at) => {
    for (;;) {
      const current = lines[line];
      if (current === undefined) return at;
      if (at <= before + current.text.length || line === lines.length - 1) return current.start + at - before;
      before += current.text.length + 1;
      line += 1;
    }
  };
}

function describeCode(lines: readonly Line[]): Statement[] {
  const [first, ...rest] = lines;
  const last = lines.at(-1);
  const shown = rest.find(({ text }) => WORD.test(text));
  if (first === undefined || last === undefined || shown === undefined) return [];
  return [{ kind: 'code', text: shown.text.trim(), start: first.start, end: last.start + last.text.length }];
}

/**
 * Lists the offsets of the words of a text. In a language written without spaces, the segmenter finds words by its
 * dictionary.
 */
export function listWords(text: string): { start: number; end: number }[] {
  if (isLatin(text)) return segmentWords(text);
  return [...segment(text, 'word')].flatMap(({ segment: part, index, isWordLike }) =>
    isWordLike === true ? [{ start: index, end: index + part.length }] : [],
  );
}

/**
 * Headings of the templates in which requests are often written: issue templates, spec-kit, OpenSpec. They ask for
 * nothing, so no requirement has to cover them (documents.md, Requirements).
 */
const HEADINGS = new Set(
  `bug report, feature request, description, describe the bug, describe the feature, the bug, summary,
  environment, system info, version, versions, your environment, additional context, context, motivation,
  reproduction, to reproduce, steps to reproduce, how to reproduce, minimal reproduction, expected behavior,
  expected behaviour, actual behavior, actual behaviour, current behavior, current behaviour, logs,
  relevant log output, screenshots, additional information, possible solution, checklist, acceptance criteria,
  describe alternatives you've considered, describe the solution you'd like,
  user scenarios & testing, edge cases, requirements, functional requirements, non-functional requirements,
  key entities, success criteria, measurable outcomes, assumptions, acceptance scenarios, execution flow,
  why, what changes, impact, goals / non-goals, goals, non-goals, decisions, risks / trade-offs,
  open questions, added requirements, modified requirements, removed requirements`.split(/,\s+/),
);

/**
 * Returns whether a heading comes from a template, ignoring Markdown marks and notes such as `*(mandatory)*` in `User
 * Scenarios & Testing *(mandatory)*`.
 */
function isFormHeading(words: string): boolean {
  const plain = words
    .replace(/[*_`]|[\s#]+$/g, '')
    .replace(/\((?:mandatory|optional|required|if any)\)/i, '')
    .replace(/[’]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/[\s:?]+$/, '')
    .trim();
  return HEADINGS.has(plain.toLowerCase());
}
