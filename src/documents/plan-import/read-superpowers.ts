import type { Block } from '../plan-edit/markdown.js';
import { listCheckCommands, readCommand, readCommandBlock } from './find-commands.js';
import { dropLines, selectPaths } from './find-files.js';
import type { ImportNotes } from './notes.js';
import {
  getPlace,
  getTree,
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
import { describeBlock, showItem } from './task-lists.js';

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
    const [, goal] = depth <= 1 ? (/^goal:\s*(.+)$/i.exec(lines[0] ?? '') ?? []) : [];
    if (goal !== undefined) plan.request.push(goal);
    else if (/^global constraints/i.test(title)) plan.decisions.push(...lines.map((text) => ({ text, reason: '' })));
    // A quotation tells the agent which skill to use.
    else if (block.type !== 'blockquote') {
      plan.findings.push(...lines.map((line) => (depth <= 1 ? line : `${title}: ${line}`)));
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
    commit: null,
    isDone: false,
    serves: null,
  };
  const entries = blocks.flatMap((block) => listEntries(block, document));
  const begins = entries.findIndex(({ item }) => item !== null && item.box !== null);
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

/** What stands before the steps: the files, and prose, which is the first of them. */
function readPreface(task: SourceTask, entries: readonly Entry[], { document, notes }: Around): void {
  let label = '';
  for (const { block, item } of entries) {
    const said = item === null ? showBlock(block, document) : showItem(item);
    const [, found] = item === null ? (/^(files|interfaces)\s*:/i.exec(said) ?? []) : [];
    if (found !== undefined) label = found.toLowerCase();
    else if (label === 'files' && item !== null) {
      task.listsFiles = true;
      task.files.push(...selectPaths(readFiles(item.codes, item.text), item.at, notes));
    } else {
      const text = label === 'interfaces' && item !== null ? `Interfaces: ${said}` : said;
      task.steps.push({ text, isDone: false, at: item?.at ?? getPlace(block, document) });
    }
  }
}

/** The entries with boxes, each with what stands below it up to the next one. */
function readSteps(task: SourceTask, entries: readonly Entry[], around: Around): void {
  let pieces: Block[] = [];
  for (const { block, item } of entries) {
    if (item === null) pieces.push(block);
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
  const shown = all.map((block) => ({ block, text: block.type === 'code' ? '' : showPiece(block, document) }));
  const said = shown.flatMap(({ text }) => text.split(/(?=\bexpected\b)/i));
  const fails = said.some((part) => FAILS.test(part));
  const isCommit = /\bcommit\b/i.test(step.text);
  const commands: SourceCommand[] = isCommit
    ? []
    : shown.flatMap(({ block, text }, index) => {
        const at = block.position === undefined ? step.at : getPlace(block, document);
        if (block.type !== 'code')
          return listCheckCommands(text).flatMap((line) => readCommand(line, null, at, around) ?? []);
        return /run(?:\s+\S+)?\s*:$/i.test(shown[index - 1]?.text ?? '') ? readCommandBlock(block, at, around) : [];
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
  step.text = [step.text, ...prose, ...code].map(endSentence).join(' ').trim();
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
  return describeBlock(block, '', document).join('; ');
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
