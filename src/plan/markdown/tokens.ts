import type { Inline } from './parse.js';

/** A line of Markdown as what it shows, whatever marks it is written with. */

/** A piece of a line. */
export type Token =
  | { kind: 'text'; value: string }
  | { kind: 'code'; value: string }
  /** Where emphasis begins or ends; `typed` is how this file writes it. */
  | { kind: 'mark'; value: '*' | '**'; typed: string }
  /** Links, images, HTML: as they are written. */
  | { kind: 'raw'; value: string };

/** Reads the content of a paragraph, a heading or a cell; white space is folded. */
export function readTokens(nodes: readonly Inline[], source: string): Token[] {
  return foldTokens(nodes.flatMap((node) => readNode(node, source)));
}

function readNode(node: Inline, source: string): Token[] {
  const written = source.slice(node.position?.start.offset, node.position?.end.offset);
  switch (node.type) {
    case 'text':
      return [{ kind: 'text', value: node.value }];
    case 'inlineCode':
      return [{ kind: 'code', value: node.value }];
    case 'break':
      return [{ kind: 'text', value: ' ' }];
    case 'emphasis':
    case 'strong': {
      const value = node.type === 'strong' ? '**' : '*';
      const mark: Token = { kind: 'mark', value, typed: written.slice(0, value.length) };
      return [mark, ...node.children.flatMap((child) => readNode(child, source)), mark];
    }
    default:
      return [{ kind: 'raw', value: written.replace(/\s+/g, ' ') }];
  }
}

/** Joins texts that follow each other, folds their blanks, and trims both ends. */
export function foldTokens(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (token.kind === 'text' && last?.kind === 'text')
      joined[joined.length - 1] = { ...last, value: last.value + token.value };
    else joined.push(token);
  }
  const folded = joined.map((token, index): Token => {
    if (token.kind !== 'text') return token;
    const value = token.value.replace(/\s+/g, ' ');
    const left = index === 0 ? value.trimStart() : value;
    return { ...token, value: index === joined.length - 1 ? left.trimEnd() : left };
  });
  return folded.filter((token) => token.kind !== 'text' || token.value !== '');
}

/** What a line shows, as a text that is equal where two lines show the same. */
export function getTokensKey(tokens: readonly Token[]): string {
  return tokens.map(({ kind, value }) => (kind === 'text' ? value : `\0${kind}${value}\0`)).join('');
}

/** Writes a line as plan-content.json holds it: code in backticks, emphasis in stars, nothing escaped. */
export function writeTokens(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.kind === 'code' ? writeCode(token.value) : token.value)).join('');
}

/** Writes a line as it was typed, for what is no prose: `__tests__` is no emphasis there. */
export function writeTyped(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.kind === 'mark' ? token.typed : token.value)).join('');
}

function writeCode(value: string): string {
  const longest = (value.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const ticks = '`'.repeat(longest + 1);
  const padding = /^`|`$|^ .*[^ ].* $/.test(value) ? ' ' : '';
  return `${ticks}${padding}${value}${padding}${ticks}`;
}

/**
 * Takes a beginning off a line.
 * @param pattern of the text that it begins with; a line that begins with code begins with no text
 */
export function takeStart(tokens: readonly Token[], pattern: RegExp): { found: RegExpExecArray; rest: Token[] } | null {
  const [first, ...others] = tokens;
  const text = first?.kind === 'text' ? first.value : '';
  const found = pattern.exec(text);
  if (found === null) return null;
  const after: Token = { kind: 'text', value: text.slice(found[0].length) };
  return { found, rest: foldTokens([after, ...(first?.kind === 'text' ? others : tokens)]) };
}

/** The code that a line consists of; null when it holds anything else. */
export function getOnlyCode(tokens: readonly Token[]): string | null {
  const [only, ...more] = tokens;
  return only?.kind === 'code' && more.length === 0 ? only.value : null;
}

/** Splits a line at the commas outside of code. */
export function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const pieces: Token[][] = [[]];
  for (const token of tokens) {
    const [first = '', ...more] = token.kind === 'text' ? token.value.split(',') : [];
    if (token.kind !== 'text') pieces.at(-1)?.push(token);
    else pieces.at(-1)?.push({ kind: 'text', value: first });
    for (const value of more) pieces.push([{ kind: 'text', value }]);
  }
  return pieces.map(foldTokens).filter((piece) => piece.length > 0);
}

/** Splits what consists of code and blanks alone between the pieces of code. */
export function splitBetweenCode(tokens: readonly Token[]): Token[][] {
  const code = tokens.filter(({ kind }) => kind === 'code');
  const isCode = tokens.every(({ kind, value }) => kind === 'code' || value.trim() === '');
  return isCode ? code.map((token) => [token]) : [[...tokens]];
}
