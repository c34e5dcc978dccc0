import type { Block } from '../plan-edit/markdown.js';
import { listCheckCommands } from './command-prose.js';
import { isShellCode, readCommand, readCommandBlock } from './find-commands.js';
import { dropLines, selectPaths } from './find-files.js';
import type { ImportNotes } from './notes.js';
import {
  getPlace,
  getTree,
  HTML,
  readItems,
  readSource,
  type Section,
  type SourceDocument,
  type SourceItem,
  showBlock,
} from './read-source.js';
import {
  createSourcePlan,
  type SourceCommand,
  type SourceFile,
  type SourcePlan,
  type SourceTask,
} from './source-plan.js';
import { describeBlock, listLines, putBelow, showItem } from './task-lists.js';

/** A plan as the superpowers skills write it: `### Task N: …` with files and steps that have boxes. */

const TASK = /^task\s+(\d+(?:\.\d+)*[a-z]?)\s*[:.–—-]\s*(.+)$/i;

interface Around {
  document: SourceDocument;
  notes: ImportNotes;
}

/** Whether a heading begins a task of this form. */
export const isTaskHeading = (title: string): boolean => TASK.test(title);

/** Reads a plan of one file. */
export function readSuperpowers(file: SourceFile, notes: ImportNotes): SourcePlan {
  const document = readSource(file, notes);
  const plan = createSourcePlan('superpowers', file.path.slice(file.path.lastIndexOf('/') + 1));
  const taken = new Set<Section>();
  for (const section of document.sections) {
    if (taken.has(section)) continue;
    const task = section.depth > 1 ? TASK.exec(section.title) : null;
    if (task === null) {
      readHead(section, plan, document);
      continue;
    }
    // A heading inside a task is a part of it, unless it begins the next one.
    const [own, ...below] = getTree(document.sections, section);
    const parts = own === undefined ? [] : [own, ...below.filter(({ title }) => !TASK.test(title))];
    for (const part of parts) taken.add(part);
    plan.tasks.push(readTask(task, parts, { document, notes }));
  }
  return plan;
}

function readHead({ depth, title, blocks }: Section, plan: SourcePlan, document: SourceDocument): void {
  if (depth === 1 && title !== '') plan.title = title.replace(/\s*implementation plan$/i, '');
  for (const block of blocks) {
    const lines = describeBlock(block, '', document);
    const [, goal] = depth <= 1 ? (/^goal:\s*(.+)$/i.exec(lines[0]?.text ?? '') ?? []) : [];
    if (goal !== undefined) plan.request.push({ text: goal, at: getPlace(block, document) });
    else if (/^global constraints/i.test(title)) plan.decisions.push(...lines.map((line) => ({ ...line, reason: '' })));
    // A quotation tells the agent which skill to use.
    else if (block.type !== 'blockquote') {
      plan.findings.push(...lines.map((line) => putBelow(depth <= 1 ? '' : title, line)));
    }
  }
}

function readTask([, number = '', name = '']: RegExpExecArray, parts: readonly Section[], around: Around): SourceTask {
  const { document } = around;
  const blocks = parts.flatMap((part) => part.blocks);
  const last = blocks.at(-1);
  const at = parts[0]?.at ?? { path: document.path, line: 1 };
  const task: SourceTask = {
    id: `task-${number.replaceAll('.', '-').toLowerCase()}`,
    title: name.trim(),
    at: { ...at, end: last === undefined ? at.line : (getPlace(last, document).end ?? at.line) },
    phase: 1,
    isParallel: false,
    after: [],
    steps: [],
    files: [],
    listsFiles: false,
    commands: [],
    namesCommands: false,
    isCheck: false,
    commit: null,
    isDone: false,
    serves: null,
  };
  const entries = blocks.flatMap((block) => listEntries(block, document));
  const begins = entries.findIndex((entry) => beginsStep(entry, document));
  const until = begins < 0 ? entries.length : begins;
  readPreface(task, entries.slice(0, until), around);
  readSteps(task, entries.slice(until), around);
  task.isDone = task.steps.length > 0 && task.steps.every(({ isDone }) => isDone);
  task.steps = task.steps.filter(({ text }) => text !== '');
  return task;
}

