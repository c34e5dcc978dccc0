import type { ImportNotes } from '../notes.js';
import { getSectionLocation, getTree, hasBox, type SourceDocument, type SourceSection } from '../read-source.js';
import { createSourcePlan, type LocatedText, type SourcePlan, type SourceRequirement } from '../source-plan.js';
import { NUMBERED } from './markdown.js';
import { describeBlock, prefixWithSection, readPhases, renderBlockLines } from './task-lists.js';

/** Reads an OpenSpec change: `proposal.md`, `tasks.md`, `design.md`, `specs/<capability>/spec.md`. */

/**
 * Reads a change.
 * @param id the name of its directory
 * @param documents the files of its directory
 */
export function readOpenSpec(id: string, documents: readonly SourceDocument[], notes: ImportNotes): SourcePlan {
  const plan = createSourcePlan('openspec', id);
  for (const document of documents) {
    const { path } = document;
    if (/(?:^|\/)tasks\.md$/.test(path)) {
      readPhases(
        document.sections,
        plan,
        { document, notes },
        { isTasks: (_, items) => items.some(hasBox), naming: NUMBERED },
      );
    } else if (/(?:^|\/)proposal\.md$/.test(path)) readProposal(document, plan, notes);
    else if (/(?:^|\/)design\.md$/.test(path)) readDesign(document, plan, notes);
    else readDelta(document, plan, notes);
  }
  return plan;
}

/** A section, with the second-level heading above it. */
interface Part {
  part: string;
  section: SourceSection;
}

function listParts(document: SourceDocument): Part[] {
  let part = '';
  return document.sections.map((section) => {
    if (section.depth <= 2) part = section.title.toLowerCase();
    return { part, section };
  });
}

function readProposal(document: SourceDocument, plan: SourcePlan, notes: ImportNotes): void {
  for (const { part, section } of listParts(document)) {
    const { depth, title, blocks } = section;
    if (depth === 1 && title !== '') plan.title = title.replace(/^(?:change|proposal)\s*:\s*/i, '');
    if (part === 'what changes') plan.deliverables.push(...listDeliverables(section, document));
    const isRequest = part === 'why' || part === 'what changes';
    if (isRequest && depth <= 2) notes.settle(section.at);
    for (const block of blocks) {
      const told = describeBlock(block, isRequest ? '' : title, document);
      if (!isRequest) plan.findings.push(...told);
      else plan.request.push(...told.map(({ text, at }) => ({ text: block.type === 'list' ? `- ${text}` : text, at })));
    }
  }
}

/** Lists the deliverables: the headings below "What Changes", and the entries of lists directly below it. */
function listDeliverables({ depth, title, at, blocks }: SourceSection, document: SourceDocument): LocatedText[] {
  if (depth > 2) return [{ text: title, at }];
  return blocks.flatMap((block) => (block.type === 'list' ? describeBlock(block, '', document) : []));
}

function readDesign(document: SourceDocument, plan: SourcePlan, notes: ImportNotes): void {
  for (const { part, section } of listParts(document)) {
    const { depth, title, at, blocks } = section;
    const tell = (lines: readonly LocatedText[]) =>
      plan.findings.push(...lines.map((line) => prefixWithSection(title, line)));
    const lines = blocks.flatMap((block) => describeBlock(block, '', document));
    if (/^(?:.*non-?goals|decisions$|risks|open questions)/i.test(title)) notes.settle(at);
    if (/non-?goals/i.test(title)) {
      const { goals, others } = splitGoals(lines, !/^goals/i.test(title));
      tell(goals);
      plan.mustNotDo.push(...others);
    } else if (part === 'decisions' && depth > 2 && !ALTERNATIVES.test(title)) {
      plan.decisions.push({
        text: title.replace(DECISION, ''),
        at,
        reason: renderBlockLines(blocks, document).join(' '),
      });
    } else if (part === 'decisions' && depth <= 2) readDecisions(lines, plan, tell);
    else if (part.startsWith('risks')) plan.risks.push(...lines);
    else if (part.startsWith('open questions')) plan.needs.push(...lines);
    else tell(lines);
  }
}

const DECISION = /^decision\s*\d*\s*:\s*/i;
const REASON = /^(?:rationale|reason|why)\s*:\s*/i;
/** Matches rejected alternatives. They become findings, since a worker would take them for decisions otherwise. */
const ALTERNATIVES = /^(?:rejected\s+)?alternatives?\b|^rejected\s*:/i;

/**
 * Reads decisions, one per line. A line that gives a reason is added to the decision before it; a line with rejected
 * alternatives becomes a finding.
 */
function readDecisions(
  lines: readonly LocatedText[],
  plan: SourcePlan,
  tell: (lines: readonly LocatedText[]) => void,
): void {
  let last: SourcePlan['decisions'][number] | null = null;
  for (const { text, at } of lines) {
    if (ALTERNATIVES.test(text)) tell([{ text, at }]);
    else if (last !== null && REASON.test(text)) last.reason = [last.reason, text.replace(REASON, '')].join(' ').trim();
    else {
      last = { text: text.replace(DECISION, ''), at, reason: '' };
      plan.decisions.push(last);
    }
  }
}

/**
 * Separates goals from non-goals. In a section such as "Goals / Non-Goals", a line `Goals:` or `Non-Goals:` says which
 * of the two the next lines are.
 * @param begins whether the lines before the first such line are non-goals
 */
function splitGoals(lines: readonly LocatedText[], begins: boolean): { goals: LocatedText[]; others: LocatedText[] } {
  const [goals, others]: [LocatedText[], LocatedText[]] = [[], []];
  let isOther = begins;
  for (const { text, at } of lines) {
    const [lead, non] = /^(non-?)?goals:\s*/i.exec(text) ?? [];
    if (lead !== undefined) isOther = non !== undefined;
    const said = text.slice(lead?.length ?? 0);
    if (said !== '') (isOther ? others : goals).push({ text: said, at });
  }
  return { goals, others };
}

const DELTA = /^(added|modified|removed|renamed)\b/i;

/** Reads the requirements that a change adds, modifies, removes or renames. */
function readDelta(document: SourceDocument, plan: SourcePlan, notes: ImportNotes): void {
  let kind = '';
  for (const section of document.sections) {
    const { depth, title } = section;
    if (depth === 2 && DELTA.test(title)) notes.settle(section.at);
    if (depth === 2) kind = DELTA.exec(title)?.[1]?.toLowerCase() ?? '';
    const [, name] = depth === 3 ? (/^requirement:\s*(.+)$/i.exec(title) ?? []) : [];
    if (name !== undefined) plan.requirements.push(readRequirement(name, kind, section, document));
    else if (depth < 4 && section.blocks.length > 0) {
      notes.refuseWhole(
        getSectionLocation(section, document),
        title || document.path,
        'no requirement of the change; it stays in the source',
      );
    }
  }
}

function readRequirement(
  name: string,
  kind: string,
  section: SourceSection,
  document: SourceDocument,
): SourceRequirement {
  const [own, ...scenarios] = getTree(document.sections, section);
  const said = renderBlockLines(own?.blocks ?? [], document).join(' ');
  const checks = scenarios.map(({ title, blocks }) => {
    const steps = renderBlockLines(blocks, document).join('; ');
    return `${title}: ${steps}`;
  });
  const isRemoved = kind === 'removed';
  const quote = said === '' ? name : said;
  return {
    id: null,
    quote,
    text: isRemoved ? `Removed: ${name}` : said === '' ? name : `${name}: ${said}`,
    checks: isRemoved ? [`What "${name}" required is not there any more.`] : checks,
    at: section.at,
  };
}
