import type { MarkdownBlock } from '../../../plan/markdown/parse.js';
import { isOnlyCommandOrder } from '../commands/command-prose.js';
import { readStepCommands, type StepFragment } from '../commands/step-commands.js';
import { type ListedFiles, readListedFiles } from '../find-files.js';
import type { ImportNotes } from '../notes.js';
import {
  flattenItems,
  getBlockLocation,
  listHeadings,
  readItems,
  renderBlockOnOneLine,
  type SourceDocument,
  type SourceItem,
  type SourceSection,
} from '../read-source.js';
import type { LocatedText, SourcePlan, SourceStep, SourceTask } from '../source-plan.js';

/** Reads lists of tasks: an entry is a task, nested entries are its steps (plans-from-elsewhere.md, Formats). */

type List = Extract<MarkdownBlock, { type: 'list' }>;

/** How an entry of the list writes the name of its task. */
interface Naming {
  /** Matches the name at the beginning of a title. */
  pattern: RegExp;
  /** Converts the match to an id. */
  id: (found: string) => string;
}

/** Decides which lists of a section contain tasks; the others become findings. */
export type TaskListTest = (list: List, items: readonly SourceItem[]) => boolean;

interface Around {
  document: SourceDocument;
  notes: ImportNotes;
}

interface PhaseOptions {
  isTasks: TaskListTest;
  naming: Naming;
  /** Whether the text before the first task is what the user asks for. */
  isRequestFirst?: boolean;
}

/** Reads each section of a document as a phase. Its lists of tasks become tasks; its other blocks become findings. */
export function readPhases(
  sections: readonly SourceSection[],
  plan: SourcePlan,
  around: Around,
  { isTasks, naming, isRequestFirst = false }: PhaseOptions,
): void {
  for (const section of sections) {
    const phase = (plan.tasks.at(-1)?.phase ?? 0) + 1;
    const title = section.depth <= 1 ? '' : section.title;
    for (const block of section.blocks) {
      const items = block.type === 'list' ? readItems(block, around.document) : [];
      if (block.type !== 'list' || !isTasks(block, items)) {
        plan.findings.push(...describeBlock(block, title, around.document));
        continue;
      }
      if (isRequestFirst && plan.tasks.length === 0) plan.request.push(...plan.findings.splice(0));
      const [saying, silent] = [items.filter(says), items.filter((item) => !says(item))];
      for (const { at } of silent) around.notes.refuse(at, '', 'an entry that says nothing is no task');
      plan.tasks.push(...saying.map(strike).map((item) => readTask(item, phase, naming, around)));
    }
  }
}

/** Treats struck-out text, as in `~~Drop it~~ (done in 1.6)`, like a ticked box: it is done or dropped. */
function strike(item: SourceItem): SourceItem {
  const children = item.children.map(strike);
  const [, name = '', struck, rest = ''] = STRUCK.exec(item.text) ?? [];
  if (struck === undefined) return { ...item, children };
  return { ...item, children, text: `${name}${struck}${rest}`, box: 'done' };
}

const STRUCK = /^((?:(?:T?\d+[a-z]?(?:\.\d+)*\.?|\[\w+\])\s+)*)~~([^~]+)~~(\s*(?:\([^)]*\)|[—–:-]\s.*)?[.!]?)$/;

function says({ text, children, rest }: SourceItem): boolean {
  return text !== '' || children.some(says) || rest.length > 0;
}

/** Renders a block as lines, each prefixed with the name of its section. */
export function describeBlock(block: MarkdownBlock, title: string, document: SourceDocument): LocatedText[] {
  const told =
    block.type === 'list'
      ? readItems(block, document).map((item) => ({ text: showItem(item), at: item.at }))
      : [{ text: renderBlockOnOneLine(block, document), at: getBlockLocation(block, document) }];
  return told.filter(({ text }) => text !== '').map((line) => prefixWithSection(title, line));
}

/** Prefixes a line with the name of its section. */
export function prefixWithSection(title: string, { text, at }: LocatedText): LocatedText {
  return { text: title === '' ? text : `${title}: ${text}`, at };
}

/** Renders blocks as lines without a section's name, because they become part of another text. */
export function renderBlockLines(blocks: readonly MarkdownBlock[], document: SourceDocument): string[] {
  return blocks.flatMap((block) => describeBlock(block, '', document).map(({ text }) => text));
}

/** Renders an entry with its nested entries on one line. */
export function showItem({ text, children }: SourceItem): string {
  return [text, ...children.map(showItem)].filter((line) => line !== '').join('; ');
}

