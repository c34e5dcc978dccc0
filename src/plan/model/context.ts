import { readDraft } from '../../documents/draft.js';
import { readDecisions } from '../../documents/draft-decisions.js';
import type { PlanContent } from './schema.js';

/** The sections in which the user's answers stand. */
const ANSWERED = ['boundaries', 'criteria', 'decisions'] as const;

/** The beginning of what `draft import` writes. */
const REPORT_LINK = /^\[([^\]]+)\]\([^)]*\): /;

/**
 * Takes from DRAFT.md what a plan leaves out of its context: what the user said, and what was found (documents.md,
 * plan-content.json). Lines that only repeat the draft follow it.
 * @param draft the text of DRAFT.md
 * @returns the plan itself where nothing is to be added
 * @throws DevCliError `DOCUMENT_UNREADABLE` as `readDraft`
 */
export function fillContext(plan: PlanContent, draft: string): PlanContent {
  const sections = readDraft(draft);
  const said = ANSWERED.flatMap((id) => readDecisions(sections[id].text)).filter(({ by }) => by === 'user');
  const drafted = {
    interviewSummary: said.map(({ text }) => text),
    // A plan is read where the reports may be gone.
    researchFindings: readDecisions(sections.findings.text).map(({ text }) => text.replace(REPORT_LINK, '$1: ')),
  };
  const added = Object.entries(drafted).filter(([key, lines]) => {
    const stated = plan.context[key as keyof typeof drafted];
    const isDrafted =
      Array.isArray(stated) &&
      0 < stated.length &&
      stated.length < lines.length &&
      stated.every((one) => lines.includes(one));
    return lines.length > 0 && (stated === undefined || isDrafted);
  });
  return added.length === 0 ? plan : { ...plan, context: { ...plan.context, ...Object.fromEntries(added) } };
}
