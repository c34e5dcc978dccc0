import { isRecord, type JsonObject } from '../base/json.js';

const yaml = (): typeof import('yaml') => require('yaml');

/** Maximum length of front matter in characters. It usually has a few lines; parsing much more could be slow. */
const MAX_LENGTH = 32_768;

/** A Markdown text, split into front matter and body. */
export type FrontMatter =
  /** The text does not begin with a fence. */
  | { kind: 'none'; body: string }
  | { kind: 'found'; data: JsonObject; body: string }
  /** There is a fence, but the front matter cannot be read. `at` is `line:column` in the text. */
  | { kind: 'invalid'; problem: string; at: string };

/**
 * Splits a Markdown text into YAML front matter and body (documents.md, Reports). The front matter begins with a line
 * `---`, which must be the first, and ends with the next unindented line `---` or `...`. Accepts a byte order mark and
 * CRLF. Never throws.
 */
export function splitFrontMatter(text: string): FrontMatter {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const opening = /---[ \t]*(?:\r?\n|$)/y;
  opening.lastIndex = start;
  if (!opening.test(text)) return { kind: 'none', body: text.slice(start) };
  const from = opening.lastIndex;
  const closing = /^(?:---|\.\.\.)[ \t]*\r?$/gm;
  closing.lastIndex = from;
  const found = closing.exec(text);
  if (found === null) return { kind: 'invalid', problem: 'the front matter has no closing line "---"', at: '1:1' };
  if (found.index - from > MAX_LENGTH) {
    return { kind: 'invalid', problem: `the front matter is longer than ${MAX_LENGTH} characters`, at: '1:1' };
  }
  const result = parseMapping(text.slice(from, found.index));
  if ('problem' in result) return { kind: 'invalid', ...result };
  return { kind: 'found', data: result.data, body: text.slice(closing.lastIndex).replace(/^\r?\n/, '') };
}

function parseMapping(source: string): { data: JsonObject } | { problem: string; at: string } {
  try {
    const document = yaml().parseDocument(source, { stringKeys: true, logLevel: 'silent', prettyErrors: true });
    const error = document.errors[0];
    if (error !== undefined) {
      const place = error.linePos?.[0] ?? { line: 1, col: 1 };
      return { problem: `not valid YAML: ${shortenMessage(error.message)}`, at: `${place.line + 1}:${place.col}` };
    }
    // Aliases are refused, because they are not needed here and could expand without limit.
    const data: unknown = document.toJS({ maxAliasCount: 0 }) ?? {};
    if (!isRecord(data)) return { problem: 'the front matter is not a list of "key: value" lines', at: '2:1' };
    return { data: JSON.parse(JSON.stringify(data)) as JsonObject };
  } catch (error) {
    // The parser throws on aliases and overflows the stack on deep nesting; both are faults of the text.
    const reason = error instanceof Error ? shortenMessage(error.message) : 'unknown';
    return { problem: `the YAML cannot be read: ${reason}`, at: '2:1' };
  }
}

/** Shortens a parser error to its message, without the position and the source lines that it quotes. */
function shortenMessage(message: string): string {
  return (
    message
      .split('\n', 1)[0]
      ?.replace(/ at line \d+, column \d+:?$/, '')
      .slice(0, 200) ?? ''
  );
}
