import { canonicalJson } from '../../base/json.js';
import { renderCount } from '../../base/words.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';
import { ALL_TODOS, joinSome, NOT_IN_SOURCE, TODO_WORDS } from '../page/import-lines.js';

/** Drops an import's assumptions about facts that somebody has stated since (living-plan.md, plan apply). */

type Assumptions = PlanContent['context']['assumptions'];

/**
 * Updates the lines in which an import says for which todos it had to make up a certain field. Removes a todo from such
 * a line once that field of the todo has changed, and drops a line from which all todos are gone. Other lines stay as
 * they are.
 * @param assumptions the assumptions of the plan after the change
 */
export function settleImported(
  assumptions: Assumptions,
  before: readonly PlanTodo[],
  after: readonly PlanTodo[],
): Assumptions {
  if (!Array.isArray(assumptions)) return assumptions;
  const lines: readonly string[] = assumptions;
  if (!lines.some((line) => line.startsWith(NOT_IN_SOURCE))) return assumptions;
  const left = lines.flatMap((line) => settleLine(line, before, after) ?? []);
  return left.every((line, index) => line === lines[index]) && left.length === lines.length ? assumptions : left;
}

/** Matches `Not in the source: proof of todo-1, todo-2 and 3 more: …`. */
const LINE =
  /^Not in the source: (\p{L}+) of ((?:[A-Za-z0-9][\w.-]*, )*[A-Za-z0-9][\w.-]*|all todos)(?: and (\d+) more)?: /u;

function settleLine(line: string, before: readonly PlanTodo[], after: readonly PlanTodo[]): string | null {
  const [head, word = '', whose = '', more = '0'] = LINE.exec(line) ?? [];
  const field = findField(word);
  if (head === undefined || field === null) return line;
  const isAll = whose === ALL_TODOS;
  const now = new Map(after.map((todo) => [todo.id, todo]));
  const was = new Set(before.map(({ id }) => id));
  const isChanged = (todo: PlanTodo) => {
    const found = now.get(todo.id);
    return found === undefined || canonicalJson(found[field]) !== canonicalJson(todo[field]);
  };
  const changed = new Set(before.filter(isChanged).map(({ id }) => id));
  if (isAll && changed.size === 0 && after.every(({ id }) => was.has(id))) return line;
  const meant = isAll ? before.filter(isImported).map(({ id }) => id) : whose.split(', ');
  const named = meant.filter((id) => !changed.has(id));
  // Only named todos can be removed, because the line does not tell which todos it merely counts.
  const unnamed = Number(more);
  if (named.length === meant.length && !isAll) return line;
  if (named.length === 0 && unnamed === 0) return null;
  const shown = named.length === 0 ? renderCount(unnamed, 'todo') : joinSome(named, unnamed);
  return `${NOT_IN_SOURCE}${word} of ${shown}: ${line.slice(head.length)}`;
}

type Field = 'title' | 'risk' | 'dependsOn' | 'files' | 'acceptance';
const FIELDS: readonly Field[] = ['title', 'risk', 'dependsOn', 'files', 'acceptance'];

function findField(word: string): Field | null {
  return FIELDS.find((field) => (TODO_WORDS[field] ?? field) === word) ?? null;
}

/** Returns whether an import made the todo from a task. Such a todo has a reference to a line of the source. */
function isImported({ id, references }: PlanTodo): boolean {
  return !id.startsWith('check-requirements') && references.some((reference) => /:\d+(?:-\d+)?$/.test(reference));
}
