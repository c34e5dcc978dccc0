import { DevCliError, type ErrorDetail } from '../base/errors.js';
import type { Json } from '../base/json.js';
import { findJsonFault } from './json-fault.js';
import { isSectionHeading, readMarkdownLines } from './markdown-lines.js';
import { hasContent, isPlaceholder, parseMarker, trimText } from './section-codec.js';
import { describeUnknownSection, isSectionId, type SectionId, VALID_SECTIONS } from './sections.js';

/** Parses the data given with `--data` (protocol.md §1): sections from a .md file, JSON from anything else. */

/** Maximum nesting depth of JSON. It is limited because functions that use the data may recurse. */
const MAX_DEPTH = 100;

/**
 * Parses the sections of a data file: `## <id>` headings with Markdown below. Headings in fenced code are plain text;
 * markers and placeholders copied from DRAFT.md are dropped.
 * @throws DevCliError `DATA_MISSING` for an empty text or an empty section, `UNKNOWN_SECTION` for a heading that is not
 * the id of a section, `DATA_MALFORMED` for text before the first heading and for a repeated section
 */
export function parseSections(markdown: string): Partial<Record<SectionId, string>> {
  const text = markdown.replace(/^\uFEFF/, '');
  if (!hasContent(text)) throw new DevCliError('DATA_MISSING', 'The data is empty.', { fix: HOW_TO_WRITE });
  const { sections, unknown, malformed } = splitSections(text);
  if (unknown.length > 0 || malformed.length > 0) {
    const code = unknown.length > 0 ? 'UNKNOWN_SECTION' : 'DATA_MALFORMED';
    throw new DevCliError(code, 'The data does not consist of sections.', {
      details: [...malformed, ...unknown],
      fix: `${HOW_TO_WRITE} ${VALID_SECTIONS}`,
    });
  }
  const empty = [...sections].filter(([, body]) => !hasContent(body)).map(([id]) => id);
  if (empty.length > 0) {
    throw new DevCliError('DATA_MISSING', `There is no text below ${empty.map((id) => `"## ${id}"`).join(', ')}.`, {
      details: empty.map((id) => ({ problem: 'the section is empty', target: id })),
      fix: 'Omit a heading as long as there is nothing to say below it.',
    });
  }
  return Object.fromEntries(sections);
}

const HOW_TO_WRITE = 'Write one "## <section>" heading per section and its text below, with "###" for headings inside.';

function splitSections(text: string): {
  sections: Map<SectionId, string>;
  unknown: ErrorDetail[];
  malformed: ErrorDetail[];
} {
  const bodies = new Map<SectionId, string[]>();
  const unknown: ErrorDetail[] = [];
  const malformed: ErrorDetail[] = [];
  let current: string[] | null = null;
  for (const line of readMarkdownLines(text)) {
    if (!line.fenced && isSectionHeading(line.text)) {
      const at = `${line.number}:1`;
      const title = readHeading(line.text);
      const id = title.toLowerCase();
      current = [];
      if (!isSectionId(id)) unknown.push({ problem: describeUnknownSection(title), at });
      else if (bodies.has(id)) malformed.push({ problem: `section "${id}" occurs twice`, target: id, at });
      else bodies.set(id, current);
    } else if (current !== null) {
      if (line.fenced || !(isPlaceholder(line.text) || parseMarker(line.text) !== null)) current.push(line.text);
    } else if (line.text.trim() !== '' && malformed.length === 0) {
      malformed.push({ problem: 'there is text before the first "## " heading', at: `${line.number}:1` });
    }
  }
  const sections = new Map([...bodies].map(([id, lines]) => [id, trimText(lines.join('\n'))] as const));
  return { sections, unknown, malformed };
}

function readHeading(line: string): string {
  const title = line.trim().slice('##'.length).trim();
  return /(?:^|[ \t])#+$/.test(title) ? title.slice(0, title.search(/#+$/)).trim() : title;
}

/**
 * Parses a JSON text.
 * @throws DevCliError `DATA_MISSING` for an empty text; `DATA_MALFORMED` for invalid JSON, with the line, the column
 * and the input expected there, and for nesting deeper than 100 levels
 */
export function parseJson(json: string): Json {
  const text = json.replace(/^\uFEFF/, '');
  if (text.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'The data is empty.', { fix: 'Write the data as JSON, then repeat.' });
  }
  const value = parseText(text);
  if (isTooDeep(value)) {
    throw new DevCliError('DATA_MALFORMED', `The JSON is nested deeper than ${MAX_DEPTH} levels.`, {
      fix: 'Nest the data less deeply.',
    });
  }
  return value;
}

function parseText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    const fault = findJsonFault(text) ?? { offset: 0, expected: 'JSON' };
    const at = formatPosition(text, fault.offset);
    const found = fault.offset >= text.length ? 'the end' : JSON.stringify(text.slice(fault.offset, fault.offset + 12));
    throw new DevCliError('DATA_MALFORMED', `The data is not valid JSON: line ${at.replace(':', ', column ')}.`, {
      details: [{ problem: `found ${found}`, at, expected: fault.expected }],
      fix: 'Correct the JSON at that place, then repeat.',
      cause,
    });
  }
}

/** Renders an offset as `line:column`, both from 1. */
function formatPosition(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    start = at + 1;
  }
  return `${line}:${offset - start + 1}`;
}

function isTooDeep(root: Json): boolean {
  let level: Json[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    const below: Json[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const member of Object.values(value)) {
        if (typeof member === 'object' && member !== null) below.push(member);
      }
    }
    level = below;
  }
  return false;
}
