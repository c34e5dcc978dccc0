import { eastAsianWidth } from 'get-east-asian-width';
import type { Line, Span } from '../../base/spans.js';

/** Measures and lays out text in terminal columns. A grapheme of several characters is measured and cut as a whole. */

let segmenter: Intl.Segmenter | undefined;

/** Whether each character takes one column, as ASCII and the signs below do. Such texts need no segmenter. */
const isPlain = (text: string) => /^[ -~«·»–…‖›↑↓↻■○●◐✓✗━╌]*$/.test(text);

/** Splits a text into graphemes, each with the columns that it takes. */
function listSigns(text: string): { sign: string; columns: number }[] {
  if (isPlain(text)) return [...text].map((sign) => ({ sign, columns: 1 }));
  segmenter ??= new Intl.Segmenter('en');
  return [...segmenter.segment(text)].map(({ segment: sign }) => ({ sign, columns: measureSign(sign) }));
}

/**
 * Returns the largest number of columns that a text takes on any terminal. Some give each character of a grapheme
 * columns of its own, and a printed line must not wrap there either.
 */
export function measureMost(text: string): number {
  if (isPlain(text)) return text.length;
  const measureParts = (sign: string) => [...sign].reduce((sum, one) => sum + measureSign(one), 0);
  return listSigns(text).reduce((sum, { sign, columns }) => sum + Math.max(columns, measureParts(sign)), 0);
}

/** Measures a grapheme: combining marks take no column of their own; emoji take two. */
function measureSign(sign: string): number {
  if (isPlain(sign)) return sign.length;
  if (/\p{Emoji_Presentation}|\u{fe0f}|\p{Regional_Indicator}{2}/u.test(sign)) return 2;
  const own = [...sign].filter((one) => !/[\p{Mn}\p{Me}\p{Cf}]/u.test(one));
  return own.length === 0 ? 0 : Math.max(...own.map((one) => eastAsianWidth(one.codePointAt(0) ?? 0)));
}

/** Returns the number of columns that a text takes. */
export function measureText(text: string): number {
  return isPlain(text) ? text.length : listSigns(text).reduce((sum, { columns }) => sum + columns, 0);
}

/** Pads a line with spaces at its end to the given number of columns. */
export function padLine(line: Line, columns: number): Line {
  const missing = columns - measureText(line.map(({ text }) => text).join(''));
  return missing > 0 ? [...line, { text: ' '.repeat(missing) }] : line;
}

/** Matches runs of spaces and the words between them. In a shell command, quoted spaces are part of a word. */
const WORD = / +|[^ ]+/g;
const SHELL_WORD = / +|(?:'[^']*'|"[^"]*"|\\.|[^ ])+/g;

/** Cuts a line to the given columns; `…` marks a cut. A span with `at` starts at that column. */
export function fitLine(line: Line, columns: number): Line {
  const fitted: Span[] = [];
  let used = 0;
  for (const span of line) {
    used = span.at ?? used;
    const room = columns - used;
    const text = fitText(span.text.replaceAll(/[\t\n]/g, ' '), room);
    if (text === '') continue;
    fitted.push({ ...span, text });
    used += measureText(text);
  }
  return fitted;
}

/** Cuts a text to the given number of columns; `…` marks a cut. */
export function fitText(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (measureText(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const { sign, columns: more } of listSigns(text)) {
    if (used + more > columns - 1) break;
    kept += sign;
    used += more;
  }
  return `${kept}…`;
}

/**
 * Wraps spans to lines of at most the given columns. Lines break at spaces, but not within a command; a word that is
 * too long breaks at the end of the line.
 * @param indent how many spaces precede each line except the first
 * @param goesOn for a shell command: the text, such as ` \`, at the end of each line that continues on the next. A
 * command may break at its spaces; a word that is too long stays whole, so that it can be copied
 */
export function wrapSpans(spans: Line, columns: number, indent: number, goesOn = ''): Line[] {
  const lines: Span[][] = [[]];
  const room = columns - goesOn.length;
  let used = 0;
  const add = (text: string, width: number, { as }: Span): void => {
    const line = lines.at(-1) ?? [];
    const last = line.at(-1);
    if (last !== undefined && last.as === as) line[line.length - 1] = { ...last, text: last.text + text };
    else line.push({ text, ...(as === undefined ? {} : { as }) });
    used += width;
  };
  const breakLine = (): void => {
    const line = lines.at(-1) ?? [];
    while (/^ *$/.test(line.at(-1)?.text ?? 'x')) line.pop();
    const last = line.at(-1);
    if (last !== undefined) line[line.length - 1] = { ...last, text: last.text.trimEnd() };
    if (goesOn !== '') line.push({ text: goesOn });
    lines.push([{ text: ' '.repeat(indent) }]);
    used = indent;
  };
  const place = (word: string, span: Span): void => {
    const width = measureMost(word);
    const isBlank = word.startsWith(' ');
    if (used + width > room && !isBlank && used > indent) breakLine();
    if (used + width <= room || (goesOn !== '' && !isBlank)) {
      add(word, width, span);
      return;
    }
    if (isBlank) {
      // Marks the line as full, so that the next word starts a new line, however short it is.
      used = room;
      return;
    }
    for (const { sign } of listSigns(word)) {
      const more = measureMost(sign);
      if (used + more > room) breakLine();
      add(sign, more, span);
    }
  };
  for (const span of spans) {
    const isOne = span.command === true && goesOn === '';
    for (const word of isOne ? [span.text] : (span.text.match(goesOn === '' ? WORD : SHELL_WORD) ?? []))
      place(word, span);
  }
  return lines;
}
