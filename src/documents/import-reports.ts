// door: plan

import { readDraft } from './draft.js';
import { updateDraft } from './draft-edit.js';
import { toBoundedLine, toWholeLine } from './foreign.js';
import { readMarkdownLines } from './markdown-lines.js';
import { SUMMARY_LIMIT } from './report.js';
import { encodeSection } from './section-codec.js';

/** The outcome of one agent's report. */
export interface ImportedReport {
  agent: string;
  /** Relative to the run's directory, as links in DRAFT.md are. */
  path: string;
  status: 'done' | 'failed';
  /** The report's summary; set if `status` is `done`. */
  summary?: string;
  /** Why a report failed. */
  reason?: string;
}

/**
 * Writes one line per agent into the `findings` of DRAFT.md: its summary with a link, or why it failed (documents.md,
 * draft import). An agent's existing line is replaced in place, but text that people appended to the line stays.
 * Everything else in the section stays, so importing the same reports again changes nothing.
 * @param imported the lines that the previous import wrote, by report path; they show what people have appended since
 * @throws DevCliError `DOCUMENT_UNREADABLE` if `readDraft` cannot read the draft
 */
export function importReports(
  draft: string,
  reports: ImportedReport[],
  imported: Readonly<Record<string, string>> = {},
): string {
  const present = readDraft(draft).findings.text;
  // Fences are looked for in the encoded text, in which an unclosed fence is escaped and so does not count.
  const written = [...readMarkdownLines(encodeSection(present))];
  const texts = present === '' ? [] : present.split('\n');
  const lines = texts.map((text, index) => ({ text, fenced: written[index]?.fenced === true }));
  for (const report of reports) {
    const line = renderReportLine(report);
    const leads = renderLineLeads(report);
    const standing = lines.find(({ text, fenced }) => !fenced && leads.some((lead) => text.startsWith(lead)));
    if (standing === undefined) lines.push({ text: line, fenced: false });
    else standing.text = renew(standing.text, line, imported[report.path]);
  }
  const findings = lines.map(({ text }) => text).join('\n');
  return findings === present ? draft : updateDraft(draft, { findings });
}

/**
 * Replaces an agent's line, and keeps text that people appended to it.
 * @param before the line that the previous import wrote. If it is unknown, a line that begins exactly like the new line
 * stays as it is: whatever follows was appended by people.
 */
function renew(standing: string, line: string, before: string | undefined): string {
  if (before !== undefined && standing.startsWith(before)) return `${line}${standing.slice(before.length)}`;
  return standing.startsWith(line) ? standing : line;
}

/** Renders the line of one agent's report for DRAFT.md. */
export function renderReportLine(report: ImportedReport): string {
  const [done, failed] = renderLineLeads(report);
  switch (report.status) {
    case 'done':
      return `${done}${toBoundedLine(report.summary ?? '', SUMMARY_LIMIT) || 'no summary'}`;
    case 'failed':
      return `${failed}${toWholeLine(report.reason ?? '') || 'no reason given'}`;
  }
}

/** Renders the beginnings by which an agent's line is recognized, one for each status. */
function renderLineLeads({ agent, path }: ImportedReport): [done: string, failed: string] {
  const name = toBoundedLine(agent, 80).replace(/[[\]\\]/g, '');
  const target = toBoundedLine(path, 500).replace(/[\s<>()\\]/g, (character) => encodeURIComponent(character));
  return [`- [${name}](${target}): `, `- ${name} failed: `];
}
