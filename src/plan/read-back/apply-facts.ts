import { getTokensKey } from '../markdown/tokens.js';
import { listDependencies } from '../model/graph.js';
import type { PlanTodo } from '../model/schema.js';
import type { Notes } from './fault.js';
import { readTodoFacts, type TodoFacts, type TodoText } from './todo-text.js';

/** A todo with its text before and after the edit. */
export interface TodoEdit {
  todo: PlanTodo;
  /** The text as it was rendered; null for a new todo. */
  before: TodoText | null;
  after: TodoText;
  /** The JSON pointer of the todo. */
  pointer: string;
}

const TYPES = ['work', 'verification'] as const;
const RISKS = ['low', 'medium', 'high'] as const;

/**
 * Applies the edits to the line of facts (`work, risk low, …`) below a todo's heading. The line also shows dependencies
 * that follow from inputs and commands; these are not stored in `dependsOn`.
 */
export function applyFacts({ todo, before, after, pointer }: TodoEdit, notes: Notes): PlanTodo {
  if (after.facts === null) {
    if (before !== null) notes.refuse(after.line, 'the line `work, risk low, …` below the heading is missing');
    return todo;
  }
  const { line } = after.facts;
  for (const key of ['type', 'risk', 'dependsOn', 'serves']) notes.place(`${pointer}/${key}`, line);
  if (before?.facts && getTokensKey(before.facts.tokens) === getTokensKey(after.facts.tokens)) return todo;
  const was = before?.facts ? readTodoFacts(before.facts).facts : NOTHING;
  const { facts, faults } = readTodoFacts(after.facts);
  for (const fault of faults) notes.refuse(fault.line, fault.problem);
  const type = TYPES.find((each) => each === facts.type);
  const risk = RISKS.find((each) => each === facts.risk);
  if (type === undefined) notes.refuse(line, `the line begins with work or verification${describe(facts.type)}`);
  if (risk === undefined) notes.refuse(line, `a risk is low, medium or high${describe(facts.risk)}`);
  return applyServes(
    {
      ...todo,
      type: type ?? todo.type,
      risk: risk ?? todo.risk,
      dependsOn: applyDependencies(todo, was.after, facts.after, line, notes),
    },
    was.serves,
    facts.serves,
  );
}

const NOTHING: TodoFacts = { type: null, risk: null, after: [], serves: [] };

function describe(word: string | null): string {
  return word === null ? '' : `, not "${word.slice(0, 60)}"`;
}

function applyServes(todo: PlanTodo, before: readonly string[], after: readonly string[]): PlanTodo {
  if (String(before) === String(after)) return todo;
  const { serves: _, ...rest } = todo;
  return after.length === 0 ? rest : { ...todo, serves: after };
}

function applyDependencies(
  todo: PlanTodo,
  before: readonly string[],
  after: readonly string[],
  line: number,
  notes: Notes,
): readonly string[] {
  if (String(before) === String(after)) return todo.dependsOn;
  const implied = new Set(listDependencies({ ...todo, dependsOn: [] }));
  for (const id of implied) {
    if (after.includes(id) || !before.includes(id)) continue;
    const why = `${todo.id} comes after ${id} because it takes a value of it`;
    notes.refuse(line, `${why}: change the input or the command that does`);
  }
  const isStated = (id: string) => todo.dependsOn.includes(id) || (!before.includes(id) && !implied.has(id));
  return after.filter(isStated);
}
