import type { Inline } from './parse.js';

/** Reads a Markdown line as tokens, which do not depend on how its markup is typed. */

/** A piece of a line. */
export type Token =
  | { kind: 'text'; value: string }
  | { kind: 'code'; value: string }
  /** The beginning or end of emphasis; `typed` is the mark as the file has it, such as `__` for `**`. */
  | { kind: 'mark'; value: '*' | '**'; typed: string }
  /** Links, images and HTML, exactly as written. */
  | { kind: 'raw'; value: string };

/** Reads the content of a paragraph, heading or cell; white space is folded. */
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

/** Joins adjacent texts, replaces all white space in a row by one space, and trims both ends. */
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

/** Returns a key that is equal for two lines if and only if a reader sees the same in both. */
export function getTokensKey(tokens: readonly Token[]): string {
  return tokens.map(({ kind, value }) => (kind === 'text' ? value : `\0${kind}${value}\0`)).join('');
}

/** Renders a line as in plan-content.json: code in backticks, emphasis in asterisks, nothing escaped. */
export function writeTokens(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.kind === 'code' ? writeCode(token.value) : token.value)).join('');
}

/** Renders a line as it was typed. Used for text other than prose, such as paths, where `__tests__` is not emphasis. */
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
 * Removes a pattern from the beginning of a line.
 * @param pattern matched against the text before the first code or markup; this text may be empty
 */
export function takeLeadingMatch(
  tokens: readonly Token[],
  pattern: RegExp,
): { found: RegExpExecArray; rest: Token[] } | null {
  const [first, ...others] = tokens;
  const text = first?.kind === 'text' ? first.value : '';
  const found = pattern.exec(text);
  if (found === null) return null;
  const after: Token = { kind: 'text', value: text.slice(found[0].length) };
  return { found, rest: foldTokens([after, ...(first?.kind === 'text' ? others : tokens)]) };
}

/** Returns the code of a line that consists of code only; otherwise null. */
export function getOnlyCode(tokens: readonly Token[]): string | null {
  const [only, ...more] = tokens;
  return only?.kind === 'code' && more.length === 0 ? only.value : null;
}

/** Splits a line at commas outside code. */
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

/** Splits a line into its pieces of code if nothing but white space is between them; otherwise keeps it whole. */
export function splitBetweenCode(tokens: readonly Token[]): Token[][] {
  const code = tokens.filter(({ kind }) => kind === 'code');
  const isCode = tokens.every(({ kind, value }) => kind === 'code' || value.trim() === '');
  return isCode ? code.map((token) => [token]) : [[...tokens]];
}
