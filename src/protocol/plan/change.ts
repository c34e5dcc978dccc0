import type { Answer } from '../../base/answer.js';
import { DevCliError, type ErrorDetail } from '../../base/errors.js';
import type { DataInput, Instruction, Invocation } from '../../base/invocation.js';
import { isRecord } from '../../base/json.js';
import { joinFirst } from '../../base/words.js';
import { type KnownPlan, type PlanOnDisk, readPlanOnDisk, renderPlanContent } from '../../blocks/plan-on-disk.js';
import { parseJson } from '../../documents/section-data.js';
import {
  addTodo,
  type DropResult,
  dropTodo,
  listChecksLeftBehind,
  moveTodo,
  type TodoPlace,
} from '../../plan/changes/change-todos.js';
import { checkPlan } from '../../plan/check/check.js';
import { parseCommandLine } from '../../plan/model/command-line.js';
import type { PlanAcceptance, PlanContent, PlanTodo } from '../../plan/model/schema.js';
import { createEmptyTodo, findTodoId, readTodoSection } from '../../plan/read-back/read-todo-section.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { Context } from '../../run/context.js';
import { PLAN_CONTENT } from '../../run/paths.js';
import { findRun } from '../find/find-run.js';
import { applyPlan } from './apply.js';
import type { Revision } from './decide.js';

/**
 * Commands that add, drop or move one todo, each applied as `plan apply` does (living-plan.md, Changes by one todo).
 */

type AddInput = Omit<InputOf<'plan add'>, 'name'>;

/**
 * `plan add`: adds a todo at the end of the plan, or before the todos that are to wait for it.
 * @param given the run's name, if any
 * @throws DevCliError `USAGE` for a todo of `--before` that is not in the plan; `PLAN_EDITED` for a section that cannot
 * be read, `DATA_MALFORMED`, `SCHEMA_INVALID`; as `applyPlan`
 */
export async function addTodoToPlan(context: Context, given: unknown, input: AddInput): Promise<Answer> {
  const { dryRun, ...said } = input;
  const { before = [] } = said;
  let added = '';
  let leftBehind: readonly string[] = [];
  const call = { command: 'plan add', input: { ...said } } as Invocation;
  const remarks = () => leftBehind.map((id) => renderLeftBehind(id, added));
  const answer = await changePlan(context, given, { call, dryRun, remarks }, (plan, taken, known) => {
    for (const id of before) requireTodo(plan, id, known);
    const todo = said.data === undefined ? buildTodo(said, taken) : readTodoData(said.data, taken);
    const changed = addTodo(plan, todo, before);
    added = todo.id;
    leftBehind = listChecksLeftBehind(changed, added);
    return changed;
  });
  const { text, json } = answer;
  const told = remarks();
  if (told.length === 0 || text === undefined) return { ...answer, json: { ...json, todo: added } };
  const warnings = 'warnings' in json && Array.isArray(json.warnings) ? json.warnings : [];
  return {
    ...answer,
    json: { ...json, todo: added, warnings: [...warnings, ...told] },
    text: (format) => [...told.map((line) => `! ${line}`), text(format)].join('\n'),
  };
}

/** Renders a warning that is true both before and after the change is applied: the dependency is missing either way. */
function renderLeftBehind(check: string, added: string): string {
  return `${check} checks all other work, but does not wait for ${added}. With \`--before ${check}\` it would; if ${added} is already in the plan, add it to "after" of ${check} (\`plan edit\`).`;
}

/**
 * `plan drop`: removes a todo from the plan, and adjusts references to it.
 * @throws DevCliError `USAGE` for a todo that is not in the plan; `SCHEMA_INVALID` if something still needs it; as
 * `applyPlan`
 */
export function dropTodoFromPlan(
  context: Context,
  given: unknown,
  { todo: id, withRequirements = false, dryRun }: Omit<InputOf<'plan drop'>, 'name'>,
): Promise<Answer> {
  const call: Invocation = { command: 'plan drop', input: { todo: id, ...(withRequirements && { withRequirements }) } };
  return changePlan(context, given, { call, dryRun }, (plan, _taken, { name, added }) => {
    requireTodo(plan, id, { name, added });
    const dropped = dropTodo(plan, id, withRequirements);
    if (dropped.kind === 'dropped') return dropped.plan;
    throw buildNeededError(name, id, dropped);
  });
}

/**
 * Builds the error for a todo that is still needed: the requirements that it serves can be withdrawn with it, but todos
 * that use its outputs must be changed first.
 */
function buildNeededError(
  run: string,
  todo: string,
  { faults, requirements }: Extract<DropResult, { kind: 'needed' }>,
): DevCliError {
  const change: Instruction = [
    'First change what `details` lists, for example with ',
    { command: 'plan edit', input: { name: run } },
  ];
  const withThem: Invocation = { command: 'plan drop', input: { name: run, todo, withRequirements: true } };
  const named = joinFirst(requirements, TODOS_NAMED);
  const fix: Instruction =
    requirements.length === 0
      ? change
      : requirements.length === faults.length
        ? [
            `To withdraw ${named} with it: `,
            withThem,
            '. To keep what was asked for, first change what `details` lists.',
          ]
        : [...change, `; to withdraw ${named} with it, then: `, withThem];
  return new DevCliError('SCHEMA_INVALID', `${todo} is still needed; nothing was dropped.`, {
    run,
    details: [...faults],
    fix,
  });
}

/**
 * `plan move`: moves a todo to another place in the plan.
 * @throws DevCliError `USAGE` for a todo that is not in the plan; as `applyPlan`
 */
