import type { ListItem, MarkdownBlock } from '../../plan/markdown/parse.js';
import type { SourceLocation } from '../../plan/markdown/place.js';
import type { PlanContent, PlanTodo } from '../../plan/model/schema.js';
import type { ImportNotes } from './notes.js';
import { getBlockLocation, readBox, renderBlockOnOneLine, type SourceDocument } from './read-source.js';

/**
 * After an import, goes through the source once more and notes each text that is neither in the plan nor in another
 * note (plans-from-elsewhere.md, plan import).
 */

/** A todo, and the source lines from which it was made. */
export interface TracedTodo {
  todo: PlanTodo;
  at: SourceLocation;
  commit: string;
}

/** A piece of the source's text. */
interface Said {
  text: string;
  at: SourceLocation;
  /** Whether the text is a section's heading. A heading is noted even if it is only a label such as `Task 1`. */
  isPart?: boolean;
}

const STAYS = 'it has no place in a plan, and stays in the source';
const IN_CODE = 'it looks like a step, but stands in a block of code';

/** Reports all text of the source that was lost. */
export function reportLostText(
  documents: readonly SourceDocument[],
  { plan, traced }: { plan: PlanContent; traced: readonly TracedTodo[] },
  notes: ImportNotes,
): void {
  const whole = toKeys(plan);
  const own = traced.map(({ todo, at, commit }) => ({ at, key: toKeys([todo, commit]) }));
  for (const document of documents) {
    const settled = notes.settled.filter(({ path }) => path === document.path);
    const named = notes.noted.flatMap(({ at, what }) => (at.path === document.path ? [{ at, key: toKey(what) }] : []));
    const isKnown = ({ text, at, isPart = false }: Said): boolean => {
      if (settled.some((place) => holds(place, at))) return true;
      const todo = own.find((each) => holds(each.at, at));
      const keys = isPart ? listKeys(text).filter((key) => key !== '') : listKeys(text);
      if (keys.length === 0) return true;
      return keys.some(
        (key) =>
          key === '' ||
          todo?.key.includes(key) === true ||
          ((todo === undefined || key.length >= TELLING) && whole.includes(key)) ||
          named.some((each) => holds(each.at, at) && each.key.includes(key)),
      );
    };
    for (const said of listSaid(document)) {
      if (!isKnown(said)) notes.refuse(said.at, said.text, STAYS);
    }
    for (const at of document.boxesInCode) {
      if (!settled.some((place) => holds(place, at))) notes.refuse(at, at.text, IN_CODE);
    }
  }
}

/**
 * A text from the lines of a task counts as imported if the task's todo contains it. Anywhere else in the plan, it
 * counts only with this many characters, because a short text may be there by chance.
 */
const TELLING = 24;

const holds = (outer: SourceLocation, { path, line }: SourceLocation): boolean =>
  outer.path === path && outer.line <= line && line <= (outer.end ?? outer.line);

/** Reduces a text to its words in lower case, so that formatting does not matter; empty if there are no words. */
function toKey(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu);
  return words === null ? '' : ` ${words.join(' ')} `;
}

/** Returns the keys of all texts in a value, separated so that no match spans two texts. */
function toKeys(value: unknown): string {
  if (typeof value === 'string') return toKey(value);
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(toKeys).join('\n');
}

/**
 * Returns the keys under which a text may be found in the plan: as a whole, without names and labels (`T012`), and
 * without a lead such as `Decision:`. The plan may have dropped these parts.
 */
function listKeys(text: string): string[] {
  const plain = text.replace(LABELS, '');
  return [text, plain, plain.replace(/^[^:：]{1,40}[:：]/, '')].map(toKey);
}

const LABELS =
  /^(?:(?:T\d+[\w.-]*|task\s+[a-z]?\d[\w.]*\s*[:.–—-]?|\d+(?:\.\d+)*[.)]?|\[[^\]\s]*\]|\(P\)|[A-Z]{2,4}-\d+|(?:change|proposal|feature specification|tasks|implementation plan)\s*:|decision\s*\d*\s*:|user story \d+\s*[-–—:]|requirement\s*:)[:.]?(?:\s+|$))+|\s*(?:\(priority:[^)]*\)|implementation plan|実装プラン)$/gi;

function listSaid(document: SourceDocument): Said[] {
  return document.sections.flatMap(({ depth, title, at, blocks }) => [
    ...(depth === 0 ? [] : [{ text: title, at, isPart: depth > 1 }]),
    ...blocks.flatMap((block) => listBlock(block, document)),
  ]);
}

function listBlock(block: MarkdownBlock, document: SourceDocument): Said[] {
  const at = getBlockLocation(block, document);
  switch (block.type) {
    case 'list':
      return block.children.flatMap((item) => listItem(item, document));
    case 'blockquote':
      return block.children.flatMap((child) => listBlock(child, document));
    case 'paragraph':
    case 'heading':
      return [{ text: renderBlockOnOneLine(block, document), at }];
    case 'table':
      return [{ text: renderBlockOnOneLine(block, document), at }];
    default:
      return [];
  }
}

function listItem(item: ListItem, document: SourceDocument): Said[] {
  const [first, ...others] = item.children;
  if (first?.type !== 'paragraph') return item.children.flatMap((block) => listBlock(block, document));
  const line = item.position?.start.line ?? 1;
  const own = { text: readBox(renderBlockOnOneLine(first, document)).text, at: { path: document.path, line } };
  return [own, ...others.flatMap((block) => listBlock(block, document))];
}