function readTask(item: SourceItem, phase: number, { pattern, id }: Naming, around: Around): SourceTask {
  const name = pattern.exec(item.text);
  const title = name === null ? item.text : item.text.slice(name[0].length);
  const { parallel, story, plain } = readMarks(title);
  const listed: ListedFiles = { files: [], references: [] };
  const own = takeFiles({ ...item, text: plain }, listed, around);
  const parts = flattenItems([own]);
  const { commands, isNaming } = readStepCommands(
    parts
      .filter(({ box }, index) => index === 0 || box === null || box === 'open')
      .flatMap((part) => listPieces(part, around)),
    around,
  );
  return {
    id: name === null ? null : id(name[1] ?? ''),
    title: plain,
    at: item.at,
    phase,
    isParallel: parallel,
    after: listNamed(plain),
    steps: parts.flatMap((part, index) => [...(index === 0 ? [] : [toStep(part)]), ...listRest(part, around)]),
    ...listed,
    below: listHeadings(around.document, item.at.line).map((section) => section.title),
    commands,
    namesCommands: isNaming,
    isCheck: commands.length > 0 && isCheck(parts),
    commit: null,
    isDone: item.box === 'done' || item.box === 'marked',
    mark: item.mark,
    serves: story,
  };
}

/**
 * Removes the lists of files from an entry and adds their files to `listed`. Such a list is a nested entry or a
 * paragraph that begins with `Files:` or looks like `Modify: src/a.ts`.
 */
function takeFiles(item: SourceItem, listed: ListedFiles, { document, notes }: Around): SourceItem {
  const take = (text: string, at: SourceItem['at']): boolean => {
    const found = readListedFiles(text, at, notes);
    if (found === null) return false;
    listed.files.push(...found.files);
    listed.references.push(...found.references);
    notes.settle({ ...at, end: at.line });
    return true;
  };
  const children = item.children.flatMap((child) => {
    if (child.box !== null || !take(child.text, child.at)) return [takeFiles(child, listed, { document, notes })];
    const below = flattenItems(child.children).filter(({ text, at }) => !take(`Files: ${text}`, at));
    return [...below, ...(child.rest.length === 0 ? [] : [{ ...child, text: '', children: [] }])];
  });
  const rest = item.rest.filter(
    (block) =>
      block.type !== 'paragraph' || !take(renderBlockOnOneLine(block, document), getBlockLocation(block, document)),
  );
  return { ...item, children, rest };
}

const toStep = ({ text, box, mark, at }: SourceItem): SourceStep => ({
  text,
  isDone: box === 'done' || box === 'marked',
  mark,
  isOpen: box === 'open',
  at,
});

/** Makes a step of each further paragraph of an entry. Other blocks, such as code, stay in the source, with a note. */
function listRest({ rest, at }: SourceItem, { document, notes }: Around): SourceStep[] {
  return rest.flatMap((block) => {
    const place = block.position === undefined ? at : getBlockLocation(block, document);
    if (block.type === 'paragraph') return { text: renderBlockOnOneLine(block, document), isDone: false, at: place };
    notes.refuseWhole(place, renderBlockOnOneLine(block, document), 'it stays in the source, which the todo refers to');
    return [];
  });
}

function listPieces({ text, rest, at }: SourceItem, { document }: Around): StepFragment[] {
  const own = rest.map((block): StepFragment => {
    const code = block.type === 'code' ? block : null;
    return {
      text: block.type === 'paragraph' ? renderBlockOnOneLine(block, document) : '',
      code,
      at: getBlockLocation(block, document),
    };
  });
  return [{ text, code: null, at: { ...at, end: at.line } }, ...own];
}

/** Returns whether an entry, including its nested entries, only runs commands that check. */
function isCheck(parts: readonly SourceItem[]): boolean {
  return parts.every(({ text, rest }) => {
    const isOrder = rest.every(({ type }) => type === 'code');
    return isOrder && isOnlyCommandOrder(text);
  });
}

/**
 * Reads the labels at the beginning of a title: `[P]` means parallel, `[US1]` names a user story. These two are removed
 * from the title.
 */
function readMarks(title: string): { parallel: boolean; story: string | null; plain: string } {
  const [labels = ''] = LABELS.exec(title) ?? [];
  const all = labels.match(/[[(][^\])]*[\])]/g) ?? [];
  const isParallel = (label: string) => /^[[(]P[\])]$/.test(label);
  const stories = all.flatMap((label) => /^\[(US\d+)\]$/.exec(label)?.[1] ?? []);
  const kept = all.filter((label) => !isParallel(label) && !/^\[US\d+\]$/.test(label));
  return {
    parallel: all.some(isParallel),
    story: stories.at(-1) ?? null,
    plain: [...kept, title.slice(labels.length)].join(' ').trim(),
  };
}

const LABELS = /^(?:\*{0,2}(?:\[[A-Za-z][\w :-]{0,19}\](?!\()|\(P\))\*{0,2}\s+)+/;

/** Lists the tasks named in `(depends on T012, T013)`, even if other text comes first in the parentheses. */
function listNamed(title: string): string[] {
  const [, named = ''] = /\((?:[^()]*;\s*)?(?:depends on|requires|after)\s+([^()]*)\)/i.exec(title) ?? [];
  return (
    named
      .match(/\bT\d+(?:[a-z]|(?:[.-]\w+)+)?\b|\b\d+(?:\.\d+)+\b/g)
      ?.map((name) => (name.startsWith('T') ? name : toTaskId(name))) ?? []
  );
}

/** Converts `1.2` to `task-1-2`. */
export function toTaskId(number: string): string {
  return `task-${number.replaceAll('.', '-')}`;
}
