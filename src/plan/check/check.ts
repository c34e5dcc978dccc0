import type { ErrorDetail } from '../../base/errors.js';
import { isRecord } from '../../base/json.js';
import { type CheckedSchema, findFaults } from '../../documents/schema-faults.js';
import { describeFaults, renderValue } from '../../documents/schema-findings.js';
import outline from '../../generated/plan-content-outline.js';
import { buildDependencyGraph, findCycles, findReferences, removeReferences } from '../model/graph.js';
import { findPathProblem } from '../model/paths.js';
import type { PlanContent, PlanTodo } from '../model/schema.js';
import { checkSuitesBeside } from './beside.js';
import { listRepeated, type PlanDemands, type ValidParts, type WithPointer } from './parts.js';
import { checkRequirements } from './requirements.js';
import { checkContradictions } from './rules.js';

/** Checks whether a value is a plan that can be executed (documents.md, Semantic checks). */

// Loaded by `require` only when needed, as in recipe/conditions/language.ts, because most plans fit the schema.
const SCHEMA: CheckedSchema = { outline, validator: () => require('../../generated/plan-content.js').default };

/** A valid plan, or everything that is wrong with it. */
export type PlanCheck = { ok: true; plan: PlanContent } | { ok: false; findings: ErrorDetail[] };

/** No plan that anybody could execute has more values, and findings about more values would exhaust the memory. */
const MAX_VALUES = 1_000_000;
const MAX_FINDINGS = 500;

/**
 * Checks plan content against its schema and for consistency. Returns all findings at once, each as one line with a
 * JSON pointer. Parts that do not fit the schema are left out of the consistency checks.
 * @param demands the demands of the run; empty for a stored plan, because the run's goal may have changed since
 */
export function checkPlan(value: unknown, demands: PlanDemands = {}): PlanCheck {
  if (!isRecord(value)) return { ok: false, findings: [{ pointer: '', problem: 'the plan is not a JSON object' }] };
  if (!isBounded(value)) {
    return { ok: false, findings: [{ pointer: '', problem: `the plan holds more than ${MAX_VALUES} values` }] };
  }
  const structural = describeFaults(findFaults(SCHEMA, value));
  const semantic = checkSense(value, structural, demands);
  const findings = [...structural, ...semantic];
  if (findings.length === 0) return { ok: true, plan: value as PlanContent };
  if (findings.length <= MAX_FINDINGS) return { ok: false, findings };
  const more = { pointer: '', problem: `and ${findings.length - MAX_FINDINGS} more findings` };
  return { ok: false, findings: [...findings.slice(0, MAX_FINDINGS), more] };
}

function isBounded(root: unknown): boolean {
  const open = [root];
  let count = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const member of Object.values(value)) {
      count += 1;
      if (count > MAX_VALUES) return false;
      open.push(member);
    }
  }
  return true;
}

function checkSense(value: Record<string, unknown>, structural: ErrorDetail[], demands: PlanDemands): ErrorDetail[] {
  const faulty = new Set(structural.map((finding) => getEntryPointer(finding.pointer ?? '')));
  const sound = selectValidParts(value, faulty);
  // Old plans could not state requirements, so plans in progress that have none must stay valid.
  const traced = demands.complete === true || (sound.requirements ?? []).length > 0;
  return [
    ...checkIds(value['todos']),
    ...sound.todos.flatMap((placed) => checkTodo(placed, sound.byId)),
    ...checkCycles(sound),
    ...checkCommits(sound),
    ...checkRequirements(sound, demands),
    ...checkContradictions(sound, demands),
    ...(traced ? checkSuitesBeside(sound) : []),
  ];
}

/** `/todos/3/title` → `/todos/3`. */
function getEntryPointer(pointer: string): string {
  return pointer.split('/').slice(0, 3).join('/');
}

