import type { MarkdownBlock } from '../../../plan/markdown/parse.js';
import type { SourceLocation } from '../../../plan/markdown/place.js';
import { isOnlyCommandOrder, isRedStep, listCheckCommands } from '../commands/command-prose.js';
import { isCommitStep, listMessages } from '../commands/commit-steps.js';
import { readStepCommands, type StepFragment } from '../commands/step-commands.js';
import type { ImportNotes } from '../notes.js';
import {
  flattenItems,
  getBlockLocation,
  getTree,
  HTML_REASON,
  hasBox,
  listHeadings,
  readItems,
  renderBlockOnOneLine,
  type SourceDocument,
  type SourceItem,
  type SourceSection,
} from '../read-source.js';
import {
  createSourcePlan,
  type LocatedText,
  type SourcePlan,
  type SourceStep,
  type SourceTask,
} from '../source-plan.js';
import { addFiles, addRows, readLabel } from './superpowers-files.js';
import { describeBlock, prefixWithSection, renderBlockLines, showItem } from './task-lists.js';

/** Reads a plan as the superpowers skills write it: `### Task N: …` with files, and steps with checkboxes. */

const TASK =
  /^(?:\[.?\]\s*)?(?:task|タスク|任务|任務|작업|aufgabe|tâche|tarea|tarefa|задача)\s*#?\s*([a-z]?\d+(?:[.-]\d+)*[a-z]?)(?:\s*[:：.–—-]\s*|\s+|$)(.*)$/iu;

interface Around {
  document: SourceDocument;
  notes: ImportNotes;
}

/** Returns whether a heading begins a task in this format. */
export const isTaskHeading = (title: string): boolean => TASK.test(title);

/** Reads a plan of one file. */
export function readSuperpowers(document: SourceDocument, notes: ImportNotes): SourcePlan {
  const { path } = document;
  const plan = createSourcePlan('superpowers', path.slice(path.lastIndexOf('/') + 1));
  const taken = new Set<SourceSection>();
  for (const section of document.sections) {
    if (taken.has(section)) continue;
    const task = section.depth > 1 ? TASK.exec(section.title) : null;
    if (task === null && (plan.tasks.length === 0 || listWork(section, document).length === 0)) {
      readHead(section, plan, { document, notes });
      continue;
    }
    // A heading inside a task belongs to it, unless it begins the next task.
    const [own, ...below] = getTree(document.sections, section);
    const next = below.findIndex(({ title }) => TASK.test(title));
    const parts = own === undefined ? [] : [own, ...below.slice(0, next < 0 ? undefined : next)];
    for (const part of parts) taken.add(part);
    plan.tasks.push(readTask(task, parts, { document, notes }));
  }
  return plan;
}

/** Lists what is work even below a heading that names no task: open checkboxes, and commands after `Verify:` etc. */
function listWork({ blocks }: SourceSection, document: SourceDocument): LocatedText[] {
  const lines = blocks.flatMap((block): (LocatedText & Partial<SourceItem>)[] =>
    block.type === 'list'
      ? flattenItems(readItems(block, document))
      : [{ text: renderBlockOnOneLine(block, document), at: getBlockLocation(block, document) }],
  );
  return lines.filter(
    ({ text, box = null }) => box === 'open' || listCheckCommands(text).some(({ how }) => how === 'labelled'),
  );
}

function readHead(section: SourceSection, plan: SourcePlan, { document, notes }: Around): void {
  const { depth, title, at, blocks } = section;
  if (depth === 1 && title !== '') {
    plan.title = title.replace(/\s*implementation plan$/i, '');
    plan.findings.push({ text: title, at });
  }
  if (/^global constraints/i.test(title)) notes.settle(at);
  for (const { text, at } of listWork(section, document)) notes.refuse(at, text, 'it stands before the first task');
  for (const block of blocks) {
    const lines = describeBlock(block, '', document);
    const [, goal] = depth <= 1 ? (/^goal:\s*(.+)$/i.exec(lines[0]?.text ?? '') ?? []) : [];
    if (goal !== undefined) plan.request.push({ text: goal, at: getBlockLocation(block, document) });
    else if (/^global constraints/i.test(title)) plan.decisions.push(...lines.map((line) => ({ ...line, reason: '' })));
    else if (block.type === 'blockquote') {
      const at = getBlockLocation(block, document);
      notes.refuseWhole(
        at,
        renderBlockOnOneLine(block, document),
        'a quotation, such as one that tells an agent which skill to use',
      );
    } else plan.findings.push(...lines.map((line) => prefixWithSection(depth <= 1 ? '' : title, line)));
  }
}

