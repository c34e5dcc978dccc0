import { stripInvisible } from '../../../base/visible.js';
import { joinFirst } from '../../../base/words.js';
import { maskSecrets, toBoundedLine } from '../../../documents/foreign.js';
import type { Finding } from './finding.js';
import type { PlanRow } from './plans.js';

/** Bytes of a summary; GitHub refuses one from 1,024 kB on. */
const LIMIT = 1_000_000;

/** What is kept for the line that names what was left out. */
const RESERVE = 3_000;

/** A part of the summary that stays or leaves as a whole. */
export interface SummarySection {
  /** As it is named where it is left out. */
  name: string;
  text: string;
}

/** Builds the sections, in the order in which they leave last. @param told the verdict and what goes with it, a line each */
export function buildSections(
  told: readonly string[],
  plans: readonly PlanRow[],
  findings: readonly Finding[],
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
 * Joins sections as far as there is room; what has none is left out whole, and named.
 * @param size bytes that the summary holds already
 * @returns empty where there is no room for anything
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
    kept.push(`Left out, since there is no room for it: ${toMarkdown(joinFirst(left, 10))}.\n\n`);
  }
  return kept.join('');
}

/** Foreign text as Markdown shows it: nothing in it is a link, a mark or HTML. */
function toMarkdown(text: string): string {
  return toBoundedLine(text, 2_000).replace(/[&<>[\]()`*_~|\\#!:@$]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** A line that begins a block of code, up to the name of its language: GitHub draws diagrams and maps of some. */
const FENCE = /^([ \t>*+\-\d.)]*(?:`{3,}(?=[^`\n]*$)|~{3,})).*$/gm;

/**
 * A report, folded: headings, lists, tables and code stay, in a quotation that nothing leads out of; HTML, links and pictures are text.
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