function selectValidParts(value: Record<string, unknown>, faulty: Set<string>): ValidParts {
  const byId: ValidParts['byId'] = new Map();
  for (const [pointer, entry] of listEntries(value, 'todos')) {
    const id = isRecord(entry) ? entry['id'] : undefined;
    if (typeof id === 'string' && !byId.has(id)) byId.set(id, faulty.has(pointer) ? null : (entry as PlanTodo));
  }
  const select = <T>(key: string, of = value, at = ''): WithPointer<T>[] =>
    listEntries(of, key, at).flatMap(([pointer, entry]) =>
      faulty.has(getEntryPointer(pointer)) ? [] : [{ pointer, value: entry as T }],
    );
  const within = (key: string) => (isRecord(value[key]) ? value[key] : {});
  const { originalRequest } = within('context');
  return {
    size: value['size'],
    byId,
    todos: select('todos'),
    commits: select('commits'),
    requirements: Array.isArray(value['requirements']) ? select('requirements') : null,
    requirementIds: new Set(
      listEntries(value, 'requirements').flatMap(([, each]) => (isRecord(each) ? each['id'] : [])),
    ),
    decisions: select('decisions'),
    mustNots: select('mustNotDo', within('objectives'), '/objectives'),
    originalRequest: typeof originalRequest === 'string' ? originalRequest : null,
  };
}

function listEntries(value: Record<string, unknown>, key: string, at = ''): [pointer: string, entry: unknown][] {
  const list = value[key];
  return Array.isArray(list) ? list.map((entry: unknown, index) => [`${at}/${key}/${index}`, entry]) : [];
}

function checkIds(todos: unknown): ErrorDetail[] {
  if (!Array.isArray(todos)) return [];
  return listRepeated(todos.map((todo: unknown) => (isRecord(todo) ? todo['id'] : undefined))).map(
    ({ index, first, value }) => ({
      pointer: `/todos/${index}/id`,
      problem: `id ${renderValue(value)} is already taken by /todos/${first}`,
    }),
  );
}

function checkTodo({ value: todo, pointer }: WithPointer<PlanTodo>, byId: ValidParts['byId']): ErrorDetail[] {
  const own: ErrorDetail[] = [];
  // The state stores todos as properties of an object, named by their ids. Every object already has a property
  // `constructor`, for example, which would be mistaken for the todo.
  if (todo.id in {}) own.push({ pointer: `${pointer}/id`, problem: `${renderValue(todo.id)} is a reserved word` });
  const judged = todo.acceptance.some((item) => item.kind === 'command' || item.kind === 'assertion');
  if (todo.type === 'work' && !judged) {
    own.push({
      pointer: `${pointer}/acceptance`,
      problem: `work todo ${todo.id} has neither a command nor an assertion`,
    });
  }
  return [
    ...own,
    ...checkDependencies(todo, pointer, byId),
    ...checkReferences(todo, pointer, byId),
    ...checkNames(todo, pointer),
    ...checkPaths(todo, pointer),
  ].map((finding) => ({ ...finding, target: todo.id }));
}

function checkDependencies(todo: PlanTodo, pointer: string, byId: ValidParts['byId']): ErrorDetail[] {
  return todo.dependsOn.flatMap((id, index) => {
    const at = { pointer: `${pointer}/dependsOn/${index}` };
    if (id === todo.id) return [{ ...at, problem: `${id} depends on itself` }];
    return byId.has(id) ? [] : [{ ...at, problem: `there is no todo ${renderValue(id)}` }];
  });
}

function checkReferences(todo: PlanTodo, pointer: string, byId: ValidParts['byId']): ErrorDetail[] {
  const taken = [
    ...todo.inputs.map((input, index) => ({ text: input.from, at: { pointer: `${pointer}/inputs/${index}/from` } })),
    ...todo.acceptance.flatMap((item, index) =>
      item.kind === 'command'
        ? item.run.map((text, word) => ({
            text,
            at: { pointer: `${pointer}/acceptance/${index}/run/${word}` },
            code: isCode(item.run, word),
          }))
        : [],
    ),
  ];
  return taken.flatMap(({ text, at, code = false }: { text: string; at: { pointer: string }; code?: boolean }) => {
    const malformed = at.pointer.endsWith('/from') && removeReferences(text).includes('${');
    const findings: ErrorDetail[] = malformed
      ? [{ ...at, problem: `${renderValue(text)} is not a reference`, expected: '${<todo>.outputs.<name>}' }]
      : [];
    if (code && findReferences(text).length > 0) {
      findings.push({ ...at, problem: 'a value of another todo is data: it cannot be a program or a script' });
    }
    for (const { todo: id, output } of findReferences(text)) {
      const source = byId.get(id);
      if (id === todo.id) findings.push({ ...at, problem: `${id} depends on itself` });
      else if (source === undefined) findings.push({ ...at, problem: `there is no todo ${renderValue(id)}` });
      else if (source !== null && !source.outputs.some(({ name }) => name === output)) {
        findings.push({ ...at, problem: `${id} has no output ${renderValue(output)}` });
      }
    }
    return findings;
  });
}

