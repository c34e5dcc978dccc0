import type { ErrorDetail } from '../../base/errors.js';
import { mayGlobsOverlap, mayOverlap } from '../../documents/globs.js';
import { formatCommandLine } from '../../documents/plan-text.js';
import { renderValue } from '../../documents/schema-findings.js';
import { buildDependencyGraph, type DependencyGraph, splitIntoWaves } from '../model/graph.js';
import type { PlanTodo } from '../model/schema.js';
import { createFinding, type ValidParts, type WithPointer } from './parts.js';
import { runsWholeSuite } from './suite-commands.js';

/**
 * Checks that no todo is judged by tests that another todo's unfinished work can break (documents.md, Semantic checks).
 */

/** Maximum number of pairs of todos to compare; the remaining pairs are not checked. */
const MAX_PAIRS = 200_000;

/** Finds todos that are judged by running every test while another todo may be in progress. */
export function checkSuitesBeside({ todos }: Pick<ValidParts, 'todos'>): ErrorDetail[] {
  const judged = todos.filter(({ value }) => listSuites(value).length > 0);
  if (judged.length === 0) return [];
  const graph = buildDependencyGraph(todos.map(({ value }) => value));
  // If every wave has only one todo, each todo depends on the todo before it, so no two run at the same time.
  if (splitIntoWaves(graph).waves.every((wave) => wave.length === 1)) return [];
  const after = reverse(graph);
  let left = MAX_PAIRS;
  return judged.flatMap(({ value: todo, pointer }) => {
    if (left <= 0) return [];
    const related = new Set([...reach(graph, todo.id), ...reach(after, todo.id)]);
    left -= todos.length;
    return listSuites(todo).flatMap(({ index, run, cwd }) => {
      const beside = todos.find(({ value }) => !related.has(value.id) && mayTurnRed(value, todo, cwd));
      return beside === undefined ? [] : [describe({ value: todo, pointer }, index, run, beside.value)];
    });
  });
}

function describe(
  { value: todo, pointer }: WithPointer<PlanTodo>,
  index: number,
  run: readonly string[],
  beside: PlanTodo,
) {
  const remedy =
    todo.type === 'verification'
      ? `let ${todo.id} depend on it`
      : `narrow it to the tests of ${todo.id}, or put it into a verification todo that depends on both`;
  return createFinding(
    `${pointer}/acceptance/${index}/run`,
    `${renderValue(formatCommandLine(run))} runs every test while ${beside.id} may be half done beside it, and fails ${todo.id} for that; ${remedy}`,
    todo.id,
  );
}

function listSuites(todo: PlanTodo): { index: number; run: readonly string[]; cwd: string }[] {
  return todo.acceptance.flatMap((item, index) =>
    item.kind === 'command' && runsWholeSuite(item.run) ? [{ index, run: item.run, cwd: item.cwd ?? '.' }] : [],
  );
}

/** Files of prose, which no test covers. */
const PROSE = /\.(?:md|mdx|rst|txt|adoc)$/i;

/** Returns whether the work on `other` may run at the same time as `todo` and change what a suite in `cwd` tests. */
function mayTurnRed(other: PlanTodo, todo: PlanTodo, cwd: string): boolean {
  if (other.type !== 'work' || mayOverlap(other, todo)) return false;
  const tested = other.files.filter((glob) => !PROSE.test(glob));
  const where = cwd.replace(/^(?:\.\/)+|\/+$/g, '');
  const within = (glob: string) => where === '' || where === '.' || mayGlobsOverlap(`${where}/**`, glob);
  return other.files.length === 0 || tested.some(within);
}

function reverse(graph: DependencyGraph): DependencyGraph {
  const after: DependencyGraph = new Map([...graph.keys()].map((id) => [id, []]));
  for (const [id, before] of graph) for (const dependency of before) after.get(dependency)?.push(id);
  return after;
}

/** Returns a todo and all todos reachable from it. */
function reach(graph: DependencyGraph, from: string): Set<string> {
  const seen = new Set([from]);
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const next of graph.get(id) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return seen;
}
