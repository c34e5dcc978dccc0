import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanChange } from '../../../src/plan/changes/change.js';
import { comparePlans } from '../../../src/plan/changes/compare.js';
import { renderPlanChanges } from '../../../src/plan/changes/render.js';
import { listDependencies } from '../../../src/plan/model/graph.js';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { untickBoxes } from '../../../src/plan/page/boxes.js';
import { renderPlan } from '../../../src/plan/page/render.js';
import { readPlanEdits } from '../../../src/plan/read-back/read-edits.js';
import { numberFrom } from '../../support/seeded.js';
import { anyAcceptance, anyPlan, anyRule, anyText, type Path, plainText, valueAt, withAt } from './rich.js';

// Rules that hold whenever PLAN.md is read back (documents.md, Living plan). DEV_CLI_TEST_PLAN_EDITS sets how many
// edits are tried.
const EDITS = numberFrom('DEV_CLI_TEST_PLAN_EDITS', 250);
const SETTING = { name: 'add-auth', request: 'Add JWT auth' };
const show = (plan: PlanContent) => renderPlan(plan, {}, SETTING);

/** A change to one field. */
interface Edit {
  path: Path;
  value: unknown;
  /** Whether PLAN.md shows the complete value. */
  isPlain: boolean;
}

const textAt = (path: Path): fc.Arbitrary<Edit> =>
  fc.oneof(
    plainText.map((value) => ({ path, value, isPlain: true })),
    anyText.map((value) => ({ path, value, isPlain: false })),
  );
const among = (path: Path, values: readonly unknown[]): fc.Arbitrary<Edit> =>
  fc.constantFrom(...values).map((value) => ({ path, value, isPlain: true }));
const of = (path: Path, values: fc.Arbitrary<unknown>): fc.Arbitrary<Edit> =>
  values.map((value) => ({ path, value, isPlain: false }));

/** Generates edits that add, remove or move an entry of a list. */
function listAt(plan: PlanContent, path: Path, isPlain = true): fc.Arbitrary<Edit> {
  const old = (valueAt(plan, path) ?? []) as unknown[];
  const place = fc.nat({ max: Math.max(0, old.length - 1) });
  return fc.oneof(
    fc
      .tuple(fc.nat({ max: old.length }), plainText)
      .map(([at, text]) => ({ path, value: old.toSpliced(at, 0, text), isPlain })),
    place.map((at) => ({ path, value: old.toSpliced(at, 1), isPlain })),
    fc.tuple(place, place).map(([from, to]) => ({
      path,
      value: old.toSpliced(from, 1).toSpliced(to, 0, ...old.slice(from, from + 1)),
      isPlain,
    })),
  );
}

/** Returns edits of every field that PLAN.md shows. */
function editsOf(plan: PlanContent): fc.Arbitrary<Edit>[] {
  const each = (
    list: readonly unknown[] | undefined,
    path: Path,
    edit: (at: Path, index: number) => fc.Arbitrary<Edit>[],
  ) => (list ?? []).flatMap((_, index) => edit([...path, index], index));
  const { objectives, todos, context } = plan;
  return [
    among(['size'], ['small', 'middle', 'large', undefined]),
    textAt(['objectives', 'core']),
    ...each(objectives.deliverables, ['objectives', 'deliverables'], (at) => [textAt(at)]),
    ...each(objectives.definitionOfDone, ['objectives', 'definitionOfDone'], (at) => [textAt(at)]),
    listAt(plan, ['objectives', 'deliverables'], false),
    listAt(plan, ['objectives', 'definitionOfDone']),
    ...each(objectives.mustNotDo, ['objectives', 'mustNotDo'], (at) => [of(at, anyRule)]),
    listAt(plan, ['objectives', 'mustNotDo']),
    ...(['interviewSummary', 'researchFindings', 'assumptions'] as const).flatMap((key) => [
      of(['context', key], anyText),
      ...(typeof context[key] === 'object' ? [listAt(plan, ['context', key], false)] : []),
    ]),
    ...each(plan.requirements, ['requirements'], (at) => [
      textAt([...at, 'text']),
      textAt([...at, 'quote']),
      among([...at, 'from'], ['user', 'request']),
    ]),
    ...each(plan.decisions, ['decisions'], (at) => [
      textAt([...at, 'text']),
      textAt([...at, 'reason']),
      among([...at, 'reason'], [undefined]),
      among([...at, 'by'], ['user', 'agent', 'assumed']),
      ...(plan.requirements ? [of([...at, 'serves'], fc.subarray(['r-1', 'r-2']))] : []),
    ]),
    ...each(plan.risks, ['risks'], (at) => [textAt([...at, 'text']), among([...at, 'severity'], ['low', 'high'])]),
    ...each(plan.externalDependencies, ['externalDependencies'], (at) => [textAt([...at, 'text'])]),
    ...each(plan.commits, ['commits'], (at) => [
      textAt([...at, 'message']),
      among([...at, 'afterTodo'], ['todo-2', 'a']),
    ]),
    ...each(todos, ['todos'], (at, index) => editsOfTodo(plan, at, index)),
  ];
}

