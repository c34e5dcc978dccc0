// door: differences

import { revealInvisible, toOneLine } from '../../documents/plan-text.js';
import type { PlanAcceptance, PlanContent, PlanRequirement, PlanRule, PlanTodo } from '../model/schema.js';
import { renderAcceptance, renderRule, renderTodo } from '../page/render-todo.js';
import { alignEntries } from './align.js';
import type { PlanChange, PlanField, PlanList, TodoField, TodoList } from './change.js';

/** Renders the differences between two plans for people, with the headings of PLAN.md. */

const FIELD_LABELS: Readonly<Record<PlanField, string>> = {
  size: 'Size',
  'objectives.core': 'Objective',
  'objectives.deliverables': 'What changes',
  'objectives.definitionOfDone': 'Done when',
  'objectives.mustNotDo': 'Must not be done',
  'context.originalRequest': 'Request',
  'context.interviewSummary': 'Context, interview',
  'context.researchFindings': 'Context, research',
  'context.assumptions': 'Unconfirmed',
  decisions: 'Decisions',
  risks: 'Risks',
  externalDependencies: 'What a person has to do',
};
const TODO_LABELS: Readonly<Record<TodoField | TodoList | PlanList, string>> = {
  title: 'title',
  type: 'type',
  risk: 'risk',
  dependsOn: 'after',
  serves: 'serves',
  files: 'Files',
  steps: 'Steps',
  mustNotDo: 'Must not do',
  references: 'References',
  inputs: 'Inputs',
  outputs: 'Outputs',
  acceptance: 'Acceptance',
  requirements: 'Requirements',
  commits: 'Commits',
};

/**
 * Renders changes to a plan: a heading for each todo or part, and below it the removed (`-`), the new (`+`) and the
 * changed entries (`~`, with `[-old words-]{+new words+}`). Empty without changes; otherwise ends with a newline.
 * @param options.whole whether each new todo is shown completely below its heading, as in PLAN.md
 */
export function renderPlanChanges(changes: readonly PlanChange[], { whole = false } = {}): string {
  const bodies = new Map(whole ? changes.flatMap(renderNewTodo) : []);
  return [...groupChanges(changes)]
    .flatMap(([heading, lines]) => [heading, ...[...lines, ...(bodies.get(heading) ?? [])].map((line) => `  ${line}`)])
    .map((line) => `${line}\n`)
    .join('');
}

/** Renders the changes as one line; empty without changes. */
export function renderChangeLine(changes: readonly PlanChange[]): string {
  return [...groupChanges(changes)]
    .map(([heading, lines]) =>
      lines.length === 0 ? heading : `${heading}: ${lines.map((line) => line.trim()).join(', ')}`,
    )
    .join('; ');
}

/** Lists the changes to a todo, each on a line that begins with its label. */
export function listChangeLines(changes: readonly PlanChange[]): string[] {
  return [...groupChanges(changes).values()].flatMap((lines) => {
    let label = '';
    return lines.flatMap((line, index) => {
      if (line.startsWith(' ')) return [`${label}: ${line.trim()}`];
      if (lines[index + 1]?.startsWith(' ') !== true) return [line];
      label = line;
      return [];
    });
  });
}

/** Groups the lines of all changes under their headings. */
function groupChanges(changes: readonly PlanChange[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const change of changes) {
    const [heading, lines] = renderChange(change);
    const known = groups.get(heading);
    if (known === undefined) groups.set(heading, lines);
    else known.push(...lines);
  }
  return groups;
}