export function moveTodoInPlan(
  context: Context,
  given: unknown,
  { todo: id, before, after, first, dryRun }: Omit<InputOf<'plan move'>, 'name'>,
): Promise<Answer> {
  const place: TodoPlace =
    before !== undefined ? { before } : after !== undefined ? { after } : first === true ? 'first' : 'last';
  const to = typeof place === 'string' ? { [place]: true } : place;
  const call = { command: 'plan move', input: { todo: id, ...to } } as Invocation;
  return changePlan(context, given, { call, dryRun }, (plan, _taken, known) => {
    requireTodo(plan, id, known);
    const beside = before ?? after;
    if (beside !== undefined) requireTodo(plan, beside, known);
    return beside === id ? plan : moveTodo(plan, id, place);
  });
}

type Known = Pick<KnownPlan, 'name'> & Pick<PlanOnDisk, 'added'>;
type Change = (plan: PlanContent, taken: readonly string[], known: Known) => PlanContent;

async function changePlan(
  context: Context,
  given: unknown,
  { call, dryRun, remarks }: Pick<Revision, 'call' | 'remarks'> & { dryRun: boolean | undefined },
  change: Change,
): Promise<Answer> {
  const name = await findRun(context, given, dryRun !== true);
  const revision: Revision = {
    call: { ...call, input: { name, ...call.input } } as Invocation,
    ...(remarks === undefined ? {} : { remarks }),
    read(files, known) {
      const disk = readPlanOnDisk(files, known);
      const taken = [...(known.plan?.todos ?? []), ...known.added, ...disk.plan.todos].map(({ id }) => id);
      const changed = change(disk.plan, taken, { name, added: disk.added });
      if (changed === disk.plan) return disk;
      const plan = requireSound(changed, known);
      return { source: PLAN_CONTENT, plan, added: disk.added, text: renderPlanContent(plan) };
    },
  };
  return applyPlan(context, name, dryRun === true ? { dryRun } : {}, revision);
}

function requireSound(plan: PlanContent, { name, goal }: KnownPlan): PlanContent {
  const checked = checkPlan(plan, { request: goal || null });
  if (checked.ok) return checked.plan;
  throw new DevCliError('SCHEMA_INVALID', 'This change would make the plan invalid; nothing was written.', {
    run: name,
    details: checked.findings.slice(0, 40),
    fix: 'Fix what `details` lists, then repeat the command.',
  });
}

/** How many todos a refusal names at most. */
const TODOS_NAMED = 40;

/** @throws DevCliError `USAGE` for a todo that is not in plan-content.json */
function requireTodo({ todos }: PlanContent, id: string, { name, added }: Known): void {
  if (todos.some((todo) => todo.id === id)) return;
  const isAdded = added.some((todo) => todo.id === id);
  const shown = JSON.stringify(id.slice(0, 60));
  throw new DevCliError(
    'USAGE',
    isAdded ? `${shown} was added by the run: ${PLAN_CONTENT} does not contain it.` : `The plan has no todo ${shown}.`,
    {
      run: name,
      fix: isAdded
        ? ['Take its section out of PLAN.md: ', { command: 'plan edit', input: { name } }]
        : `Its todos: ${joinFirst(
            todos.map((todo) => todo.id),
            TODOS_NAMED,
          )}.`,
    },
  );
}

/** Reads a todo from a section written as in PLAN.md, or from JSON. */
function readTodoData({ text, name }: DataInput, taken: readonly string[]): PlanTodo {
  const isMarkdown = name?.endsWith('.md') === true || !/^\s*\{/.test(text);
  if (isMarkdown) return readSection(text, taken);
  const value = parseJson(text);
  if (!isRecord(value)) throw new DevCliError('DATA_MALFORMED', 'The data is not a valid todo.', { fix: FORMS });
  const id = typeof value['id'] === 'string' ? value['id'] : findTodoId(taken);
  // Not checked here: the changed plan as a whole is checked against the schema later.
  return { ...createEmptyTodo(id), ...value } as PlanTodo;
}

const FORMS = 'Write a section `### Title` as in PLAN.md, or the JSON of one todo as in plan-content.json.';

function readSection(text: string, taken: readonly string[]): PlanTodo {
  const section = readTodoSection(text, taken);
  if (section.kind === 'read') return section.todo;
  throw new DevCliError('DATA_MALFORMED', 'The data is not a valid section of a todo; nothing was written.', {
    details: section.faults.slice(0, 40).map(({ line, problem }): ErrorDetail => ({ problem, at: `${line}:1` })),
    fix: FORMS,
  });
}

function buildTodo(
  { title = '', after = [], files = [], run, assertion }: AddInput,
  taken: readonly string[],
): PlanTodo {
  const acceptance: PlanAcceptance[] = [
    ...(run === undefined ? [] : [{ id: 'ac-1', kind: 'command' as const, run: readCommand(run) }]),
    ...(assertion === undefined
      ? []
      : [{ id: run === undefined ? 'ac-1' : 'ac-2', kind: 'assertion' as const, text: assertion }]),
  ];
  return { ...createEmptyTodo(findTodoId(taken)), title, dependsOn: after, files, acceptance };
}

function readCommand(line: string): string[] {
  const read = parseCommandLine(line);
  if (read.kind === 'words') return read.argv;
  throw new DevCliError('DATA_MALFORMED', `--run is not a valid command: ${read.problem}.`, {
    fix: 'dev-cli runs it without a shell: write the program and its arguments.',
  });
}
