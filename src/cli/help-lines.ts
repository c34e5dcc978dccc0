import type { Paragraph, Span } from '../base/spans.js';

// Turns the output of `help` into paragraphs for a person's terminal (view.md, Width).

/** Minimum number of columns for a description beside its option; with fewer, the description goes below it. */
const BESIDE = 30;

/** Number of spaces before a description that is placed below its option. */
const BELOW = 6;

/**
 * Turns commander's unwrapped help into paragraphs: headings, options, examples.
 * @param columns maximum width of the paragraphs
 */
export function layOutHelp(text: string, columns: number): Paragraph[] {
  const lines = text.trimEnd().split('\n');
  let section = '';
  return lines.flatMap((line, index): Paragraph[] => {
    const isHeading = /^\S.*:$/.test(line) && lines[index + 1]?.startsWith('  ') === true;
    if (isHeading) section = line;
    return layOutLine(line, { isHeading, section, room: columns }).map((one) => ({ ...one, most: columns }));
  });
}

function layOutLine(
  line: string,
  { isHeading, section, room }: { isHeading: boolean; section: string; room: number },
): Paragraph[] {
  if (isHeading) return [{ spans: [{ text: line, as: 'strong' }], indent: 0 }];
  const [, usage] = /^Usage: (.*)$/.exec(line) ?? [];
  if (usage !== undefined) return [{ spans: [{ text: 'Usage:', as: 'strong' }, { text: ` ${usage}` }], indent: 7 }];
  const [, blanks = '', words = ''] = /^( *)(.*)$/.exec(line) ?? [];
  const indent = blanks.length;
  if (section === 'Examples:' && indent === 2)
    return [{ spans: [{ text: blanks }, { text: words, as: 'busy', command: true }], indent }];
  // The term is the left column of a list. A number, such as an exit code, is followed by one space at least, any other
  // term by two.
  const [, term, gap = '', rest = ''] = /^(\d+|\S.*?(?= {2}))( +)(\S.*)$/.exec(words) ?? [];
  if (term === undefined) return [{ spans: [{ text: line }], indent }];
  const begin: Span[] = [{ text: blanks }, { text: term, as: 'busy' }];
  const column = indent + term.length + gap.length;
  if (room - column >= BESIDE) return [{ spans: [...begin, { text: gap + rest }], indent: column }];
  return [
    { spans: begin, indent: indent + 2 },
    { spans: [{ text: ' '.repeat(BELOW) + rest }], indent: BELOW },
  ];
}

/** Turns a guide into paragraphs: joins the lines of a Markdown paragraph, and leaves code unchanged. */
export function layOutGuide(markdown: string): Paragraph[] {
  const made: Paragraph[] = [];
  let isCode = false;
  let isOpen = false;
  for (const line of markdown.split('\n')) {
    const isFence = /^ *```/.test(line);
    const isOwn = isCode || isFence || line.trim() === '' || /^ *(#|[-*] |\d+\. |\||>|<)/.test(line);
    const last = made.at(-1);
    if (!isOwn && isOpen && last !== undefined) {
      made[made.length - 1] = { ...last, spans: [...last.spans, { text: ` ${line.trim()}` }] };
    } else {
      const [blanks = ''] = /^ *(?:[-*] |\d+\. )?/.exec(line) ?? [];
      const as = isCode || isFence ? 'busy' : /^#/.test(line) ? 'strong' : undefined;
      made.push({
        spans: [{ text: line, ...(as === undefined ? {} : { as }) }],
        indent: blanks.length,
        most: READABLE,
      });
    }
    isOpen = !isCode && !isFence && line.trim() !== '' && !/^ *[#|]/.test(line);
    if (isFence) isCode = !isCode;
  }
  return made;
}

/** Maximum number of columns at which prose is easy to read. */
const READABLE = 100;