function renderChange(change: PlanChange): [heading: string, lines: string[]] {
  switch (change.kind) {
    case 'todo-added':
      return [`${change.todo} is new, in place ${change.position}: ${show(change.after.title)}`, []];
    case 'todo-dropped':
      return [`${change.todo} is withdrawn: ${show(change.before.title)}`, []];
    case 'todo-moved':
      return [change.todo, [`place: ${change.from} → ${change.to}`]];
    case 'field-changed': {
      const lines = renderField(change);
      if (change.todo === null) return [FIELD_LABELS[change.field], lines];
      return [change.todo, below(TODO_LABELS[change.field], lines)];
    }
    case 'entry-added':
      return inPlace(change, [`+ ${showEntry(change.list, change.after)}`]);
    case 'entry-dropped':
      return inPlace(change, [`- ${showEntry(change.list, change.before)}`]);
    case 'entry-changed':
      return inPlace(change, [
        `~ ${showWords(showEntry(change.list, change.before), showEntry(change.list, change.after))}`,
      ]);
    case 'entries-moved':
      return inPlace(change, [`order: ${change.before.join(', ')} → ${change.after.join(', ')}`]);
  }
}

/** Renders a new todo under the heading of its change, without its own heading and empty lines. */
function renderNewTodo(change: PlanChange): [heading: string, lines: string[]][] {
  if (change.kind !== 'todo-added') return [];
  const [heading] = renderChange(change);
  const [, ...lines] = renderTodo(change.after, false);
  return [[heading, lines.filter((line) => line !== '').map(revealInvisible)]];
}

function inPlace(
  { todo, list }: { todo: string | null; list: TodoList | PlanList },
  lines: string[],
): [string, string[]] {
  return todo === null ? [TODO_LABELS[list], lines] : [todo, below(TODO_LABELS[list], lines)];
}

function below(label: string, lines: string[]): string[] {
  const [only = '', ...more] = lines;
  return more.length === 0 ? [`${label}: ${only}`] : [label, ...lines.map((line) => `  ${line}`)];
}

function renderField({ field, before, after }: Extract<PlanChange, { kind: 'field-changed' }>): string[] {
  const say = field === 'files' ? (path: unknown) => revealInvisible(String(path)) : showValue;
  if (!Array.isArray(before) && !Array.isArray(after)) {
    const [was, is] = [showValue(before), showValue(after)];
    return [before === null || after === null || !was.includes(' ') ? `${was} → ${is}` : `~ ${showWords(was, is)}`];
  }
  const [old, now] = [before, after].map((list) => [list ?? []].flat().map(say)) as [string[], string[]];
  const keyed = (texts: readonly string[]) => texts.map((key) => ({ key }));
  const found = alignEntries(keyed(old), keyed(now));
  const kept = new Set(found);
  const lines = [
    ...old.flatMap((text, index) => (kept.has(index) ? [] : [`- ${text}`])),
    ...now.flatMap((text, index) => {
      const from = found[index] ?? null;
      const was = from === null ? undefined : old[from];
      if (was === undefined) return [`+ ${text}`];
      return was === text ? [] : [`~ ${showWords(was, text)}`];
    }),
  ];
  return lines.length > 0 ? lines : [`order: ${old.join(', ')} → ${now.join(', ')}`];
}

function show(text: string): string {
  return revealInvisible(toOneLine(text));
}

type Shown = PlanRule | NonNullable<PlanContent['decisions' | 'risks' | 'externalDependencies']>[number];

/** Renders the value of a field in the form that PLAN.md uses. */
function showValue(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value !== 'object') return show(String(value));
  const entry = value as Exclude<Shown, string>;
  if ('paths' in entry) return renderRule(entry);
  if ('severity' in entry) return `${entry.severity}: ${show(entry.text)}`;
  if ('when' in entry) return `${entry.when}: ${show(entry.text)}`;
  const reason = entry.reason === undefined ? '' : `, because ${show(entry.reason)}`;
  return `${show(entry.text)}${reason} (${entry.by}, for ${(entry.serves ?? []).join(', ') || 'all'})`;
}

function showEntry(list: TodoList | PlanList, entry: unknown): string {
  switch (list) {
    case 'inputs': {
      const { name, from } = entry as PlanTodo['inputs'][number];
      return `${name} from ${revealInvisible(from)}`;
    }
    case 'outputs': {
      const { name, description } = entry as PlanTodo['outputs'][number];
      return `${name}: ${show(description)}`;
    }
    case 'acceptance': {
      const item = entry as PlanAcceptance;
      return `${renderAcceptance(item)}${item.proves === undefined ? '' : `, proves ${item.proves.join(', ')}`}`;
    }
    case 'requirements': {
      const { id, text, from, quote } = entry as PlanRequirement;
      return `${id}: ${show(text)} (the ${from}: "${show(quote)}")`;
    }
    case 'commits': {
      const { afterTodo, message } = entry as NonNullable<PlanContent['commits']>[number];
      return `after ${afterTodo}: ${show(message)}`;
    }
  }
}

