import type { ErrorDetail } from '../base/errors.js';
import { isRecord } from '../base/json.js';
import { toBoundedLine } from './foreign.js';
import { renderValue } from './schema-findings.js';

const yaml = (): typeof import('yaml') => require('yaml');

/** The goals of a project, `.ai/goals.yaml` (memory.md, Context). */

const STATUSES = ['pending', 'active', 'done', 'blocked', 'dropped'] as const;

/** A goal, with its subgoals as `children`. */
export interface Goal {
  id: string;
  /** One line, secrets masked. */
  title: string;
  status: (typeof STATUSES)[number];
  mode?: string;
  children: Goal[];
}

/** The content of a file of goals, or all faults of the file. */
export type GoalsCheck = { ok: true; goals: Goal[] } | { ok: false; problems: ErrorDetail[] };

/** The goal that a session works on. */
export interface ChosenGoal {
  goal: Goal;
  parent: Goal | null;
}

/** Maximum length of the file in characters, which is enough for hundreds of goals. */
const MAX_LENGTH = 256 * 1024;
/** Maximum number of levels of goals. */
const DEEPEST = 20;
/** Maximum length of an id in characters, and the number of characters to which a title is cut. */
const LONGEST_ID = 64;
const LONGEST_TITLE = 200;
/** Maximum number of findings that are listed. */
const MOST_FINDINGS = 20;

/** Reads the goals from the text of their file; unknown keys are ignored. Never throws. */
export function readGoals(text: string): GoalsCheck {
  const parsed = parse(text);
  if ('problem' in parsed) return { ok: false, problems: [parsed] };
  const problems: ErrorDetail[] = [];
  const ids = new Map<string, string>();
  const report = (pointer: string, problem: string): void => {
    problems.push({ pointer, problem });
  };
  const readText = (entry: Record<string, unknown>, key: string, pointer: string): string => {
    const value = entry[key];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    if (value === undefined || value === null) report(pointer, `"${key}" is missing`);
    else report(`${pointer}/${key}`, typeof value === 'string' ? 'is empty' : `is ${renderValue(value)}, not a text`);
    return '';
  };
  const readId = (entry: Record<string, unknown>, pointer: string): string => {
    const id = readText(entry, 'id', pointer);
    const first = ids.get(id);
    if (id.length > LONGEST_ID || toBoundedLine(id, LONGEST_ID) !== id)
      report(`${pointer}/id`, `is ${renderValue(id)}; an id is one line of at most ${LONGEST_ID} visible characters`);
    else if (first !== undefined && id !== '')
      report(`${pointer}/id`, `is ${renderValue(id)}, which ${first} already has`);
    else ids.set(id, `${pointer}/id`);
    return id;
  };
  const readList = (list: unknown, pointer: string, depth: number): Goal[] => {
    if (list === null || list === undefined) return [];
    if (!Array.isArray(list)) {
      report(pointer, `is ${renderValue(list)}, not a list`);
      return [];
    }
    if (depth > DEEPEST) {
      report(pointer, `is nested more than ${DEEPEST} levels deep`);
      return [];
    }
    return list.flatMap((entry: unknown, index) => readGoal(entry, `${pointer}/${index}`, depth));
  };
  const readGoal = (entry: unknown, pointer: string, depth: number): Goal[] => {
    if (!isRecord(entry)) {
      report(pointer, `is ${renderValue(entry)}, not an object`);
      return [];
    }
    const id = readId(entry, pointer);
    const title = toBoundedLine(readText(entry, 'title', pointer), LONGEST_TITLE);
    const said = readText(entry, 'status', pointer);
    const status = STATUSES.find((one) => one === said);
    if (status === undefined && said !== '')
      report(`${pointer}/status`, `is ${renderValue(said)}, not one of ${STATUSES.join(', ')}`);
    const mode = entry['mode'];
    if (mode !== undefined && mode !== null && typeof mode !== 'string')
      report(`${pointer}/mode`, `is ${renderValue(mode)}, not a text`);
    const children = readList(entry['children'], `${pointer}/children`, depth + 1);
    return [{ id, title, status: status ?? 'pending', ...(typeof mode === 'string' && { mode }), children }];
  };
  if (!isRecord(parsed.value)) report('', `is ${renderValue(parsed.value ?? null)}, not an object with "goals"`);
  else if (!Object.hasOwn(parsed.value, 'goals')) report('', '"goals" is missing');
  const goals = isRecord(parsed.value) ? readList(parsed.value['goals'], '/goals', 1) : [];
  if (problems.length === 0) return { ok: true, goals };
  const more = problems.length - MOST_FINDINGS;
  const rest = more > 0 ? [{ pointer: '', problem: `and ${more} more` }] : [];
  return { ok: false, problems: [...problems.slice(0, MOST_FINDINGS), ...rest] };
}

/** Maximum number of bytes of a context if `.ai/config.yaml` sets no limit. */
export const CONTEXT_BYTES = 120_000;

/** Reads the maximum size of a context in bytes, `max_context_bytes` of `.ai/config.yaml`. Never throws. */
export function readContextBudget(text: string): { bytes: number } | ErrorDetail {
  const parsed = parse(text);
  if ('problem' in parsed) return parsed;
  const { value } = parsed;
  if (value !== null && value !== undefined && !isRecord(value)) {
    return { pointer: '', problem: `is ${renderValue(value)}, not an object` };
  }
  const bytes = value?.['max_context_bytes'] ?? CONTEXT_BYTES;
  if (typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes > 0) return { bytes };
  return { pointer: '/max_context_bytes', problem: `is ${renderValue(bytes)}, not a number of bytes` };
}

/**
 * Chooses the goal to work on: the active goal with the id `named` or, if there is none, the first of the most deeply
 * nested active goals. Goals of mode `interactive` are not chosen, because a person works on them.
 */
export function chooseGoal(goals: readonly Goal[], named: string | null): ChosenGoal | null {
  const active: (ChosenGoal & { depth: number })[] = [];
  const visit = (list: readonly Goal[], parent: Goal | null, depth: number): void => {
    for (const goal of list) {
      if (goal.status === 'active' && goal.mode !== 'interactive') active.push({ goal, parent, depth });
      visit(goal.children, goal, depth + 1);
    }
  };
  visit(goals, null, 0);
  const deepest = Math.max(...active.map(({ depth }) => depth));
  const chosen = active.find(({ goal }) => goal.id === named) ?? active.find(({ depth }) => depth === deepest);
  return chosen === undefined ? null : { goal: chosen.goal, parent: chosen.parent };
}

function parse(text: string): { value: unknown } | ErrorDetail {
  if (text.length > MAX_LENGTH) return { pointer: '', problem: `is larger than ${MAX_LENGTH / 1024} KiB` };
  try {
    const document = yaml().parseDocument(text, { stringKeys: true, logLevel: 'silent' });
    const [fault] = document.errors;
    if (fault === undefined) return { value: document.toJS({ maxAliasCount: 0 }) as unknown };
    const { line, col } = fault.linePos?.[0] ?? { line: 1, col: 1 };
    return { problem: `is not valid YAML: ${toBoundedLine(cutPlace(fault.message), 200)}`, at: `${line}:${col}` };
  } catch (error) {
    // The parser throws on aliases, and overflows the stack on deep nesting.
    return { problem: `cannot be read as YAML: ${error instanceof Error ? toBoundedLine(error.message, 200) : ''}` };
  }
}

/** Shortens a parser error to its message, without the position and the source lines that it quotes. */
function cutPlace(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}
