import { readDraft } from '../../documents/draft.js';
import { readDecisions } from '../../documents/draft-decisions.js';
import type { PlanContent } from './schema.js';

/** The sections of DRAFT.md that contain the user's answers. */
const ANSWERED = ['boundaries', 'criteria', 'decisions'] as const;

/** The link with which `draft import` begins a line. */
const REPORT_LINK = /^\[([^\]]+)\]\([^)]*\): /;

/**
 * Fills in, from DRAFT.md, the context that a plan leaves out: the user's statements and the findings (documents.md,
 * plan-content.json). If a list in the plan merely repeats some lines of the draft's list, the whole list replaces it.
 * @param draft the text of DRAFT.md
 * @returns `plan` itself if there is nothing to add
 * @throws DevCliError `DOCUMENT_UNREADABLE` if `readDraft` cannot read the draft
 */
export function fillContext(plan: PlanContent, draft: string): PlanContent {
  const sections = readDraft(draft);
  const said = ANSWERED.flatMap((id) => readDecisions(sections[id].text)).filter(({ by }) => by === 'user');
  const drafted = {
    interviewSummary: said.map(({ text }) => text),
    // Links to reports become their text, because a plan may be read after the reports are gone.
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
