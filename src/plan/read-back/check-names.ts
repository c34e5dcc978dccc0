import { findSuggestion } from '../../base/suggest.js';
import { listDependencies } from '../model/graph.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';
import type { ProofChange } from './apply-tables.js';
import type { Notes } from './fault.js';
import { findLine } from './fault.js';
import { cutForMessage } from './parts.js';

/** Checks references to todos and requirements after an edit. */

/** Applies the changed proofs of the requirements table to the acceptances. */
export function applyProofs(todos: readonly PlanTodo[], proofs: readonly ProofChange[], notes: Notes): PlanTodo[] {
  const places = new Map(
    todos.flatMap((todo, at) => todo.acceptance.map((item, index) => [`${todo.id}/${item.id}`, { at, index }])),
  );
  const changed = [...todos];
  const change = (proof: string, edit: (proves: readonly string[]) => string[]) => {
    const place = places.get(proof);
    const todo = place && changed[place.at];
    const item = todo?.acceptance[place?.index ?? 0];
    if (!place || !todo || !item) return false;
    const { proves: old = [], ...rest } = item;
    const proves = edit(old);
    const acceptance = todo.acceptance.with(place.index, proves.length === 0 ? rest : { ...rest, proves });
    if (String(proves) !== String(old)) changed[place.at] = { ...todo, acceptance };
    return true;
  };
  for (const { requirement, line, added, removed } of proofs) {
    for (const proof of added) {
      if (change(proof, (proves) => (proves.includes(requirement) ? [...proves] : [...proves, requirement]))) continue;
      notes.refuse(line, `there is no acceptance ${cutForMessage(proof)}`);
    }
    for (const proof of removed) change(proof, (proves) => proves.filter((id) => id !== requirement));
  }
  return changed;
}

/**
 * Refuses references to todos and requirements that do not exist, unless the same reference was already broken.
 * @param before the plan before the edit
 */
export function checkNames(before: PlanContent, after: PlanContent, notes: Notes): void {
  const there = listIds(after);
  const thereBefore = listIds(before);
  const known = listUnknown(before);
  for (const named of listNames(after)) {
    const { pointer, id, kind } = named;
    if (there[kind].has(id) || known.has(`${kind} ${id}`)) continue;
    const line = findLine(notes.lines, pointer);
    if (line === null) continue;
    const problem = `there is no ${kind} ${cutForMessage(id)}`;
    const near = findSuggestion(cutForMessage(id), [...there[kind]]);
    if (thereBefore[kind].has(id))
      notes.refuse(line, `${problem}: it was removed`, describeLeftover(named, before, there.todo));
    else notes.refuse(line, near === undefined ? problem : `${problem}; did you mean ${near}?`);
  }
}

function listIds({ todos, requirements = [] }: PlanContent): Record<Named['kind'], ReadonlySet<string>> {
  return { todo: new Set(todos.map(({ id }) => id)), requirement: new Set(requirements.map(({ id }) => id)) };
}

/** Tells how to fix a part of the plan that still refers to a removed todo or requirement. */
function describeLeftover({ id, by, part }: Named, before: PlanContent, todos: ReadonlySet<string>): string {
  switch (by) {
    case 'dependsOn': {
      // As in `plan drop`, a todo that depended on the removed one inherits its dependencies.
      const dropped = before.todos.find((todo) => todo.id === id);
      const inherited = dropped === undefined ? [] : listDependencies(dropped).filter((each) => todos.has(each));
      return inherited.length === 0
        ? `in the line below the heading of ${part}, leave ${id} out of "after"`
        : `in the line below the heading of ${part}, write "after ${inherited.join(', ')}" in place of ${id}`;
    }
    case 'value':
      return `an input or a command of ${part} takes a value of ${id}: change that`;
    case 'serves':
      return `in the line below the heading of ${part}, leave ${id} out of "serves"`;
    case 'decision':
      return `leave ${id} out of the decision "${cutForMessage(part)}", or take it out where it concerns nothing else`;
    case 'commit':
      return `take out the message "${cutForMessage(part)}"`;
  }
}

interface Named {
  pointer: string;
  id: string;
  kind: 'todo' | 'requirement';
  /** The kind of field that contains the reference. */
  by: 'dependsOn' | 'value' | 'serves' | 'decision' | 'commit';
  /** The id of the todo, or the text of the decision or commit message, that contains the reference. */
  part: string;
}

function listNames({ todos, commits = [], decisions = [] }: PlanContent): Named[] {
  const ofRequirements = (ids: readonly string[] | undefined, place: Pick<Named, 'pointer' | 'by' | 'part'>) =>
    (ids ?? []).map((id): Named => ({ ...place, id, kind: 'requirement' }));
  return [
    ...todos.flatMap((todo, index): Named[] => {
      const implied = new Set(listDependencies({ ...todo, dependsOn: [] }));
      const pointer = `/todos/${index}`;
      const ofTodo = (id: string): Named => {
        const by = implied.has(id) ? 'value' : 'dependsOn';
        return { pointer: `${pointer}/dependsOn`, id, kind: 'todo', by, part: todo.id };
      };
      return [
        ...listDependencies(todo).map(ofTodo),
        ...ofRequirements(todo.serves, { pointer: `${pointer}/serves`, by: 'serves', part: todo.id }),
      ];
    }),
    ...decisions.flatMap(({ serves, text }, index) =>
      ofRequirements(serves, { pointer: `/decisions/${index}`, by: 'decision', part: text }),
    ),
    ...commits.map(({ afterTodo, message }, index): Named => {
      return { pointer: `/commits/${index}`, id: afterTodo, kind: 'todo', by: 'commit', part: message };
    }),
  ];
}

/** Lists the references that were broken before the edit. */
function listUnknown(plan: PlanContent): Set<string> {
  const there = listIds(plan);
  const unknown = listNames(plan).filter(({ kind, id }) => !there[kind].has(id));
  return new Set(unknown.map(({ kind, id }) => `${kind} ${id}`));
}
