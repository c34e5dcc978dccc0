import { isRecord, type JsonObject } from '../base/json.js';
import { loadLazily } from '../base/lazy.js';

const yaml = loadLazily<typeof import('yaml')>('yaml');

/** Front matter is a few lines; more is no front matter, and parsing it could take long. In characters. */
const MAX_LENGTH = 32_768;

export type FrontMatter =
  /** The text does not begin with a fence. */
  | { kind: 'none'; body: string }
  | { kind: 'found'; data: JsonObject; body: string }
  /** There is a fence, and what it opens cannot be read. `at` is `line:column` in the text. */
  | { kind: 'invalid'; problem: string; at: string };

/**
 * Splits a Markdown text into its YAML front matter and its body. The fences are lines of their own: `---` on the first
 * line, the next `---` (or `...`) at the beginning of a line; a `---` inside an indented value or in the body is text
 * (documents.md, Reports). A byte order mark and CRLF are understood. Never throws.
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
  if (found === null)
    return { kind: 'invalid', problem: 'the front matter is never closed by a line "---"', at: '1:1' };
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
    // Anchors have no use here and can be made to expand without bound.
    const data: unknown = document.toJS({ maxAliasCount: 0 }) ?? {};
    if (!isRecord(data)) return { problem: 'the front matter is not a list of "key: value" lines', at: '2:1' };
    return { data: JSON.parse(JSON.stringify(data)) as JsonObject };
  } catch (error) {
    // The parser recurses, and refuses aliases by throwing: whatever the text brought about is the text's fault.
    const reason = error instanceof Error ? shortenMessage(error.message) : 'unknown';
    return { problem: `the YAML cannot be read: ${reason}`, at: '2:1' };
  }
}

/** The parser's messages quote the source below the first line. */
function shortenMessage(message: string): string {
  return (
    message
      .split('\n', 1)[0]
      ?.replace(/ at line \d+, column \d+:?$/, '')
      .slice(0, 200) ?? ''
  );
}