/** Maximum number of unchanged words shown on each side of a change. */
const WORDS_AROUND = 6;

function showWords(before: string, after: string): string {
  const parts = compareWords(before, after);
  return parts
    .map(({ kind, text }, index) => {
      const blank = /^\s*/.exec(text)?.[0] ?? '';
      if (kind === 'removed') return `${blank}[-${text.trim()}-]`;
      if (kind === 'added') return `${parts[index - 1]?.kind === 'removed' ? '' : blank}{+${text.trim()}+}`;
      return shortenMiddle(text, index === 0, index === parts.length - 1);
    })
    .join('')
    .trim();
}

/** Leaves out words that are far from any change. */
function shortenMiddle(text: string, isFirst: boolean, isLast: boolean): string {
  const words = text.match(/\s*\S+/g) ?? [];
  const [head, tail] = [isFirst ? 0 : WORDS_AROUND, isLast ? 0 : WORDS_AROUND];
  if (words.length <= head + tail + 1) return text;
  return `${words.slice(0, head).join('')} …${tail === 0 ? '' : words.slice(-tail).join('')}`;
}

/** A part of a text that both versions share, or that only one version has. */
interface WordPart {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Number of words in both versions together above which the versions are shown whole, one after the other. */
const MOST_WORDS = 2_000;

/** Compares two lines word by word; a space belongs to the word after it. Does not split long lines into words. */
function compareWords(before: string, after: string): WordPart[] {
  const [old, now] = [splitWords(before), splitWords(after)];
  if (old.length + now.length > MOST_WORDS) return [part('removed', before), part('added', after)];
  const lengths = measureCommon(old.map(dropBlank), now.map(dropBlank));
  const parts: WordPart[] = [];
  const add = (kind: WordPart['kind'], word: string) => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += word;
    else parts.push({ kind, text: word });
  };
  let [at, to] = [0, 0];
  while (at < old.length || to < now.length) {
    const [was, is] = [old[at], now[to]];
    if (was !== undefined && is !== undefined && dropBlank(was) === dropBlank(is)) {
      add('same', is);
      at += 1;
      to += 1;
    } else if (is === undefined || (was !== undefined && common(lengths, at + 1, to) >= common(lengths, at, to + 1))) {
      add('removed', was ?? '');
      at += 1;
    } else {
      add('added', is);
      to += 1;
    }
  }
  return parts;
}

/**
 * Splits a line at single spaces. Several spaces in a row belong to a word, since they are part of code or an argument.
 */
function splitWords(line: string): string[] {
  return line.match(/ ?[^ ]+(?: {2,}[^ ]+)*| +$/g) ?? [];
}

/** Removes the space before a word, so that the first word of a line, which has no such space, can equal any other. */
const dropBlank = (word: string): string => (word.startsWith(' ') ? word.slice(1) : word);

const part = (kind: WordPart['kind'], text: string): WordPart => ({ kind, text });

const common = (lengths: readonly (readonly number[])[], at: number, to: number): number => lengths[at]?.[to] ?? 0;

/**
 * Computes, for each pair of a position in `old` and a position in `now`, how many words the texts from there to their
 * ends have in common, in the same order.
 */
function measureCommon(old: readonly string[], now: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let at = old.length - 1; at >= 0; at -= 1) {
    const row = lengths[at] ?? [];
    for (let to = now.length - 1; to >= 0; to -= 1) {
      row[to] =
        old[at] === now[to]
          ? common(lengths, at + 1, to + 1) + 1
          : Math.max(common(lengths, at + 1, to), common(lengths, at, to + 1));
    }
  }
  return lengths;
}
