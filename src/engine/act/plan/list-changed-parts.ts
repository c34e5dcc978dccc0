import { isSameJson } from '../../../base/json.js';
import type { PlanAcceptance, PlanContent, PlanTodo } from '../../../plan/model/schema.js';
import type { PartChange } from './changed-parts.js';
import type { JudgedPlan } from './verdicts.js';

/** Lists what a plan that is taken up has withdrawn, says otherwise or adds. */
export function listChangedParts({ before, addedBefore, disk, moved, verdicts }: JudgedPlan): PartChange[] {
  const known = new Map([...before.todos, ...addedBefore].map((todo) => [todo.id, todo]));
  const now = new Map([...disk.plan.todos, ...disk.added].map((todo) => [todo.id, todo]));
  const isGone = new Set(
    verdicts.filter(({ verdict }) => verdict === 'withdrawn' || verdict === 'kept').map(({ todo }) => todo),
  );
  const gone = moved.gone.filter(({ id }) => isGone.has(id));
  return [
    ...gone.map(({ id, title }): PartChange => ({ how: 'withdrawn', part: 'todo', id, text: title })),
    ...moved.todos.flatMap(({ todo: { id, title }, isChanged }): PartChange[] => {
      const [was, is] = [known.get(id), now.get(id)];
      if (!isChanged || (was !== undefined && is !== undefined && saysSame(was, is))) return [];
      return [{ how: was === undefined ? 'added' : 'changed', part: 'todo', id, text: title }];
    }),
    ...compareRequirements(before, disk.plan),
  ];
}

/** Whether two todos ask for the same work, whatever they depend on and serve. */
function saysSame(one: PlanTodo, other: PlanTodo): boolean {
  return isSameJson(withoutLinks(one), withoutLinks(other));
}

function withoutLinks({ dependsOn: _after, serves: _for, acceptance, ...todo }: PlanTodo): object {
  return { ...todo, acceptance: acceptance.map(({ proves: _proves, ...item }: PlanAcceptance) => item) };
}

function compareRequirements(
  { requirements: old = [] }: PlanContent,
  { requirements = [] }: PlanContent,
): PartChange[] {
  const [had, has] = [new Map(old.map((one) => [one.id, one])), new Set(requirements.map(({ id }) => id))];
  const change = (how: PartChange['how'], { id, text }: { id: string; text: string }): PartChange => {
    return { how, part: 'requirement', id, text };
  };
  return [
    ...old.filter(({ id }) => !has.has(id)).map((one) => change('withdrawn', one)),
    ...requirements.flatMap((one) => {
      const was = had.get(one.id);
      if (was === undefined) return [change('added', one)];
      return isSameJson(was, one) ? [] : [change('changed', one)];
    }),
  ];
}
