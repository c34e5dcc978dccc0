import type { Block } from '../plan-edit/markdown.js';
import { listCheckCommands, onlyOrders, ordersBlock } from './command-prose.js';
import { isShellCode, readCommand, readCommandBlock } from './find-commands.js';
import { listPaths, selectPaths } from './find-files.js';
import type { ImportNotes } from './notes.js';
import { getPlace, readItems, type Section, type SourceDocument, type SourceItem, showBlock } from './read-source.js';
import type { SourceCommand, SourcePlan, SourceStep, SourceTask, SourceText } from './source-plan.js';

/** Lists as tasks: an entry is a task, what is nested in it its steps (plans-from-elsewhere.md, Formats). */

type List = Extract<Block, { type: 'list' }>;

/** How an entry says its name. */
interface Naming {
  /** Takes the name off the beginning of a title. */
  pattern: RegExp;
  /** Makes an id of what the pattern found. */
  id: (found: string) => string;
}

/** Which lists of a section are tasks; the others are told as findings. */
export type TaskListTest = (list: List, items: readonly SourceItem[]) => boolean;

/** What is around a source. */
export interface Surroundings {
  notes: ImportNotes;
  /** Names of what lies at the root of the project. */
  known: ReadonlySet<string>;
}

interface Around extends Surroundings {
  document: SourceDocument;
}

interface PhaseOptions {
  isTasks: TaskListTest;
  naming: Naming;
  /** Whether what stands before the first task says what is asked. */
  isRequestFirst?: boolean;
}

/** Reads the sections of a document as phases: the lists that are tasks, and what stands around them as findings. */
export function readPhases(
  sections: readonly Section[],
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

/** `~~Drop it~~ (done in 1.6)`: what is struck out is done or dropped, as a ticked box says it is done. */
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

/** Tells a block as lines, below the name of its section. */
export function describeBlock(block: Block, title: string, document: SourceDocument): SourceText[] {
  const told =
    block.type === 'list'
      ? readItems(block, document).map((item) => ({ text: showItem(item), at: item.at }))
      : [{ text: showBlock(block, document), at: getPlace(block, document) }];
  return told.filter(({ text }) => text !== '').map((line) => putBelow(title, line));
}

/** Puts the name of a section before what it says. */
export function putBelow(title: string, { text, at }: SourceText): SourceText {
  return { text: title === '' ? text : `${title}: ${text}`, at };
}

/** Tells blocks as lines that become a part of another one. */
export function listLines(blocks: readonly Block[], document: SourceDocument): string[] {
  return blocks.flatMap((block) => describeBlock(block, '', document).map(({ text }) => text));
}

/** Shows an entry with what is nested in it, in one line. */
export function showItem({ text, children }: SourceItem): string {
  return [text, ...children.map(showItem)].filter((line) => line !== '').join('; ');
}

function readTask(item: SourceItem, phase: number, { pattern, id }: Naming, around: Around): SourceTask {
  const { notes } = around;
  const name = pattern.exec(item.text);
  const title = name === null ? item.text : item.text.slice(name[0].length);
  const { parallel, story, plain } = readMarks(title);
  const parts = [{ ...item, text: plain }, ...flatten(item.children)];
  const files = parts.flatMap((part) => selectPaths(listPaths(part.text, part.codes, around.known), part.at, notes));
  const read = parts.map((part) => readCommands(part, around));
  const commands = read.flatMap((each) => each.commands);
  return {
    id: name === null ? null : id(name[1] ?? ''),
    title: plain,
    at: item.at,
    phase,
    isParallel: parallel,
    after: listNamed(plain),
    steps: flatten(item.children).map(toStep),
    files,
    listsFiles: false,
    commands,
    namesCommands: read.some(({ isNaming }) => isNaming),
    isCheck: commands.length > 0 && isCheck(parts),
    commit: null,
    isDone: item.box === 'done',
    serves: story,
    ...withRest(item, around),
  };
}

const toStep = ({ text, box, at }: SourceItem): SourceStep => ({
  text,
  isDone: box === 'done',
  isOpen: box === 'open',
  at,
});

/** What an entry holds besides its lists becomes a step, in one line; blocks of code stay where they are. */
function withRest(item: SourceItem, { document, notes }: Around): { steps: SourceStep[] } | object {
  const all = [item, ...flatten(item.children)];
  if (all.every(({ rest }) => rest.length === 0)) return {};
  const steps = all.flatMap((part, index) => {
    const own = index === 0 ? [] : [toStep(part)];
    const told = part.rest.flatMap((block) => {
      if (block.type === 'paragraph') return { text: showBlock(block, document), isDone: false, at: part.at };
      notes.refuse(part.at, showBlock(block, document), 'it stays in the source, which the todo refers to');
      return [];
    });
    return [...own, ...told];
  });
  return { steps };
}

/** The commands of an entry, and whether it names any, be they taken up or not. */
function readCommands(item: SourceItem, around: Around): { commands: SourceCommand[]; isNaming: boolean } {
  const { document } = around;
  const told = item.rest.flatMap((block) => (block.type === 'paragraph' ? showBlock(block, document) : []));
  const named = [item.text, ...told].flatMap(listCheckCommands);
  const said = named.flatMap(({ code, how }) => readCommand(code, { how }, item.at, around) ?? []);
  let isNaming = named.length > 0;
  const blocks = item.rest.flatMap((block, index) => {
    const before = index === 0 ? item.text : showBlock(item.rest[index - 1] ?? block, document);
    const isLabelled = /(?:run|verify|check|test)\s*:$/i.test(before);
    if (block.type !== 'code' || !(isLabelled || (isShellCode(block) && ordersBlock(before)))) return [];
    isNaming = true;
    return readCommandBlock(block, item.at, around, isLabelled ? 'labelled' : 'told');
  });
  return { commands: [...said, ...blocks], isNaming };
}

/** Whether an entry, with what is nested in it, does nothing but run commands that check. */
function isCheck(parts: readonly SourceItem[]): boolean {
  return parts.every(({ text, rest }) => {
    const isOrder = rest.every(({ type }) => type === 'code');
    return isOrder && onlyOrders(text);
  });
}

/** Entries below an entry, in order. */
function flatten(items: readonly SourceItem[]): SourceItem[] {
  return items.flatMap((item) => [item, ...flatten(item.children)]);
}

/** `[P]` and `[US1]` at the beginning of a title. */
function readMarks(title: string): { parallel: boolean; story: string | null; plain: string } {
  let plain = title;
  let parallel = false;
  let story: string | null = null;
  for (let mark = MARK.exec(plain); mark !== null; mark = MARK.exec(plain)) {
    if (mark[1] === 'P') parallel = true;
    else story = mark[1] ?? null;
    plain = plain.slice(mark[0].length);
  }
  return { parallel, story, plain };
}

const MARK = /^\[(P|US\d+)\]\s*/;

/** Names of tasks in `(depends on T012, T013)`, also where the bracket says something else first. */
function listNamed(title: string): string[] {
  const [, named = ''] = /\((?:[^()]*;\s*)?(?:depends on|requires|after)\s+([^()]*)\)/i.exec(title) ?? [];
  return (
    named.match(/\bT\d+[a-z]?\b|\b\d+(?:\.\d+)+\b/g)?.map((name) => (name.startsWith('T') ? name : toTaskId(name))) ??
    []
  );
}

/** `1.2` → `task-1-2`. */
export function toTaskId(number: string): string {
  return `task-${number.replaceAll('.', '-')}`;
}