const INTERPRETER =
  /^(?:.*\/)?(?:(?:ba|da|k|z|fi|c|tc)?sh|node|deno|bun|python[\d.]*|perl|ruby|php|pwsh|powershell|cmd)$/;
const SCRIPT_OPTION = /^(?:-[A-Za-z]*[cep]|--eval|--print|--command)$/;

/**
 * Returns whether a word of a command is code: the program itself, or the script after `sh -c`, `node -e` and the like.
 * Code has to run exactly as it was approved (protocol.md §4).
 */
function isCode(run: readonly string[], word: number): boolean {
  if (word === 0) return true;
  const script = SCRIPT_OPTION.test(run[word - 1] ?? '') || /^--(?:eval|print|command)=/.test(run[word] ?? '');
  return script && run.slice(0, word).some((text) => INTERPRETER.test(text));
}

function checkNames(todo: PlanTodo, pointer: string): ErrorDetail[] {
  const lists: [key: string, field: string, names: string[]][] = [
    ['inputs', 'name', todo.inputs.map(({ name }) => name)],
    ['outputs', 'name', todo.outputs.map(({ name }) => name)],
    ['acceptance', 'id', todo.acceptance.map(({ id }) => id)],
  ];
  return lists.flatMap(([key, field, names]) =>
    listRepeated(names).map(({ index, first, value }) => ({
      pointer: `${pointer}/${key}/${index}/${field}`,
      problem: `${renderValue(value)} is already taken by ${pointer}/${key}/${first}`,
    })),
  );
}

function checkPaths(todo: PlanTodo, pointer: string): ErrorDetail[] {
  const paths = [
    ...todo.files.map((path, index) => ({ path, use: 'changed' as const, pointer: `${pointer}/files/${index}` })),
    ...todo.acceptance.flatMap((item, index) =>
      item.kind === 'command' && item.cwd !== undefined
        ? [{ path: item.cwd, use: 'named' as const, pointer: `${pointer}/acceptance/${index}/cwd` }]
        : [],
    ),
  ];
  const wrong = paths.map((entry) => ({ ...entry, problem: findPathProblem(entry.path, entry.use) }));
  const blank = todo.acceptance.flatMap((item, index) =>
    item.kind === 'command' && item.run[0]?.trim() === ''
      ? [{ pointer: `${pointer}/acceptance/${index}/run/0`, problem: 'the program to run is empty' }]
      : [],
  );
  return [
    ...wrong.flatMap(({ path, problem, pointer: at }) =>
      problem === null ? [] : [{ pointer: at, problem: `path ${renderValue(path)} ${problem}` }],
    ),
    ...blank,
  ];
}

/** Maximum number of ids of a cycle that are named. */
const CYCLE_SHOWN = 12;

function checkCycles(sound: ValidParts): ErrorDetail[] {
  const placed = new Map(sound.todos.map((entry) => [entry.value.id, entry]));
  const todos = [...placed.values()].map(({ value }) => value);
  return findCycles(buildDependencyGraph(todos)).map((cycle) => {
    const named = cycle.length > CYCLE_SHOWN ? [...cycle.slice(0, CYCLE_SHOWN), '…'] : cycle;
    const first = cycle[0] ?? '';
    return {
      pointer: `${placed.get(first)?.pointer ?? '/todos'}/dependsOn`,
      problem: `these depend on each other in a cycle: ${[...named, first].join(' → ')}`,
      target: first,
    };
  });
}

function checkCommits({ commits, byId }: ValidParts): ErrorDetail[] {
  const doubled = listRepeated(commits.map(({ value }) => value.afterTodo)).map(({ index, first, value }) => ({
    pointer: `${commits[index]?.pointer}/afterTodo`,
    problem: `${renderValue(value)} already has the commit message of ${commits[first]?.pointer}`,
  }));
  const unknown = commits.flatMap(({ value: commit, pointer }) => {
    const at = { pointer: `${pointer}/afterTodo` };
    const todo = byId.get(commit.afterTodo);
    if (todo === undefined) return [{ ...at, problem: `there is no todo ${renderValue(commit.afterTodo)}` }];
    return todo?.type === 'verification'
      ? [{ ...at, problem: `${todo.id} is a verification todo and commits nothing` }]
      : [];
  });
  return [...unknown, ...doubled];
}
