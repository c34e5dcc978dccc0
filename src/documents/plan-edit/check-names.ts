import { findSuggestion } from '../../base/suggest.js';
import { listDependencies } from '../plan-graph.js';
import type { PlanContent, PlanTodo } from '../plan-schema.js';
import type { ProofChange } from './apply-tables.js';
import type { Notes } from './fault.js';
import { findLine } from './find-line.js';
import { shorten } from './plan-parts.js';

/** Names that lead nowhere after an edit. */

/** Writes what the table of requirements says about proofs into the acceptances that it names. */
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
      notes.refuse(line, `there is no acceptance ${shorten(proof)}`);
    }
    for (const proof of removed) change(proof, (proves) => proves.filter((id) => id !== requirement));
  }
  return changed;
}

/**
 * Refuses names of todos and requirements that are not there, unless they were not there before.
 * @param before the plan as it was
 */
export function checkNames(before: PlanContent, after: PlanContent, notes: Notes): void {
  const todos = new Set(after.todos.map(({ id }) => id));
  const requirements = new Set((after.requirements ?? []).map(({ id }) => id));
  const known = listUnknown(before);
  for (const { pointer, id, kind } of listNames(after)) {
    if ((kind === 'todo' ? todos : requirements).has(id) || known.has(`${kind} ${id}`)) continue;
    const line = findLine(notes.lines, pointer);
    const near = findSuggestion(shorten(id), [...(kind === 'todo' ? todos : requirements)]);
    const wasThere =
      kind === 'todo'
        ? before.todos.some((todo) => todo.id === id)
        : (before.requirements ?? []).some((each) => each.id === id);
    const hint = wasThere ? ': it was taken out' : near === undefined ? '' : `; did you mean ${near}?`;
    if (line !== null) notes.refuse(line, `there is no ${kind} ${shorten(id)}${hint}`);
  }
}

interface Named {
  pointer: string;
  id: string;
  kind: 'todo' | 'requirement';
}

function listNames({ todos, commits = [], decisions = [] }: PlanContent): Named[] {
  const ofRequirements = (ids: readonly string[] | undefined, pointer: string): Named[] =>
    (ids ?? []).map((id) => ({ pointer, id, kind: 'requirement' }));
  return [
    ...todos.flatMap((todo, index): Named[] => [
      ...listDependencies(todo).map((id): Named => ({ pointer: `/todos/${index}/dependsOn`, id, kind: 'todo' })),
      ...ofRequirements(todo.serves, `/todos/${index}/serves`),
    ]),
    ...decisions.flatMap(({ serves }, index) => ofRequirements(serves, `/decisions/${index}`)),
    ...commits.map(({ afterTodo }, index): Named => ({ pointer: `/commits/${index}`, id: afterTodo, kind: 'todo' })),
  ];
}

/** Names that led nowhere before any edit. */
function listUnknown(plan: PlanContent): Set<string> {
  const todos = new Set(plan.todos.map(({ id }) => id));
  const requirements = new Set((plan.requirements ?? []).map(({ id }) => id));
  const unknown = listNames(plan).filter(({ kind, id }) => !(kind === 'todo' ? todos : requirements).has(id));
  return new Set(unknown.map(({ kind, id }) => `${kind} ${id}`));
}
