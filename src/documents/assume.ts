// door: plan

import { readDraft } from './draft.js';
import { renderGoal, updateDraft } from './draft-edit.js';
import { toBoundedLine, toWholeLine } from './foreign.js';
import { SUMMARY_LIMIT } from './report.js';
import { NO_DECISION, type SectionId } from './sections.js';
import { splitRequest } from './sentences.js';

/** The input from which missing sections are filled. */
export interface AssumeInput {
  /** The goal of the run, word for word. */
  goal: string;
  /** Sections to fill; sections that are already filled stay as they are. */
  missing: SectionId[];
  /** The outcome of each agent's report. */
  reports: { agent: string; status: 'done' | 'failed'; summary?: string; reason?: string }[];
}

const ASSUMED = '(assumed)';

/**
 * Fills missing sections of DRAFT.md without asking anybody. The same input gives the same text. Only assumptions are
 * marked `(assumed)`; the user's words and agents' reports are not (documents.md, draft auto-assume).
 * @returns the new DRAFT.md and the sections that were filled
 * @throws DevCliError `DOCUMENT_UNREADABLE` if `readDraft` cannot read the draft
 */
export function assumeMissing(text: string, input: AssumeInput): { text: string; assumed: SectionId[] } {
  const draft = readDraft(text);
  const assumed = [...new Set(input.missing)].filter((id) => !draft[id].filled);
  if (assumed.length === 0) return { text, assumed };
  const values = Object.fromEntries(assumed.map((id) => [id, renderAssumption(id, input)]));
  return { text: updateDraft(text, values), assumed };
}

function renderAssumption(id: SectionId, { goal, reports }: AssumeInput): string {
  const short = toBoundedLine(goal, SUMMARY_LIMIT) || 'no goal was stated';
  const line = short.endsWith('…') ? `${short} (cut here; the purpose has the whole text)` : short;
  switch (id) {
    case 'intent':
      return line;
    case 'purpose':
      return goal.trim() === '' ? line : renderGoal(goal.trim());
    case 'boundaries':
      return `- Only what the goal names. ${ASSUMED}`;
    case 'criteria':
      return renderCriteria(goal);
    case 'decisions':
      return `- ${NO_DECISION}`;
    case 'findings':
      return reports.length === 0 ? '- No agent reported anything.' : reports.map(renderReport).join('\n');
    case 'direction':
      return `- The plan breaks the work down: ${line}`;
    case 'assumptions':
      return `- Nothing marked ${ASSUMED} in this draft was confirmed by the user.`;
  }
}

/**
 * Lists each statement of the goal, word for word, so that no part of the request is lost in a summary. Leaves out
 * code, because the section `purpose` has it.
 */
function renderCriteria(goal: string): string {
  const lines = splitRequest(goal).map(([{ text }]) => `- ${toWholeLine(text)}`);
  return lines.length === 0 ? '- No goal was stated.' : lines.join('\n');
}

function renderReport({ agent, status, summary, reason }: AssumeInput['reports'][number]): string {
  const name = toBoundedLine(agent, 80);
  switch (status) {
    case 'done':
      return `- ${name}: ${toBoundedLine(summary ?? '', SUMMARY_LIMIT) || 'no summary'}`;
    case 'failed':
      return `- ${name} failed: ${toWholeLine(reason ?? '') || 'no reason given'}`;
  }
}
