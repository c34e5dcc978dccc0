import { DevCliError } from '../base/errors.js';
import type { Json, JsonObject } from '../base/json.js';
import { findSections } from './draft.js';
import { renderForeignBlock } from './foreign.js';
import { type Fence, findOpeningFence, isClosingFence } from './markdown-lines.js';
import { encodeSection, hasContent, isPlaceholder, trimText } from './section-codec.js';
import { requireSection, SECTION_IDS, type SectionId } from './sections.js';

/** Changes sections of DRAFT.md (documents.md, draft update). */

/**
 * Writes new contents into some sections of DRAFT.md. A text is written as it is, an object as bullets with bold keys,
 * an array as bullets, nested values as nested bullets. Text that could be read as structure is escaped. Line endings
 * are kept, and no byte outside these sections changes.
 * @param options.append whether to add to the sections instead of replacing them. Text with which a section already
 * ends is not added again, so that repeating a call after a crash is harmless.
 * @throws DevCliError `DATA_MISSING` when a value is empty or none is given, `UNKNOWN_SECTION`, `DOCUMENT_UNREADABLE`
 */
export function updateDraft(
  text: string,
  values: Partial<Record<SectionId, Json>>,
  options: { append?: boolean } = {},
): string {
  const given = Object.keys(values).map(requireSection);
  const empty = given.filter((id) => !saysSomething(values[id]));
  if (given.length === 0 || empty.length > 0) {
    const what = empty.length === 0 ? 'No section was given.' : `No content was given for ${empty.join(', ')}.`;
    throw new DevCliError('DATA_MISSING', what, {
      details: empty.map((id) => ({ problem: 'the value is empty', target: id })),
      fix: 'Omit a section as long as there is nothing to say about it.',
    });
  }
  let result = text;
  for (const id of SECTION_IDS) {
    const value = values[id];
    if (value !== undefined) result = replaceSection(result, id, renderContent(value), options.append === true);
  }
  return result;
}

function replaceSection(text: string, id: SectionId, content: string, append: boolean): string {
  const { start, end } = findSections(text)[id];
  const before = text.slice(0, start);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const encoded = encodeSection(content);
  const body = append ? joinTexts(readStanding(text.slice(start, end)), encoded) : encoded;
  const gap = end === text.length ? '' : eol;
  return `${before}${before.endsWith('\n') ? '' : eol}${body.replaceAll('\n', eol)}${eol}${gap}${text.slice(end)}`;
}

/** Reads the present content of a section, still escaped, without its placeholder, and closes an open fence. */
function readStanding(raw: string): string {
  const kept: string[] = [];
  let open: Fence | null = null;
  for (const line of trimText(raw).split('\n')) {
    if (open === null && isPlaceholder(line)) continue;
    kept.push(line);
    if (open === null) open = findOpeningFence(line);
    else if (isClosingFence(line, open)) open = null;
  }
  if (open !== null) kept.push(open.character.repeat(open.length));
  return trimText(kept.join('\n'));
}

function joinTexts(present: string, added: string): string {
  if (present === '') return added;
  if (present === added || present.endsWith(`\n${added}`)) return present;
  const last = present.slice(present.lastIndexOf('\n') + 1);
  return `${present}${isBullet(last) && isBullet(added) ? '\n' : '\n\n'}${added}`;
}

function isBullet(line: string): boolean {
  return /^ *[-*+] /.test(line);
}

function renderContent(value: Json): string {
  return trimText(isNested(value) ? renderBullets(value, '').join('\n') : String(value));
}

/** Renders the entries of a list or an object as bullets, each line beginning with `indent`. */
function renderBullets(value: Json[] | JsonObject, indent: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => renderListItem(item, indent));
  return Object.entries(value).flatMap(([key, member]) => {
    const lead = `${indent}- **${key.replace(/\s+/g, ' ').trim()}**:`;
    if (isNested(member)) return [lead, ...renderBullets(member, `${indent}  `)];
    return renderScalar(member, `${lead} `, indent);
  });
}

function renderListItem(item: Json, indent: string): string[] {
  if (!isNested(item)) return renderScalar(item, `${indent}- `, indent);
  const [first = '', ...rest] = renderBullets(item, `${indent}  `);
  const opening = first.trimStart();
  // The first member of an object goes on the bullet's own line, the others below it.
  return [`${indent}- ${Array.isArray(item) ? opening : opening.slice('- '.length)}`, ...rest];
}

function renderScalar(value: Json, lead: string, indent: string): string[] {
  const [first = '', ...rest] = saysSomething(value) ? trimText(String(value)).trimStart().split('\n') : ['none'];
  return [`${lead}${first}`, ...rest.map((line) => (line === '' ? '' : `${indent}  ${line}`))];
}

function isNested(value: Json): value is Json[] | JsonObject {
  return typeof value === 'object' && value !== null && saysSomething(value);
}

/** Returns whether a value is more than null, blank text, or a collection of such values. */
function saysSomething(value: Json | undefined): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'string') return hasContent(value);
  if (typeof value !== 'object') return true;
  return Object.values(value).some(saysSomething);
}

/**
 * Renders a goal as the purpose of a draft. A goal of one line stays as it is. A longer goal becomes a fenced block, so
 * that agents do not take it for instructions, nor its headings for sections (documents.md, Foreign text).
 */
export function renderGoal(goal: string): string {
  return goal.trim().includes('\n') ? renderForeignBlock(goal.trim(), { label: 'The request' }) : goal;
}