function editsOfTodo(plan: PlanContent, at: Path, index: number): fc.Arbitrary<Edit>[] {
  const todo = plan.todos[index];
  if (todo === undefined) return [];
  const lists = ['files', 'steps', 'references'] as const;
  return [
    textAt([...at, 'title']),
    among([...at, 'type'], ['work', 'verification']),
    among([...at, 'risk'], ['low', 'medium', 'high']),
    of([...at, 'dependsOn'], fc.subarray(plan.todos.slice(0, index).map(({ id }) => id))),
    ...(plan.requirements ? [of([...at, 'serves'], fc.subarray(['r-1', 'r-2']))] : []),
    ...lists.flatMap((list) => [
      listAt(plan, [...at, list]),
      ...todo[list].map((_, item) => textAt([...at, list, item])),
    ]),
    listAt(plan, [...at, 'mustNotDo']),
    ...todo.mustNotDo.map((_, item) => of([...at, 'mustNotDo', item], anyRule)),
    ...todo.inputs.map((_, item) => textAt([...at, 'inputs', item, 'from'])),
    ...todo.outputs.map((_, item) => textAt([...at, 'outputs', item, 'description'])),
    ...todo.acceptance.flatMap((item, place) => [
      of([...at, 'acceptance', place], anyAcceptance(item.id)),
      ...(item.kind === 'command'
        ? [
            of([...at, 'acceptance', place, 'run'], fc.array(anyText, { minLength: 1, maxLength: 3 })),
            among([...at, 'acceptance', place, 'cwd'], ['pkg', 'x y', undefined]),
            among([...at, 'acceptance', place, 'timeout'], [1, 7, undefined]),
          ]
        : [textAt([...at, 'acceptance', place, 'text'])]),
    ]),
  ];
}

/** Matches the parts of PLAN.md that are derived from todos. */
const DERIVED = /^## (?:Todos|Commands, run by dev-cli)\n[\s\S]*?(?=\n(?:## |---\n))/gm;

/** Simulates an edit by hand, which does not update the parts that are derived from the todos. */
function withStale(edited: string, rendered: string): string {
  const old = rendered.match(DERIVED) ?? [];
  const now = edited.match(DERIVED) ?? [];
  return old.length === now.length ? edited.replace(DERIVED, (part) => old[[...now].indexOf(part)] ?? part) : edited;
}

/** Returns for each deliverable whether PLAN.md hides it, because a todo names it as a file. */
const hiddenOf = ({ objectives, todos }: PlanContent) =>
  objectives.deliverables.map((text) => todos.some(({ files }) => files.includes(text)));

const isShownAlike = (one: PlanContent, other: PlanContent) => {
  const [before, after] = [hiddenOf(one), hiddenOf(other)];
  return before.length === after.length
    ? String(before) === String(after)
    : !before.includes(true) && !after.includes(true);
};

const planAndEdit = anyPlan.chain((plan) => fc.oneof(...editsOf(plan)).map((edit) => ({ plan, edit })));

function apply(plan: PlanContent, { path, value }: Edit): PlanContent {
  return withAt(plan, path, value);
}

/**
 * Whether PLAN.md would not show what an edit changed. For example, a dependency that is removed from `dependsOn` is
 * still shown while an input of the todo implies it, and a mere change of order is not shown.
 */
