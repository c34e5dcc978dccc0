import { toBoundedLine } from './foreign.js';
import { splitFrontMatter } from './front-matter.js';
import { isSectionHeading, readMarkdownLines } from './markdown-lines.js';

/**
 * Reads and renders the files in `.ai/handoffs/` (memory.md, Handoff). Each file hands the state of one session to the
 * next session, and is never rewritten. Pure.
 */

/** The ways in which a session can end. */
export const HANDOFF_STATUSES = ['complete', 'failed', 'blocked'] as const;

/** How a session ended. */
export type HandoffStatus = (typeof HANDOFF_STATUSES)[number];

/** The headings, in order; the last three are written only if there is text below them. */
export const HANDOFF_SECTIONS = [
  'Done',
  'Key Decisions',
  'Changed Files',
  'Next',
  'Context Files',
  'Tried',
  'Verification',
  'Waiting',
] as const;

type HandoffSection = (typeof HANDOFF_SECTIONS)[number];

/** The content of a handoff file. */
export interface HandoffFile {
  /** ISO 8601 with an offset, kept verbatim. */
  timestamp: string;
  status: HandoffStatus;
  /** The id of the session's goal, or else the name of its run, or else the name of its branch. */
  goalId: string;
  reason?: string;
  branch?: string;
  head?: string;
  /** The entries below each heading, one line each, secrets masked. */
  sections: Readonly<Record<HandoffSection, readonly string[]>>;
}

/** Matches `2026-11-27_010203.md` and `2026-11-27_010203_2.md`. */
const NAME = /^(\d{4}-\d\d-\d\d_\d{6})(?:_([2-9]|[1-9]\d+))?\.md$/;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Maximum number of characters of an entry that are read. */
const LONGEST = 400;

/** Selects the names of handoffs from a list of file names, oldest first; `_2` sorts before `_10`. */
export function sortHandoffNames(names: readonly string[]): string[] {
  return names
    .flatMap((name) => {
      const [, time, suffix = '1'] = NAME.exec(name) ?? [];
      return time === undefined ? [] : [{ name, time, suffix: Number(suffix) }];
    })
    .sort((a, b) => (a.time === b.time ? a.suffix - b.suffix : a.time < b.time ? -1 : 1))
    .map(({ name }) => name);
}

/**
 * Returns the file name of the `count`-th handoff within a second.
 * @param timestamp the time of the handoff, as returned by `formatLocalInstant`
 */
export function nameHandoff(timestamp: string, count: number): string {
  const [date, time] = [timestamp.slice(0, 10), timestamp.slice(11, 19).replaceAll(':', '')];
  return `${date}_${time}${count === 1 ? '' : `_${count}`}.md`;
}

/**
 * Renders milliseconds since the epoch in the local time of this machine, to the second: `2026-11-27T02:03:04+01:00`.
 */
export function formatLocalInstant(milliseconds: number): string {
  const minutes = -new Date(milliseconds).getTimezoneOffset();
  const local = new Date(milliseconds + minutes * 60_000).toISOString().slice(0, 19);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    `${part}`.padStart(2, '0'),
  );
  return `${local}${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
}

/** Reads a handoff; null if one of its first three keys is missing or invalid. Never throws. */
export function readHandoffFile(text: string): HandoffFile | null {
  const matter = splitFrontMatter(text);
  if (matter.kind !== 'found') return null;
  const { timestamp, status: said, goal_id: goal, ...more } = matter.data;
  const status = HANDOFF_STATUSES.find((one) => one === said);
  if (typeof timestamp !== 'string' || !INSTANT.test(timestamp) || Number.isNaN(Date.parse(timestamp))) return null;
  if (status === undefined || typeof goal !== 'string' || goal.trim() === '') return null;
  const keep = (key: 'reason' | 'branch' | 'head') => {
    const value = more[key];
    return typeof value === 'string' && value.trim() !== '' ? { [key]: toBoundedLine(value, LONGEST) } : {};
  };
  return {
    ...{ timestamp, status, goalId: toBoundedLine(goal, LONGEST) },
    ...{ ...keep('reason'), ...keep('branch'), ...keep('head') },
    sections: readSections(matter.body),
  };
}

/** Renders a handoff so that `readHandoffFile` can read it. Every text in it must be a single line. */
export function renderHandoffFile({ timestamp, status, goalId, sections, ...more }: HandoffFile): string {
  const { reason, branch, head } = more;
  const optional = Object.entries({ reason, branch, head }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`],
  );
  const matter = ['---', `timestamp: ${timestamp}`, `status: ${status}`, `goal_id: ${JSON.stringify(goalId)}`];
  const parts = HANDOFF_SECTIONS.flatMap((heading, index) => {
    const entries = sections[heading];
    if (index >= OPTIONAL_FROM && entries.length === 0) return [];
    return [['', `## ${heading}`, ...(entries.length === 0 ? [] : ['', ...entries.map((one) => `- ${one}`)])]];
  });
  return `${[...matter, ...optional, '---', ...parts.flat()].join('\n')}\n`;
}

/** The index of the heading `Tried`. From there on, a section without entries is left out of the file. */
const OPTIONAL_FROM = HANDOFF_SECTIONS.indexOf('Tried');

function readSections(body: string): HandoffFile['sections'] {
  const sections = Object.fromEntries(HANDOFF_SECTIONS.map((heading): [string, string[]] => [heading, []]));
  let open: string[] | undefined;
  for (const { text, fenced } of readMarkdownLines(body)) {
    if (!fenced && isSectionHeading(text)) open = sections[text.replace(/^ {0,3}##/, '').trim()];
    else {
      const entry = toBoundedLine(text.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/, ''), LONGEST);
      if (entry !== '') open?.push(entry);
    }
  }
  return sections as unknown as HandoffFile['sections'];
}