function readTask(named: RegExpExecArray | null, parts: readonly SourceSection[], around: Around): SourceTask {
  const { document } = around;
  const [, number = '', name = parts[0]?.title ?? ''] = named ?? [];
  const blocks = parts.flatMap((part, index) => [
    ...(index === 0 ? [] : [asParagraph(part.title, part.at)]),
    ...part.blocks,
  ]);
  const last = blocks.at(-1);
  const at = parts[0]?.at ?? { path: document.path, line: 1 };
  const task: SourceTask = {
    id: named === null ? null : `task-${number.replaceAll('.', '-').toLowerCase()}`,
    title: name.trim(),
    at: { ...at, end: last === undefined ? at.line : (getBlockLocation(last, document).end ?? at.line) },
    phase: 1,
    isParallel: false,
    after: [],
    steps: [],
    files: [],
    references: [],
    // Headings above the task, except those with text of their own: such text is already a finding with its heading.
    below: listHeadings(document, at.line).flatMap((above) => (above.blocks.length === 0 ? above.title : [])),
    commands: [],
    namesCommands: false,
    isCheck: false,
    commit: null,
    isDone: false,
    mark: null,
    serves: null,
  };
  const entries = blocks.flatMap((block) => listEntries(block, document));
  const begins = entries.findIndex((entry) => beginsStep(entry, document));
  const until = begins < 0 ? entries.length : begins;
  const prose = readPreface(task, entries.slice(0, until), around);
  const steps = [...groupProse(prose, document), ...groupSteps(entries.slice(until), document)];
  task.isDone = steps.some(({ hasBox }) => hasBox) && steps.every(({ step, hasBox }) => step.isDone || !hasBox);
  for (const step of steps) endStep(task, step, around);
  task.isCheck = task.files.length === 0 && task.commit === null && steps.every((step) => onlyChecks(step, document));
  return task;
}

/** A block of a task; if the block is a list, one of its entries, because files and first step may share a list. */
interface Entry {
  block: MarkdownBlock;
  item: SourceItem | null;
}

function listEntries(block: MarkdownBlock, document: SourceDocument): Entry[] {
  if (block.type !== 'list') return [{ block, item: null }];
  return readItems(block, document).map((item) => ({ block, item }));
}

/** Returns whether an entry begins a step: with a checkbox or, in older plans, as `**Step 1: …**` on its own line. */
function beginsStep({ block, item }: Entry, document: SourceDocument): boolean {
  if (item !== null) return item.box !== null;
  return (
    block.type === 'paragraph' &&
    block.children[0]?.type === 'strong' &&
    STEP.test(renderBlockOnOneLine(block, document))
  );
}

const STEP = /^(?:step|schritt|étape|paso|passo|шаг|ステップ|步骤|단계)\s*\d+[a-z]?\s*[:：.–—-]/iu;

/** Adds files and interfaces named before the first step to the task. @returns the prose, for the first steps */
function readPreface(task: SourceTask, entries: readonly Entry[], { document, notes }: Around): Entry[] {
  const prose: Entry[] = [];
  let label = '';
  let isBegun = false;
  for (const entry of entries) {
    const { block, item } = entry;
    const found = item === null ? readLabel(renderBlockOnOneLine(block, document)) : null;
    const isNext = isBegun;
    isBegun = found !== null;
    if (found !== null) {
      label = found.label;
      if (found.rest === '') notes.settle(getBlockLocation(block, document));
      else addFiles(task, [{ text: found.rest, at: getBlockLocation(block, document) }], notes);
    } else if (label === 'files' && item !== null) addFiles(task, flattenItems([item]), notes);
    else if (isNext && label === 'files' && (block.type === 'table' || block.type === 'code'))
      addRows(task, block, { document, notes });
    else if (label === 'interfaces' && item !== null) {
      task.steps.push({ text: `Interfaces: ${showItem(item)}`, isDone: false, at: item.at });
    } else prose.push(entry);
  }
  return prose;
}

/** A step, with the blocks below it up to the next step. */
interface Group {
  step: SourceStep;
  hasBox: boolean;
  blocks: MarkdownBlock[];
}

/** Makes a step of each paragraph or entry; code, or a text that begins with `Expected`, joins the step before it. */
function groupProse(entries: readonly Entry[], document: SourceDocument): Group[] {
  const groups: Group[] = [];
  for (const { block, item } of entries) {
    const follows =
      item === null && (block.type === 'code' || /^expected\b/i.test(renderBlockOnOneLine(block, document)));
    const last = follows ? groups.at(-1) : undefined;
    if (last !== undefined) {
      last.blocks.push(block);
      continue;
    }
    const at = item?.at ?? getBlockLocation(block, document);
    const step = { text: item === null ? '' : showItem(item), isDone: false, at };
    groups.push({ step, hasBox: false, blocks: item === null ? [block] : [...item.rest] });
  }
  return groups;
}

