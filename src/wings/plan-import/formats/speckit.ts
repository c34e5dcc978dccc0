import type { MarkdownBlock } from '../../../plan/markdown/parse.js';
import type { ImportNotes } from '../notes.js';
import {
  getSectionLocation,
  getTree,
  hasBox,
  readItems,
  renderBlockOnOneLine,
  type SourceDocument,
  type SourceItem,
  type SourceSection,
} from '../read-source.js';
import { createSourcePlan, type LocatedText, type SourcePlan } from '../source-plan.js';
import { describeBlock, prefixWithSection, readPhases, showItem } from './task-lists.js';

/** Reads a feature of spec-kit: `spec.md`, `plan.md`, `tasks.md`. */

/** Matches `T012`; also `T012a`, `T012.1`, `T012-TEST` for tasks inserted later. */
const NAMED = {
  pattern: /^\**(T\d+(?:[a-z]|(?:[.-]\w+)+)?)\**[:.]?\**(?:\s+|$)/,
  id: (name: string) => name.replaceAll('.', '-'),
};

/**
 * Reads a feature.
 * @param documents the files of its directory
 */
export function readSpecKit(id: string, documents: readonly SourceDocument[], notes: ImportNotes): SourcePlan {
  const plan = createSourcePlan('speckit', id);
  for (const document of documents) {
    const { path } = document;
    // If a source has only one file, that file is the list of tasks, whatever its name is.
    if (documents.length === 1 || /(?:^|\/)tasks\.md$/.test(path)) readTasks(document, plan, notes);
    else if (/(?:^|\/)spec\.md$/.test(path)) readSpec(document, plan, notes);
    else readTechnicalPlan(document, plan, notes);
  }
  placeUnsettled(plan);
  return plan;
}

/** Titles of sections that explain the format, not the work. */
const ABOUT =
  /^(?:format\b|path conventions|dependencies & execution|phase dependencies|user story dependencies|within each|parallel|implementation strategy|mvp first|incremental|notes$)/i;

function readTasks(document: SourceDocument, plan: SourcePlan, notes: ImportNotes): void {
  const sections = document.sections.filter((section) => {
    const { depth, title, blocks } = section;
    const isAbout =
      depth > 1 &&
      ABOUT.test(title) &&
      !blocks.some((block) => block.type === 'list' && readItems(block, document).some(hasBox));
    if (isAbout && blocks.length > 0) {
      const at = getSectionLocation(section, document);
      notes.refuseWhole(at, title, 'it says how the tasks are done; it stays in the source');
    }
    return !isAbout;
  });
  const isTasks = (_: unknown, items: readonly SourceItem[]) => items.some(hasBox);
  // A heading inside a phase does not begin another phase, so its blocks are added to the phase above it.
  const phases = sections.reduce<SourceSection[]>((merged, section) => {
    const last = merged.at(-1);
    if (section.depth > 2 && last !== undefined) last.blocks = [...last.blocks, ...section.blocks];
    else merged.push({ ...section });
    return merged;
  }, []);
  readPhases(phases, plan, { document, notes }, { isTasks, naming: NAMED });
}

/** Headings of the format whose content goes to a specific field of the plan. */
const KNOWN =
  /^(?:user scenarios|(?:functional )?requirements|measurable outcomes|success criteria|assumptions|acceptance scenarios)\b/i;

