import { takeLeadingMatch, writeTokens } from '../markdown/tokens.js';
import type { PlanContent, PlanRule } from '../model/schema.js';
import type { EditedPart } from './apply-tables.js';
import type { Notes } from './fault.js';
import { applyList, noteLines, type PlanEntry } from './list.js';
import { cutForMessage, type PlanListEntry, readListEntries } from './parts.js';
import { applyText, readRule } from './restore.js';

/** Applies edits to the lists of PLAN.md whose entries are single lines. */

/**
 * A part to be read, and the collectors of its faults. Faults of the rendered text go to `unheard` and are ignored,
 * because nobody typed that text.
 */
export interface ReadBackPart extends EditedPart {
  unheard: Notes;
  notes: Notes;
}

function readLines({ before, after, unheard, notes }: ReadBackPart): {
  before: PlanListEntry[];
  after: PlanListEntry[];
} {
  return { before: readListEntries(before, unheard), after: readListEntries(after, notes) };
}

const DONE = /^done when:\s*/;

type Objectives = PlanContent['objectives'];

/** Applies the edits to "What changes": the definition of done, and the deliverables that are not files of a todo. */
export function applyObjectives(
  plan: PlanContent,
  reading: ReadBackPart,
): Pick<Objectives, 'deliverables' | 'definitionOfDone'> {
  const { deliverables, definitionOfDone } = plan.objectives;
  const named = new Set(plan.todos.flatMap(({ files }) => files));
  const shown = [...deliverables.keys()].filter((index) => !named.has(deliverables[index] ?? ''));
  const { before, after } = readLines(reading);
  const old = [
    ...deliverables.map((text) => ({ text, isDone: false })),
    ...definitionOfDone.map((text) => ({ text, isDone: true })),
  ];
  const all = [...shown, ...definitionOfDone.map((_, index) => deliverables.length + index)];
  const placed = applyList(
    { old, shown: all, before, after, name: 'what changes' },
    reading.notes,
    ({ tokens, line }, was) => {
      const done = takeLeadingMatch(tokens, DONE);
      const before =
        was && ((was.value.isDone ? takeLeadingMatch(was.item.tokens, DONE)?.rest : null) ?? was.item.tokens);
      const text = applyText(done?.rest ?? tokens, before, was?.value.text);
      if (text === '') reading.notes.refuse(line, 'says nothing');
      return { text, isDone: done !== null };
    },
  );
  const select = (isDone: boolean) => placed.filter(({ value }) => value.isDone === isDone);
  const texts = (isDone: boolean, pointer: string) =>
    noteLines(select(isDone), pointer, reading.notes).map(({ text }) => text);
  return {
    deliverables: texts(false, '/objectives/deliverables'),
    definitionOfDone: texts(true, '/objectives/definitionOfDone'),
  };
}

/** Applies the edits to "Must not be done". */
export function applyMustNots(old: readonly PlanRule[], reading: ReadBackPart): PlanRule[] {
  const lists = { old, ...readLines(reading), name: 'what must not be done' };
  const placed = applyList<PlanRule, PlanListEntry>(lists, reading.notes, ({ tokens }, was) =>
    readRule(tokens, was && { rule: was.value, tokens: was.item.tokens }),
  );
  return noteLines(placed, '/objectives/mustNotDo', reading.notes);
}

type Risk = NonNullable<PlanContent['risks']>[number];

const RISK = /^(low|medium|high):\s*/;

/** Applies the edits to "Risks". */
export function applyRisks(old: readonly Risk[], reading: ReadBackPart): Risk[] {
  const lists = { old, ...readLines(reading), name: 'risks' };
  const placed = applyList<Risk, PlanListEntry>(lists, reading.notes, ({ tokens, line }, was) => {
    const { found, rest = [] } = takeLeadingMatch(tokens, RISK) ?? {};
    const severity = found?.[1] as Risk['severity'] | undefined;
    if (severity === undefined || rest.length === 0) {
      reading.notes.refuse(line, 'a risk is written low: …, medium: … or high: …');
      return null;
    }
    return {
      ...was?.value,
      text: applyText(rest, was && takeLeadingMatch(was.item.tokens, RISK)?.rest, was?.value.text),
      severity,
    };
  });
  return noteLines(placed, '/risks', reading.notes);
}

type Commit = NonNullable<PlanContent['commits']>[number];

/** Applies the edits to "Commits". */
export function applyCommits(old: readonly Commit[], reading: ReadBackPart): Commit[] {
  const named = (lines: readonly PlanListEntry[]): PlanListEntry[] =>
    lines.map((line) => ({ ...line, name: takeLeadingMatch(line.tokens, COMMIT)?.found[1] ?? null }));
  const { before, after } = readLines(reading);
  const lists = { old, before: named(before), after: named(after), name: 'commits', isUnique: true };
  const placed = applyList<Commit, PlanListEntry>(lists, reading.notes, ({ tokens, line }, was) => {
    const { found, rest = [] } = takeLeadingMatch(tokens, COMMIT) ?? {};
    const afterTodo = found?.[1];
    if (afterTodo === undefined || rest.length === 0) {
      reading.notes.refuse(line, 'a commit message is written after todo-1: …');
      return null;
    }
    return {
      ...was?.value,
      afterTodo,
      message: applyText(rest, was && takeLeadingMatch(was.item.tokens, COMMIT)?.rest, was?.value.message),
    };
  });
  return noteLines(placed, '/commits', reading.notes);
}

const COMMIT = /^after ([A-Za-z0-9][A-Za-z0-9_-]*):\s*/;

type Need = NonNullable<PlanContent['externalDependencies']>[number];

const WHEN: Readonly<Record<string, Need['when']>> = { before: 'pre', meanwhile: 'during', afterwards: 'post' };
const NEED = /^(before|meanwhile|afterwards):\s*/;
const JUDGED = /^judge [A-Za-z0-9]/;

/** Applies the edits to "What a person has to do", except to checks by a person, which belong to the todos. */
export function applyNeeds(old: readonly Need[], reading: ReadBackPart): Need[] {
  const stated = (lines: readonly PlanListEntry[]) =>
    lines.filter(({ tokens }) => takeLeadingMatch(tokens, JUDGED) === null);
  const { before, after } = readLines(reading);
  const order = Object.values(WHEN);
  const shown = order.flatMap((when) => [...old.keys()].filter((index) => old[index]?.when === when));
  const lists = { old, shown, before: stated(before), after: stated(after), name: 'what a person has to do' };
  const placed = applyList<Need, PlanListEntry>(lists, reading.notes, ({ tokens, line }, was) => {
    const { found, rest = [] } = takeLeadingMatch(tokens, NEED) ?? {};
    const when = WHEN[found?.[1] ?? ''];
    if (when === undefined || rest.length === 0) {
      reading.notes.refuse(
        line,
        `"${cutForMessage(writeTokens(tokens))}": what a person has to do is written before: …, meanwhile: … or afterwards: …`,
      );
      return null;
    }
    return {
      ...was?.value,
      when,
      text: applyText(rest, was && takeLeadingMatch(was.item.tokens, NEED)?.rest, was?.value.text),
    };
  });
  return noteLines(placed, '/externalDependencies', reading.notes);
}

/** Lists the lines of "What a person has to do" that are derived from the todos. */
export function listJudged(lines: readonly PlanListEntry[]): PlanEntry[] {
  return lines.filter(({ tokens }) => takeLeadingMatch(tokens, JUDGED) !== null);
}
