import { readDraft } from './draft.js';
import { updateDraft } from './draft-edit.js';
import { toBoundedLine, toWholeLine } from './foreign.js';
import { readMarkdownLines } from './markdown-lines.js';
import { SUMMARY_LIMIT } from './report.js';
import { encodeSection } from './section-codec.js';

/** What became of one agent's report. */
export interface ImportedReport {
  agent: string;
  /** Relative to the run's directory, where DRAFT.md lies too. */
  path: string;
  status: 'done' | 'failed';
  /** For a done one. */
  summary?: string;
  /** For a failed one. */
  reason?: string;
}

/**
 * DRAFT.md with one line per agent in `findings`: its summary and a link, or why it failed (documents.md, draft import).
 * An agent's line is replaced where it stands when something new is to be said, and left alone when people wrote on behind
 * it; the same import again changes nothing, and so does everything else in the section stay.
 * @throws DevCliError `DOCUMENT_UNREADABLE`
 */
export function importReports(draft: string, reports: ImportedReport[]): string {
  const present = readDraft(draft).findings.text;
  // As it is written: there a fence that nothing closes is escaped, and opens nothing.
  const written = [...readMarkdownLines(encodeSection(present))];
  const texts = present === '' ? [] : present.split('\n');
  const lines = texts.map((text, index) => ({ text, fenced: written[index]?.fenced === true }));
  for (const report of reports) {
    const line = renderReportLine(report);
    const leads = renderLineLeads(report);
    const standing = lines.find(({ text, fenced }) => !fenced && leads.some((lead) => text.startsWith(lead)));
    if (standing === undefined) lines.push({ text: line, fenced: false });
    else if (!standing.text.startsWith(line)) standing.text = line;
  }
  const findings = lines.map(({ text }) => text).join('\n');
  return findings === present ? draft : updateDraft(draft, { findings });
}

function renderReportLine(report: ImportedReport): string {
  const [done, failed] = renderLineLeads(report);
  switch (report.status) {
    case 'done':
      return `${done}${toBoundedLine(report.summary ?? '', SUMMARY_LIMIT) || 'no summary'}`;
    case 'failed':
      return `${failed}${toWholeLine(report.reason ?? '') || 'no reason given'}`;
  }
}

/** How the line of an agent begins, by which it is found again: with its report, and without. */
function renderLineLeads({ agent, path }: ImportedReport): [done: string, failed: string] {
  const name = toBoundedLine(agent, 80).replace(/[[\]\\]/g, '');
  const target = toBoundedLine(path, 500).replace(/[\s<>()\\]/g, (character) => encodeURIComponent(character));
  return [`- [${name}](${target}): `, `- ${name} failed: `];
}
