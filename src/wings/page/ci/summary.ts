import { stripInvisible } from '../../../base/visible.js';
import { joinFirst } from '../../../base/words.js';
import { maskSecrets, toBoundedLine } from '../../../documents/foreign.js';
import type { CiFinding } from './finding.js';
import type { PlanRow } from './plans.js';

/** Maximum bytes of a summary; GitHub refuses 1,024 kB or more. */
const LIMIT = 1_000_000;

/** Bytes reserved for the line that names what was left out. */
const RESERVE = 3_000;

/** A section of the summary, included or left out as a whole. */
export interface SummarySection {
  /** What to call this section in the line that lists the sections left out. */
  name: string;
  text: string;
}

/** Builds the sections, the most important first. @param told the verdict in one line, then a line per warning */
export function buildSections(
  told: readonly string[],
  plans: readonly PlanRow[],
  findings: readonly CiFinding[],
  changed: ReadonlyMap<string, string>,
): SummarySection[] {
  const [verdict = '', ...more] = told.map(toMarkdown);
  const rows = plans.map(
    ({ name, todos, done, report }) =>
      `| ${[name, `${done}/${todos}`, report?.proof ?? '–', report?.open.join('; ') || '–'].map(toMarkdown).join(' | ')} |`,
  );
  const table = ['| plan | todos | proof | left open |', '| --- | --- | --- | --- |', ...rows];
  const list = findings.map(({ severity, file, line, column, message, fix }) => {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    return `- **${severity}** ${toMarkdown(place)}: ${toMarkdown(message)}${fix === undefined ? '' : ` ${toMarkdown(fix)}`}`;
  });
  const reports = [...changed].map(([file, text]) => ({ name: file, lines: quoteReport(file, text) }));
  return [
    { name: 'the verdict', lines: [`## ${verdict}`, ...more.flatMap((line) => ['', line])] },
    { name: 'the plans', lines: plans.length === 0 ? [] : table },
    { name: 'the findings', lines: list },
    ...reports,
  ].flatMap(({ name, lines }) => (lines.length === 0 ? [] : [{ name, text: `${lines.join('\n')}\n\n` }]));
}

/**
 * Joins the sections that fit below GitHub's limit; the others are left out whole, and a last line names them.
 * @param size bytes that the summary file already has
 * @returns an empty string if nothing fits
 */
export function joinSections(sections: readonly SummarySection[], size: number): string {
  let room = LIMIT - size - RESERVE;
  const [kept, left] = [[] as string[], [] as string[]];
  for (const { name, text } of sections) {
    const bytes = Buffer.byteLength(text);
    if (bytes > room) left.push(name);
    else {
      kept.push(text);
      room -= bytes;
    }
  }
  if (kept.length > 0 && left.length > 0) {
    kept.push(`Left out for lack of room: ${toMarkdown(joinFirst(left, 10))}.\n\n`);
  }
  return kept.join('');
}

/** Escapes foreign text for Markdown: nothing in it becomes a link, markup or HTML. */
function toMarkdown(text: string): string {
  return toBoundedLine(text, 2_000).replace(/[&<>[\]()`*_~|\\#!:@$]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/**
 * Matches the opening line of a code block in Markdown. Group 1 excludes the language, which is removed: for some
 * languages (`mermaid`, `geojson`) GitHub would draw a diagram or a map.
 */
const FENCE = /^([ \t>*+\-\d.)]*(?:`{3,}(?=[^`\n]*$)|~{3,})).*$/gm;

/**
 * Renders a report as a section that the reader can unfold. Headings, lists, tables and code keep their form, but every
 * line starts with `> `, so no text in the report can end the quotation. HTML, links and images become plain text.
 */
function quoteReport(file: string, text: string): string[] {
  const inert = maskSecrets(stripInvisible(text))
    .replace(/^<\/?details>$|^<summary>(.*)<\/summary>$/gm, '$1')
    .replaceAll('<', '&lt;')
    .replace(FENCE, '$1')
    .replace(/\](?=[(:[])/g, '] ');
  const quoted = inert.split('\n').map((line) => `> ${line}`.trimEnd());
  return ['<details>', `<summary>${toMarkdown(file)}</summary>`, '', ...quoted, '', '</details>'];
}
