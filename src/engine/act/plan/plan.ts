// door: engine

import { DevCliError } from '../../../base/errors.js';
import { sha256 } from '../../../base/sha256.js';
import { toWholeLine } from '../../../documents/foreign.js';
import { splitList } from '../../../documents/plan-text.js';
import type { PlanContent, PlanTodo } from '../../../plan/model/schema.js';
import type { EngineDraft, RunEngine } from '../../../run/engine.js';
import { CAPTURED_PLAN } from '../../../run/paths.js';
import type { Transaction } from '../../../run/transaction.js';

/** The plan without its todos. */
export type PlanHead = Omit<PlanContent, 'todos'>;

const OPENING = '"todos":[\n';

/**
 * Renders the captured plan as JSON with one todo per line, each line beginning with the todo's id. A text search then
 * finds one todo among ten thousand, and only its line is parsed.
 */
function renderCapturedPlan({ todos, ...head }: PlanContent): string {
  const opening = JSON.stringify({ ...head, todos: [] }).slice(0, -'[]}'.length);
  const lines = todos.map(({ id, ...todo }) => JSON.stringify({ id, ...todo }));
  return `${opening}[\n${lines.join(',\n')}\n]}\n`;
}

interface CapturedPlan {
  content: Buffer;
  /** Parsed on first use. */
  head?: PlanHead;
  todos: Map<string, PlanTodo>;
}

const read = new WeakMap<Transaction, CapturedPlan>();

function readCapturedPlan(tx: Transaction): CapturedPlan {
  const known = read.get(tx);
  if (known !== undefined) return known;
  const content = tx.files.read(CAPTURED_PLAN);
  if (content === null || sha256(content) !== requireEngine(tx).planDigest) {
    throw new DevCliError(
      'STATE_CORRUPT',
      `${CAPTURED_PLAN} of this run is ${content === null ? 'missing' : 'different from what was captured'}.`,
      {
        run: tx.state.name,
        fix: `Move .dev/specs/${tx.state.name}/${CAPTURED_PLAN} away, then repeat the same call: it is put back as it was.`,
      },
    );
  }
  const plan: CapturedPlan = { content, todos: new Map() };
  read.set(tx, plan);
  return plan;
}

/**
 * Makes `plan` the plan that this run executes.
 * @returns the digest of its captured text
 */
export function capturePlan(tx: Transaction, plan: PlanContent): string {
  const text = renderCapturedPlan(plan);
  tx.files.write(CAPTURED_PLAN, text);
  read.delete(tx);
  return sha256(text);
}

/**
 * Reads the body of a todo, from the captured plan or from the row of an added todo.
 * @throws DevCliError `STATE_CORRUPT` if the captured plan was modified; `INTERNAL` for an unknown todo
 */
export function getTodoBody(tx: Transaction, id: string): PlanTodo {
  const added = requireEngine(tx).todos[id]?.body;
  if (added !== undefined) return added;
  const plan = readCapturedPlan(tx);
  const known = plan.todos.get(id);
  if (known !== undefined) return known;
  const start = plan.content.indexOf(`\n{"id":${JSON.stringify(id)},`);
  if (start < 0) throw new DevCliError('INTERNAL', `The captured plan has no todo "${id}".`);
  const line = plan.content.toString('utf8', start + 1, plan.content.indexOf('\n', start + 1));
  const todo = JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line) as PlanTodo;
  plan.todos.set(id, todo);
  return todo;
}

/**
 * Reads the captured plan without its todos.
 * @throws DevCliError `STATE_CORRUPT` if the captured plan was modified
 */
export function readPlanHead(tx: Transaction): PlanHead {
  const plan = readCapturedPlan(tx);
  if (plan.head !== undefined) return plan.head;
  const end = plan.content.indexOf(OPENING);
  const { todos: _, ...head } = JSON.parse(`${plan.content.toString('utf8', 0, end)}"todos":[]}`) as PlanContent;
  plan.head = head;
  return head;
}

/** Lists everything in the plan that nobody has confirmed: its assumed decisions and its assumptions. */
export function listUnconfirmed({ decisions = [], context }: PlanHead): string[] {
  const assumed = decisions.filter(({ by }) => by === 'assumed').map(({ text }) => toWholeLine(text));
  return [...new Set([...assumed, ...splitList(context.assumptions)])].filter((line) => line !== '');
}

/**
 * Reads the captured plan, followed by all todos added since, in run order. Parses the whole plan.
 * @throws DevCliError `STATE_CORRUPT` if the captured plan was modified
 */
export function readWholePlan(tx: Transaction): PlanContent {
  const plan = readPlanThatRuns(tx);
  return { ...plan, todos: [...plan.todos, ...listAddedTodos(requireEngine(tx))] };
}

/** Lists the bodies of added todos in run order, without those that were removed from the plan. */
export function listAddedTodos({ order, todos }: Pick<RunEngine, 'order' | 'todos'>): PlanTodo[] {
  return order.flatMap((id) => (todos[id]?.gone === true ? [] : (todos[id]?.body ?? [])));
}

/**
 * Reads the captured plan without the todos added since. Parses the whole plan.
 * @throws DevCliError `STATE_CORRUPT` if the captured plan was modified
 */
export function readPlanThatRuns(tx: Transaction): PlanContent {
  return JSON.parse(readCapturedPlan(tx).content.toString('utf8')) as PlanContent;
}

/**
 * Returns the engine's state.
 * @throws DevCliError `INTERNAL` if the run executes no plan
 */
export function requireEngine(tx: Transaction): EngineDraft {
  const { engine } = tx.state;
  if (engine === null) throw new DevCliError('INTERNAL', `The run "${tx.state.name}" is not executing a plan.`);
  return engine;
}

/**
 * Returns the engine's part of the captured recipe.
 * @throws DevCliError `INTERNAL` if the recipe has none
 */
export function requireEngineRecipe(tx: Transaction) {
  const { engine } = tx.captured.recipe;
  if (engine === undefined) throw new DevCliError('INTERNAL', 'The captured recipe is not an engine recipe.');
  return engine;
}

/**
 * Returns whether dev-cli judges the work by the plan's commands. If not, the commands run only when a worker checks
 * its own work.
 */
export function runsCommands(tx: Transaction): boolean {
  const { stages, finalize } = requireEngineRecipe(tx).program;
  return stages.some(({ id }) => id === 'verify') || finalize.includes('finalVerify');
}
