// shared: common

import { toBoundedLine } from '../documents/foreign.js';
import type { EntryData } from './entries.js';
import { AUDIT, ISSUES, LEARNINGS } from './paths.js';

/**
 * Builds the texts that journal entries add to the notes of an execution. They are built when the entry is committed,
 * and again whenever the notes have to be rendered (storage.md, Renderings), so they may depend only on the entry.
 */

/** A text that is appended to one of the notes. */
export interface NoteAddition {
  path: typeof AUDIT | typeof LEARNINGS | typeof ISSUES;
  todo: string;
  text: string;
}

/** The beginning of each document of notes. */
export const NOTE_HEADS = {
  [AUDIT]: '# Audit\n\n',
  [LEARNINGS]: '# Learnings\n',
  [ISSUES]: '# Open issues\n',
} as const;

/** Maximum length of a line of the audit, in characters. */
const LINE_CAP = 300;

/** Shown instead of the SHA of a commit that was made but cannot be identified. */
export const NO_SHA = 'made, sha unknown';

/**
 * Lists the texts that an entry `wrapped-up` adds to the notes.
 * @param at the time of the commit
 */
export function listWrapUpNotes(at: string, data: EntryData<'wrapped-up'>): NoteAddition[] {
  const { todoId: todo, attempt, summary, learned, left } = data;
  return [
    ...section(LEARNINGS, todo, learned),
    ...section(ISSUES, todo, left),
    auditLine(at, todo, `done in attempt ${attempt}: ${summary}`),
  ];
}

/** Lists the texts that an entry `committed` adds to the notes. */
export function listCommitNotes(at: string, { todoId, outcome, commit }: EntryData<'committed'>): NoteAddition[] {
  const isMade = outcome === 'made' || outcome === 'found';
  return todoId === null || !isMade ? [] : [auditLine(at, todoId, `commit ${commit ?? NO_SHA}`)];
}

function auditLine(at: string, todo: string, line: string): NoteAddition {
  return { path: AUDIT, todo, text: `- ${at} ${toBoundedLine(`${todo}: ${line}`, LINE_CAP)}\n` };
}

/**
 * Renders what is added to one of the notes: a heading for the todo, then one line for each item. An item is never more
 * than one line, so that no part of it can look like a heading.
 */
function section(path: typeof LEARNINGS | typeof ISSUES, todo: string, lines: readonly string[]): NoteAddition[] {
  if (lines.length === 0) return [];
  return [{ path, todo, text: `\n## ${todo}\n${lines.map((line) => `- ${line}`).join('\n')}\n` }];
}

/** Returns the path of a todo's own notes, used when the shared document has no room: `context/learnings/todo-7.md`. */
export function getOwnNotesPath(path: string, todo: string): string {
  return path.replace(/\.md$/, `/${todo}.md`);
}

/** Renders `context/outputs.json`: the values of each todo that reported any. */
export function renderOutputs({
  order,
  todos,
}: {
  readonly order: readonly string[];
  readonly todos: { readonly [id: string]: { readonly outputs?: object | undefined } };
}): string {
  const rows = order.flatMap((id) => {
    const outputs = todos[id]?.outputs;
    return outputs === undefined ? [] : [[id, outputs] as const];
  });
  return `${JSON.stringify(Object.fromEntries(rows), null, 1)}\n`;
}
