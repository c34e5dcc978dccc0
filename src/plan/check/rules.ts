import type { ErrorDetail } from '../../base/errors.js';
import { coversGlob } from '../../documents/globs.js';
import { renderValue } from '../../documents/schema-findings.js';
import { findPathProblem } from '../model/paths.js';
import type { PlanRule, PlanTodo } from '../model/schema.js';
import { createFinding, type PlanDemands, type ValidParts, type WithPointer } from './parts.js';

/** Checks whether a plan contradicts itself: its must-nots, its expected outputs, its size. */

/** Finds contradictions within a plan (documents.md, Semantic checks). */
export function checkContradictions(parts: ValidParts, demands: PlanDemands): ErrorDetail[] {
  const shared = parts.mustNots.filter(({ value }) => typeof value !== 'string');
  return [
    ...parts.mustNots.flatMap(({ value, pointer }) => checkRulePaths(value, pointer)),
    ...parts.todos.flatMap(({ value: todo, pointer }) => [
      ...[
        ...todo.mustNotDo.flatMap((rule, index) => checkRulePaths(rule, `${pointer}/mustNotDo/${index}`)),
        ...checkForbiddenFiles(todo, pointer, shared),
        ...checkPrinted(todo, pointer),
      ].map((found) => ({ ...found, target: todo.id })),
    ]),
    ...checkSize(parts, demands),
    ...checkSizeOfRun(parts, demands),
  ];
}

function checkRulePaths(rule: PlanRule, pointer: string): ErrorDetail[] {
  if (typeof rule === 'string') return [];
  return rule.paths.flatMap((path, index) => {
    const problem = findPathProblem(path, 'named');
    return problem === null ? [] : [createFinding(`${pointer}/paths/${index}`, `path ${renderValue(path)} ${problem}`)];
  });
}

/** Finds files that a todo may touch although a must-not forbids any change to them. */
function checkForbiddenFiles(todo: PlanTodo, pointer: string, shared: readonly WithPointer<PlanRule>[]): ErrorDetail[] {
  const rules = [
    ...todo.mustNotDo.map((value, index) => ({ value, pointer: `${pointer}/mustNotDo/${index}` })),
    ...shared,
  ];
  return todo.files.flatMap((glob, index) => {
    const against = rules.find(
      ({ value }) => typeof value !== 'string' && value.paths.some((path) => coversGlob(path, glob)),
    );
    const said = `${renderValue(glob)} may be touched, but ${against?.pointer} forbids all of it`;
    return against === undefined ? [] : [createFinding(`${pointer}/files/${index}`, said)];
  });
}

function checkPrinted(todo: PlanTodo, pointer: string): ErrorDetail[] {
  return todo.acceptance.flatMap((item, index) => {
    if (item.kind !== 'command') return [];
    const { stdoutContains, stdoutLacks } = item.expect ?? {};
    if (stdoutContains === undefined || stdoutLacks === undefined || !stdoutContains.includes(stdoutLacks)) return [];
    const said = `can never pass: whatever prints ${renderValue(stdoutContains)} prints ${renderValue(stdoutLacks)}`;
    return [createFinding(`${pointer}/acceptance/${index}/expect/stdoutLacks`, said)];
  });
}

const IS_SMALL = 'small is exactly one work todo, judged by commands and no assertion';

/** Checks that a small plan is small enough to go without a review. A plan without a size has the run's size. */
function checkSize(parts: ValidParts, demands: PlanDemands): ErrorDetail[] {
  const { size, todos, byId } = parts;
  const [only, ...others] = todos;
  if ((size ?? demands.size) !== 'small' || only === undefined || byId.size !== todos.length) return [];
  const kinds = new Set(only.value.acceptance.map(({ kind }) => kind));
  const small = others.length === 0 && only.value.type === 'work' && kinds.has('command') && !kinds.has('assertion');
  if (small) return demands.complete === true ? checkSmallFiles(only) : [];
  if (size === 'small') return [createFinding('/size', `${IS_SMALL}; this plan is "middle"`)];
  return [createFinding('/todos', `the run is small, and ${IS_SMALL}; ${GROWS}`)];
}

/** Refuses a glob that may match anywhere in the project, because a small plan has to name its places. */
function checkSmallFiles({ value: { id, files }, pointer }: WithPointer<PlanTodo>): ErrorDetail[] {
  return files.flatMap((glob, index) =>
    /^(?:\.\/)*\*/.test(glob)
      ? [
          createFinding(
            `${pointer}/files/${index}`,
            `${renderValue(glob)} matches any place; a small plan must name its places`,
            id,
          ),
        ]
      : [],
  );
}

const GROWS = 'if the work is larger, grow the run first: dev-cli init RUN --size SIZE';

function checkSizeOfRun({ size }: ValidParts, demands: PlanDemands): ErrorDetail[] {
  if (demands.size === undefined || typeof size !== 'string' || size === demands.size) return [];
  const said = `is ${renderValue(size)} in a run of size ${demands.size}; ${GROWS}`;
  return [createFinding('/size', said)];
}