function readSpec(document: SourceDocument, plan: SourcePlan, notes: ImportNotes): void {
  for (const section of document.sections) {
    const { depth, title, blocks } = section;
    if (KNOWN.test(title)) notes.settle(section.at);
    if (depth === 1) plan.title = title.replace(/^feature specification:\s*/i, '');
    const story = /^user story (\d+)\s*[-–—:]\s*(.*?)(?:\s*\(priority:.*)?$/i.exec(title);
    if (story !== null) {
      readStory(story, section, document, plan);
      continue;
    }
    for (const block of blocks) placeBlock(block, section, document, plan);
  }
  plan.needs.push(...findOpenQuestions(plan));
}

/** Adds a block to the field of the plan that fits its section. Sections of user stories are read elsewhere. */
function placeBlock(
  block: MarkdownBlock,
  { depth, title }: SourceSection,
  document: SourceDocument,
  plan: SourcePlan,
): void {
  const lines = describeBlock(block, '', document);
  if (depth <= 1) readHead(lines, plan);
  else if (/^(?:functional )?requirements/i.test(title) && block.type === 'list')
    readRequirements(block, document, plan);
  else if (/^(?:measurable outcomes|success criteria)/i.test(title)) plan.doneWhen.push(...lines);
  else if (/^assumptions/i.test(title)) plan.assumptions.push(...lines);
  else plan.findings.push(...lines.map((line) => prefixWithSection(title, line)));
}

/**
 * Reads the request from the line `**Input**: User description: "…"`. All other text before the first section describes
 * only the file and is ignored.
 */
function readHead(lines: readonly LocatedText[], plan: SourcePlan): void {
  for (const { text, at } of lines) {
    const [, asked] = /(?:^|\s)input:\s*(?:user description:\s*)?["“]?(.*?)["”]?$/i.exec(text) ?? [];
    if (asked !== undefined && asked !== '') plan.request.push({ text: asked, at });
  }
}

function readStory(
  [, number = '', name = '']: RegExpExecArray,
  section: SourceSection,
  document: SourceDocument,
  plan: SourcePlan,
): void {
  const blocks = getTree(document.sections, section).flatMap((each) => each.blocks);
  const told = blocks.flatMap((block) => (block.type === 'paragraph' ? renderBlockOnOneLine(block, document) : []));
  const isLabel = (line: string) => /^(?:why this priority|independent test|acceptance scenarios)\b/i.test(line);
  const quote = told.filter((line) => !isLabel(line)).join(' ') || name;
  const [test] = told.flatMap((line) => /^independent test:\s*(.+)$/i.exec(line)?.[1] ?? []);
  const isJudged = blocks.some(({ type }) => type === 'list');
  const beside = told.filter(
    (line) => isLabel(line) && !/:$/.test(line) && (isJudged || !/^independent test/i.test(line)),
  );
  plan.findings.push(...beside.map((text) => prefixWithSection(name, { text, at: section.at })));
  const scenarios = blocks.flatMap((block) => (block.type === 'list' ? readItems(block, document).map(showItem) : []));
  const checks = scenarios.length > 0 ? scenarios : [test ?? quote];
  plan.requirements.push({ id: `US${number}`, quote, text: `${name}: ${quote}`, checks, at: section.at });
}

function readRequirements(
  block: Extract<MarkdownBlock, { type: 'list' }>,
  document: SourceDocument,
  plan: SourcePlan,
): void {
  for (const item of readItems(block, document)) {
    const [lead, id] = /^([A-Z]{2,4}-\d+)\s*:\s*/.exec(item.text) ?? [];
    const quote = showItem(item).slice(lead?.length ?? 0);
    plan.requirements.push({ id: id ?? null, quote, text: quote, checks: [quote], at: item.at });
  }
}

const UNSETTLED = /NEEDS CLARIFICATION/;

/**
 * Looks for statements that say NEEDS CLARIFICATION and adds them to the plan's assumptions, because somebody must
 * decide them before the work begins. Such findings are removed, so that no statement is listed twice.
 */
function placeUnsettled(plan: SourcePlan): void {
  const isOpen = ({ text }: LocatedText) => UNSETTLED.test(text);
  const checks = plan.requirements.flatMap(({ quote, checks: all, at }) =>
    UNSETTLED.test(quote) ? [] : all.map((text) => ({ text, at })),
  );
  const tasks = plan.tasks.filter(({ isDone }) => !isDone).map(({ title, at }) => ({ text: title, at }));
  const told = [...plan.findings, ...plan.doneWhen, ...checks, ...tasks].filter(isOpen);
  plan.assumptions.push(...told.map((line) => prefixWithSection('Not settled', line)));
  plan.findings = plan.findings.filter((line) => !isOpen(line));
}

function findOpenQuestions({ requirements }: SourcePlan): LocatedText[] {
  return requirements.flatMap(({ id, quote, at }) =>
    UNSETTLED.test(quote) ? { text: `Clarify ${id ?? 'a requirement'}: ${quote}`, at } : [],
  );
}

function readTechnicalPlan(document: SourceDocument, plan: SourcePlan, notes: ImportNotes): void {
  for (const section of document.sections) {
    const { depth, title, blocks } = section;
    if (depth <= 1 || blocks.length === 0) continue;
    if (/^(?:summary|technical context)/i.test(title)) {
      plan.findings.push(...blocks.flatMap((block) => describeBlock(block, title, document)));
    } else
      notes.refuseWhole(getSectionLocation(section, document), title, 'it stays in the source, which the plan names');
  }
}