function groupSteps(entries: readonly Entry[], document: SourceDocument): Group[] {
  const groups: Group[] = [];
  // Whether the last list has several entries; then a block after it belongs to the list and not to its last step.
  let isListed = false;
  for (const { block, item } of entries) {
    const last = groups.at(-1);
    if (block.type === 'list') isListed = block.children.length > 1;
    if (item === null && beginsStep({ block, item }, document)) {
      const step = {
        text: renderBlockOnOneLine(block, document),
        isDone: false,
        at: getBlockLocation(block, document),
      };
      groups.push({ step, hasBox: false, blocks: [] });
    } else if (item !== null && (item.box !== null || last === undefined)) groups.push(...groupItem(item));
    else if (item === null && last?.step.isDone === true && isListed)
      groups.push(...groupProse([{ block, item }], document));
    else if (item === null) last?.blocks.push(block);
    else last?.blocks.push(asParagraph(showItem(item), item.at), ...flattenItems([item]).flatMap(({ rest }) => rest));
  }
  return groups;
}

/** Makes a step of an entry. Nested entries with a checkbox become steps of their own; others join this step. */
function groupItem(item: SourceItem): Group[] {
  const { text, box, mark, at, children, rest } = item;
  const plain = children.filter((child) => !hasBox(child));
  const step = { text, isDone: box === 'done' || box === 'marked', isOpen: box === 'open', mark, at };
  const told = plain.flatMap((child) => [
    asParagraph(showItem(child), child.at),
    ...flattenItems([child]).flatMap((each) => each.rest),
  ]);
  const own = { step, hasBox: box !== null, blocks: [...told, ...rest] };
  return [own, ...children.filter(hasBox).flatMap(groupItem)];
}

/** Returns whether a step does nothing but run commands that check; a step that is already done counts as such. */
function onlyChecks({ step, blocks }: Group, document: SourceDocument): boolean {
  const said = [
    step.text.replace(STEP, ''),
    ...blocks.map((block) => (block.type === 'code' ? '' : showPiece(block, document))),
  ];
  return step.isDone || said.every(isOnlyCommandOrder);
}

/** Converts the text of an entry to a paragraph. */
function asParagraph(text: string, { line, end = line }: SourceLocation): MarkdownBlock {
  const [start, stop] = [line, end].map((each) => ({ line: each, column: 1 }));
  const position = start === undefined || stop === undefined ? {} : { position: { start, end: stop } };
  return { type: 'paragraph', children: [{ type: 'text', value: text }], ...position };
}

/** Completes a step and adds it to its task, together with the commands that it says to run. */
function endStep(task: SourceTask, { step, blocks }: Group, around: Around): void {
  const { document, notes } = around;
  const html = blocks.filter(({ type }) => type === 'html');
  for (const block of html)
    notes.refuse(getBlockLocation(block, document), renderBlockOnOneLine(block, document), HTML_REASON);
  const pieces = blocks
    .filter((block) => !html.includes(block))
    .map((block): StepFragment => {
      const code = block.type === 'code' ? block : null;
      return { text: code === null ? showPiece(block, document) : '', code, at: getBlockLocation(block, document) };
    });
  const at = {
    ...step.at,
    end: Math.max(step.at.end ?? step.at.line, ...pieces.map((piece) => piece.at.end ?? piece.at.line)),
  };
  const messages = step.isDone ? [] : listMessages([{ text: step.text, code: null, at }, ...pieces]);
  for (const message of messages) {
    if (task.commit !== null) notes.refuse(at, task.commit, 'a todo is committed once, with the last message');
    task.commit = message;
  }
  if (!step.isDone && isCommitStep(step.text, pieces)) {
    if (messages.length > 0) notes.settle(at);
    else notes.refuse(at, step.text, 'dev-cli commits each todo itself');
    return;
  }
  if (!step.isDone) {
    const said = [{ text: step.text, code: null, at: step.at }, ...pieces];
    const { commands, isNaming } = readStepCommands(said, around, isRedStep(step.text));
    task.commands.push(...commands);
    task.namesCommands ||= isNaming;
  }
  const prose = pieces.map(({ text }) => text).filter((text) => text !== '');
  const code = pieces.some((piece) => piece.code !== null)
    ? [`The code stands at ${document.path}:${step.at.line}.`]
    : [];
  const text = [step.text, ...prose, ...code]
    .filter((line) => line !== '')
    .map(endSentence)
    .join(' ')
    .trim();
  if (text !== '') task.steps.push({ ...step, text, at });
}

/** Ends a line with a full stop if another line follows, because the lines are joined into one text. */
function endSentence(line: string, index: number, { length }: readonly string[]): string {
  return index === length - 1 || /[.:!?;,。：]$/.test(line) ? line : `${line}.`;
}

function showPiece(block: MarkdownBlock, document: SourceDocument): string {
  const [only, ...more] = block.type === 'paragraph' ? block.children : [];
  if (only?.type === 'text' && only.position === undefined && more.length === 0) return only.value;
  return renderBlockLines([block], document).join('; ');
}