/** A block of a task, or an entry of a list; only a blank line may stand between the files and the first step, in one list. */
interface Entry {
  block: Block;
  item: SourceItem | null;
}

function listEntries(block: Block, document: SourceDocument): Entry[] {
  if (block.type !== 'list') return [{ block, item: null }];
  return readItems(block, document).map((item) => ({ block, item }));
}

/** An entry with a box, or `**Step 1: …**` in a line of its own, as older plans have it. */
function beginsStep({ block, item }: Entry, document: SourceDocument): boolean {
  if (item !== null) return item.box !== null;
  return block.type === 'paragraph' && block.children[0]?.type === 'strong' && STEP.test(showBlock(block, document));
}

const STEP = /^step\s+\d+[a-z]?\s*[:.–—-]/i;

/** What stands before the steps: the files, and prose, which is the first of them. */
function readPreface(task: SourceTask, entries: readonly Entry[], around: Around): void {
  const { document, notes } = around;
  const prose: Entry[] = [];
  let label = '';
  for (const entry of entries) {
    const { block, item } = entry;
    const [, found] = item === null ? (/^(files|interfaces)\s*:/i.exec(showBlock(block, document)) ?? []) : [];
    if (found !== undefined) label = found.toLowerCase();
    else if (label === 'files' && item !== null) {
      task.listsFiles = true;
      task.files.push(...selectPaths(readFiles(item.codes, item.text), item.at, notes));
    } else if (label === 'interfaces' && item !== null) {
      task.steps.push({ text: `Interfaces: ${showItem(item)}`, isDone: false, at: item.at });
    } else prose.push(entry);
  }
  for (const [first, ...more] of groupProse(prose, document)) {
    const { block, item } = first;
    const at = item?.at ?? getPlace(block, document);
    task.steps.push({ text: item === null ? '' : showItem(item), isDone: false, at });
    endStep(
      task,
      [...(item === null ? [first] : []), ...more].map((entry) => entry.block),
      around,
    );
  }
}

/** Paragraphs and entries, each with its code and with what is expected of it. */
function groupProse(entries: readonly Entry[], document: SourceDocument): [Entry, ...Entry[]][] {
  const groups: [Entry, ...Entry[]][] = [];
  for (const entry of entries) {
    const { block, item } = entry;
    const follows = item === null && (block.type === 'code' || /^expected\b/i.test(showBlock(block, document)));
    const last = follows ? groups.at(-1) : undefined;
    if (last === undefined) groups.push([entry]);
    else last.push(entry);
  }
  return groups;
}

/** The steps, each with what stands below it up to the next one. */
function readSteps(task: SourceTask, entries: readonly Entry[], around: Around): void {
  let pieces: Block[] = [];
  for (const { block, item } of entries) {
    if (item === null && beginsStep({ block, item }, around.document)) {
      endStep(task, pieces, around);
      pieces = [];
      const at = getPlace(block, around.document);
      task.steps.push({ text: showBlock(block, around.document), isDone: false, at });
    } else if (item === null) pieces.push(block);
    else if (item.box === null) pieces.push(...asParagraphs(showItem(item)));
    else {
      endStep(task, pieces, around);
      task.steps.push({ text: item.text, isDone: item.box === 'done', at: item.at });
      pieces = [...item.children.flatMap((child) => asParagraphs(showItem(child))), ...item.rest];
    }
  }
  endStep(task, pieces, around);
}

/** What hangs on an entry of a list, as a paragraph of its own would. */
function asParagraphs(text: string): Block[] {
  return text === '' ? [] : [{ type: 'paragraph', children: [{ type: 'text', value: text }] }];
}