function isMisleading(plan: PlanContent, { path, value }: Edit): boolean {
  const todo = path.at(-1) === 'dependsOn' ? plan.todos[Number(path[1])] : undefined;
  if (todo !== undefined) {
    const after = listDependencies({ ...todo, dependsOn: value as string[] });
    const isKept = todo.dependsOn.some((id) => !(value as string[]).includes(id) && after.includes(id));
    return isKept || String(after.toSorted()) === String(listDependencies(todo).toSorted());
  }
  return path.includes('deliverables') && String(value).startsWith('done when:');
}

function readChanged(plan: PlanContent, edited: string): { plan: PlanContent; changes: readonly PlanChange[] } {
  const edits = readPlanEdits(plan, edited, show(plan));
  if (edits.kind !== 'changed') expect(edits).toMatchObject({ kind: 'changed' });
  return edits.kind === 'changed' ? edits : { plan, changes: [] };
}

describe('an edit of a field that PLAN.md shows', () => {
  it('changes that field and nothing else', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(planAndEdit, fc.boolean(), ({ plan, edit }, isStale) => {
        const wanted = apply(plan, edit);
        const target = show(wanted);
        fc.pre(
          untickBoxes(target).split('\n').slice(2).join() !== show(plan).split('\n').slice(2).join() &&
            isShownAlike(plan, wanted) &&
            !isMisleading(plan, edit),
        );
        // A value that is not plain would appear in the derived parts in a normalized form, so these keep their old
        // text.
        const edited = isStale || !edit.isPlain ? withStale(target, show(plan)) : target;
        const read = readChanged(plan, edited);
        expect(read.plan).toEqual(withAt(plan, edit.path, valueAt(read.plan, edit.path)));
        expect(readPlanEdits(read.plan, withStale(target, show(read.plan)), show(read.plan))).toEqual({ kind: 'same' });
        if (edit.isPlain) expect(read.plan).toEqual(wanted);
        expect(read.changes).toEqual(comparePlans(plan, read.plan));
        // A commit message is identified by its todo, so changing the todo removes one message and adds another.
        expect(read.changes.length).toBe(edit.path.at(-1) === 'afterTodo' ? 2 : 1);
        expect(JSON.parse(JSON.stringify(read.changes))).toEqual(read.changes);
        expect(renderPlanChanges(read.changes)).toMatch(/^\S.*\n/);
        expect(renderPlanChanges(read.changes)).not.toMatch(/(?!\n)\p{Cc}|[\u202e\u200b]/u);
      }),
      { numRuns: EDITS },
    );
  });

  it('commutes with an edit elsewhere', { timeout: 600_000 }, () => {
    const twoEdits = anyPlan.chain((plan) =>
      fc
        .tuple(fc.oneof(...editsOf(plan)), fc.oneof(...editsOf(plan)))
        .filter(([one, other]) => !isWithin(one.path, other.path) && !isWithin(other.path, one.path))
        .map(([one, other]) => ({ plan, one, other })),
    );
    fc.assert(
      fc.property(twoEdits, ({ plan, one, other }) => {
        const both = apply(apply(plan, one), other);
        const [first, second] = [apply(plan, one), apply(plan, other)];
        fc.pre(
          [first, second, both].every((each) => isShownAlike(plan, each)) &&
            ![one, other].some((edit) => isMisleading(plan, edit)),
        );
        const read = (from: PlanContent, to: PlanContent) => {
          const edits = readPlanEdits(from, withStale(show(to), show(from)), show(from));
          if (edits.kind === 'refused') expect(edits).toBe(null);
          return edits.kind === 'changed' ? edits.plan : from;
        };
        const [afterOne, afterOther] = [read(plan, first), read(plan, second)];
        const atOnce = read(plan, both);
        expect(read(afterOne, apply(afterOne, other))).toEqual(atOnce);
        expect(read(afterOther, apply(afterOther, one))).toEqual(atOnce);
      }),
      { numRuns: Math.ceil(EDITS / 4) },
    );
  });
});

function isWithin(path: Path, other: Path): boolean {
  return other.every((key, index) => path[index] === key);
}
