import { splitList } from '../../documents/plan-text.js';
import { getTokensKey, type Token, takeLeadingMatch, writeTokens } from '../markdown/tokens.js';
import type { PlanContent } from '../model/schema.js';
import { renderProse } from '../page/prose.js';
import type { ReadBackPart } from './apply-lists.js';
import { applyList, type PlanEntry } from './list.js';
import { cutForMessage, readListEntries } from './parts.js';
import { restoreInvisible } from './restore.js';

/** Applies edits to texts of several lines. PLAN.md shows each line that is not empty as a list entry. */

type Context = PlanContent['context'];
/** One or several texts of a plan. */
type Prose = string | readonly string[];

interface Line extends PlanEntry {
  tokens: readonly Token[];
}

/** Applies the edits to "Unconfirmed". */
export function applyAssumptions(old: Prose | undefined, reading: ReadBackPart): Prose | undefined {
  const before = readListEntries(reading.before, reading.unheard);
  const after = readListEntries(reading.after, reading.notes);
  const edited = applyProse(old ?? [], { before, after, name: 'what nobody confirmed' }, reading);
  return edited.length === 0 && edited !== old ? undefined : edited;
}

/** Applies the edits to "Context". */
export function applyContext(old: Context, reading: ReadBackPart): Context {
  const before = readContext({ ...reading, after: reading.before, notes: reading.unheard });
  const after = readContext(reading);
  const apply = (key: ContextKey): Partial<Context> => {
    const lists = { before: before[key], after: after[key], name: 'lines of the context' };
    const edited = applyProse(old[key] ?? [], lists, reading);
    return edited.length === 0 && old[key] === undefined ? {} : { [key]: edited };
  };
  return { ...old, ...apply('interviewSummary'), ...apply('researchFindings') };
}

type ContextKey = 'interviewSummary' | 'researchFindings';
const KEY_OF: Readonly<Record<string, ContextKey>> = { interview: 'interviewSummary', research: 'researchFindings' };

function readContext({ after, notes }: ReadBackPart): Record<ContextKey, Line[]> {
  const found: Record<ContextKey, Line[]> = { interviewSummary: [], researchFindings: [] };
  const seen = new Set<string>();
  for (const { tokens, nested, line } of readListEntries(after, notes, true)) {
    const taken = takeLeadingMatch(tokens, /^(interview|research):\s*/);
    const name = taken?.found[1] ?? '';
    const key = KEY_OF[name];
    if (taken === null || key === undefined) {
      notes.refuse(
        line,
        `"${cutForMessage(writeTokens(tokens))}": the context is written interview: … and research: …, or as a list below either`,
      );
      continue;
    }
    if (seen.has(name)) notes.refuse(line, `a second ${name}: write several lines as a list below the first`);
    seen.add(name);
    const lines = [...(taken.rest.length === 0 ? [] : [{ line, tokens: taken.rest }]), ...nested];
    found[key] = lines.map((each) => ({ ...each, key: getTokensKey(each.tokens) }));
  }
  return found;
}

/** A line of a text. `entry` is the index, in the plan's list, of the text that contains it; null for a new line. */
interface RawLine {
  raw: string;
  entry: number | null;
}

const MARK = /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+/;

function applyProse(
  old: Prose,
  lists: { before: readonly Line[]; after: readonly Line[]; name: string },
  { notes }: ReadBackPart,
): Prose {
  const isSame = String(lists.before.map(({ key }) => key)) === String(lists.after.map(({ key }) => key));
  if (isSame && lists.before.length === lists.after.length) return old;
  const raw = [old]
    .flat()
    .flatMap((text, entry) => text.split(LINE_END).map((line): RawLine => ({ raw: line, entry })));
  const shown = raw.flatMap(({ raw: line }, index) => (renderProse(splitList(line)[0] ?? '') === '' ? [] : [index]));
  const placed = applyList<RawLine, Line>({ old: raw, shown, ...lists }, notes, ({ tokens }, was) => {
    const before = was?.value.raw ?? '';
    const text = restoreInvisible(writeTokens(tokens), before);
    return { raw: `${MARK.exec(before)?.[0] ?? ''}${text}`, entry: was?.value.entry ?? null };
  });
  const lines = placed.map(({ value }) => value);
  if (typeof old !== 'string') return joinEntries(old, raw, lines);
  if (old.trim() === '') {
    const texts = lines.filter(({ entry }) => entry === null).map((line) => line.raw);
    return texts.length > 1 ? texts : (texts[0] ?? old);
  }
  // In a text whose lines are list items, a new line becomes a list item, too.
  const mark =
    raw.map((line) => MARK.exec(line.raw)?.[0]).find((found) => found !== undefined && /[-*+]/.test(found)) ?? '';
  return lines.map((line) => (line.entry === null ? `${mark}${line.raw}` : line.raw)).join('\n');
}

const LINE_END = /\r\n?|[\n\u2028\u2029\u0085]/;

/** Joins lines into texts again. A text whose lines are unchanged stays exactly as it was. */
function joinEntries(old: readonly string[], raw: readonly RawLine[], lines: readonly RawLine[]): string[] {
  const groups: RawLine[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last !== undefined && line.entry !== null && last[0]?.entry === line.entry) last.push(line);
    else groups.push([line]);
  }
  return groups.map((group) => {
    const entry = group[0]?.entry ?? null;
    const before = raw.filter((line) => line.entry === entry);
    const isSame = entry !== null && before.length === group.length && before.every((line, at) => line === group[at]);
    return isSame ? (old[entry] ?? '') : group.map((line) => line.raw).join('\n');
  });
}