/** `Modify: src/a.py:12-40 (add a flag)`: what is in backticks, else the first word. */
function readFiles(codes: readonly string[], text: string): string[] {
  if (codes.length > 0) return codes.map(dropLines);
  const [, word] = /^(?:(?:create|modify|test|delete|rename|update|add|read)[^:]*:\s*)?(\S+)/i.exec(text) ?? [];
  return word === undefined || !/[./]/.test(word) ? [] : [dropLines(word)];
}

/** `Expected: FAIL`: the command shows that the work is still to be done, so that it judges nothing. */
const FAILS = /^expected\b[^:]*:\s*(?:\W*)(?:fail|error|red\b|the (?:new )?tests? fail|.{0,40}\bfails?\b)/i;

/** `Expected: no output`: with which status it ends then, nobody says. */
const SILENT =
  /^expected\b[^:]*:\s*\W*(?:no (?:output|match|hit|result|line|remaining|occurrence)|nothing|empty|zero |0 )/i;

/** Closes the last step: its text, and the commands that it says to run. */
function endStep(task: SourceTask, all: readonly Block[], around: Around): void {
  const step = task.steps.at(-1);
  if (step === undefined || all.length === 0) return;
  const { document } = around;
  const html = all.filter(({ type }) => type === 'html');
  for (const block of html) around.notes.refuse(getPlace(block, document), showBlock(block, document), HTML);
  const shown = all
    .filter((block) => !html.includes(block))
    .map((block) => ({ block, text: block.type === 'code' ? '' : showPiece(block, document) }));
  const said = shown.flatMap(({ text }) => text.split(/(?=\bexpected\b)/i));
  const fails = said.some((part) => FAILS.test(part));
  const isCommit = /\bcommit\b/i.test(step.text);
  const commands: SourceCommand[] = isCommit
    ? []
    : shown.flatMap(({ block, text }, index) => {
        const at = block.position === undefined ? step.at : getPlace(block, document);
        if (block.type !== 'code')
          return listCheckCommands(text).flatMap(({ code, how }) =>
            how === 'fails' ? [] : (readCommand(code, { how }, at, around) ?? []),
          );
        if (/run(?:\s+\S+)?\s*:$/i.test(shown[index - 1]?.text ?? '')) return readCommandBlock(block, at, around);
        if (isShellCode(block) && !fails && !step.isDone) {
          around.notes.refuse(at, block.value, 'the source does not say that the work is checked by it');
        }
        return [];
      });
  if (isCommit) task.commit = findMessage(all) ?? task.commit;
  else if (said.some((part) => SILENT.test(part))) {
    for (const { argv, at } of commands) {
      const why = 'it is expected to print nothing, and the source does not say with which status it ends';
      around.notes.refuse(at, argv.join(' '), why);
    }
  } else if (!fails && !step.isDone) task.commands.push(...commands);
  const isCode = all.some(({ type }) => type === 'code') && !isCommit;
  const prose = shown.map(({ text }) => text).filter((text) => text !== '');
  const code = isCode ? [`The code stands at ${document.path}:${step.at.line}.`] : [];
  const texts = [step.text, ...prose, ...code].filter((text) => text !== '');
  step.text = texts.map(endSentence).join(' ').trim();
  if (isCommit && findMessage(all) !== null) task.steps.pop();
}

/** Ends a line that something follows. */
function endSentence(line: string, index: number, { length }: readonly string[]): string {
  return index === length - 1 || /[.:!?;,]$/.test(line) ? line : `${line}.`;
}

function showPiece(block: Block, document: SourceDocument): string {
  if (block.position === undefined && block.type === 'paragraph') {
    return block.children.map((child) => (child.type === 'text' ? child.value : '')).join('');
  }
  return listLines([block], document).join('; ');
}

/** The message of `git commit -m "…"`. */
function findMessage(blocks: readonly Block[]): string | null {
  for (const block of blocks) {
    if (block.type !== 'code') continue;
    const [, , message] = /\bgit commit\b[^\n]*?\s-a?m\s+(["'])([\s\S]*?)\1/.exec(block.value) ?? [];
    if (message !== undefined && message.trim() !== '' && !message.includes('$(')) return message.trim();
  }
  return null;
}
