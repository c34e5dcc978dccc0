/** Where a text stops being JSON, and what would have to stand there. */
export interface JsonFault {
  offset: number;
  expected: string;
}

type Want = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end' | 'nothing more';
type Kind = '{' | '}' | '[' | ']' | ':' | ',' | 'string' | 'literal';

/** What may stand at each point, and how that is said. */
const GRAMMAR: Record<Want, { kinds: Kind[]; said: string }> = {
  value: { kinds: ['{', '[', 'string', 'literal'], said: 'a value' },
  'value or ]': { kinds: ['{', '[', 'string', 'literal', ']'], said: 'a value or "]"' },
  key: { kinds: ['string'], said: 'a key in double quotes' },
  'key or }': { kinds: ['string', '}'], said: 'a key in double quotes or "}"' },
  colon: { kinds: [':'], said: '":"' },
  'comma or end': { kinds: [',', '}', ']'], said: '"," or the closing bracket' },
  'nothing more': { kinds: [], said: 'the end of the text' },
};

/**
 * The first fault of a text that JSON.parse refused, or null when there is none. JSON.parse itself names a position only
 * sometimes. One pass, no recursion: the text may be large and hostile.
 */
export function jsonFault(text: string): JsonFault | null {
  const open: ('{' | '[')[] = [];
  let want: Want = 'value';
  let at = skipBlanks(text, 0);
  while (at < text.length) {
    const token = readToken(text, at);
    if ('expected' in token) return token;
    const closes = { '}': '{', ']': '[' }[token.kind as string];
    const fits = GRAMMAR[want].kinds.includes(token.kind) && (closes === undefined || closes === open.at(-1));
    if (!fits) return { offset: at, expected: GRAMMAR[want].said };
    want = wantAfter(token.kind, want, open);
    at = skipBlanks(text, token.end);
  }
  return want === 'nothing more' ? null : { offset: at, expected: GRAMMAR[want].said };
}

function wantAfter(kind: Kind, want: Want, open: ('{' | '[')[]): Want {
  switch (kind) {
    case '{':
      open.push(kind);
      return 'key or }';
    case '[':
      open.push(kind);
      return 'value or ]';
    case ':':
      return 'value';
    case ',':
      return open.at(-1) === '{' ? 'key' : 'value';
    case 'string':
      return want === 'key' || want === 'key or }' ? 'colon' : settled(open);
    case '}':
    case ']':
      open.pop();
      return settled(open);
    case 'literal':
      return settled(open);
  }
}

function settled(open: unknown[]): Want {
  return open.length === 0 ? 'nothing more' : 'comma or end';
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}

function readToken(text: string, at: number): { kind: Kind; end: number } | JsonFault {
  const character = text.charAt(at);
  if (isPunctuation(character)) return { kind: character, end: at + 1 };
  if (character === '"') return readString(text, at);
  const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
  literal.lastIndex = at;
  return literal.test(text)
    ? { kind: 'literal', end: literal.lastIndex }
    : { offset: at, expected: 'JSON: a bracket, a text in double quotes, a number, true, false or null' };
}

function isPunctuation(character: string): character is '{' | '}' | '[' | ']' | ':' | ',' {
  return '{}[]:,'.includes(character);
}

function readString(text: string, start: number): { kind: 'string'; end: number } | JsonFault {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return { kind: 'string', end: at + 1 };
    if (character < ' ')
      return { offset: at, expected: 'no line break or control character inside a string (write \\n)' };
    if (character !== '\\') continue;
    if (/["\\/bfnrt]/.test(text.charAt(at + 1))) at += 1;
    else if (/^u[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 6))) at += 5;
    else return { offset: at, expected: 'one of the escapes \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX' };
  }
  return { offset: text.length, expected: 'the closing quote of a string' };
}
