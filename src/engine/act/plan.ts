import { DevCliError } from '../../base/errors.js';
import { sha256 } from '../../base/sha256.js';
import type { PlanContent, PlanTodo } from '../../documents/plan-schema.js';
import type { RunEngine } from '../../run/engine.js';
import { CAPTURED_PLAN } from '../../run/paths.js';
import type { Turn } from '../../run/turn.js';

/** A plan without its todos. */
type PlanHead = Omit<PlanContent, 'todos'>;

const OPENING = '"todos":[\n';

/**
 * The text of the captured plan: JSON, with every todo on a line of its own that begins with its id. One todo of ten
 * thousand is found by looking for that beginning; nothing else is parsed.
 */
function capturedText({ todos, ...head }: PlanContent): string {
  const opening = JSON.stringify({ ...head, todos: [] }).slice(0, -'[]}'.length);
  const lines = todos.map(({ id, ...todo }) => JSON.stringify({ id, ...todo }));
  return `${opening}[\n${lines.join(',\n')}\n]}\n`;
}

interface CapturedPlan {
  content: Buffer;
  todos: Map<string, PlanTodo>;
}

const read = new WeakMap<Turn, CapturedPlan>();

function captured(turn: Turn): CapturedPlan {
  const known = read.get(turn);
  if (known !== undefined) return known;
  const content = turn.files.read(CAPTURED_PLAN);
  if (content === null || sha256(content) !== engineOf(turn).planDigest) {
    throw new DevCliError(
      'STATE_CORRUPT',
      `${CAPTURED_PLAN} of this run is ${content === null ? 'missing' : 'not as it was captured'}.`,
      { run: turn.state.name, fix: `Put back the file as it was: objects/${engineOf(turn).planDigest} holds it.` },
    );
  }
  const plan = { content, todos: new Map() };
  read.set(turn, plan);
  return plan;
}

/** Makes `plan` the one that this run executes. */
export function capturePlan(turn: Turn, plan: PlanContent): string {
  const text = capturedText(plan);
  turn.files.write(CAPTURED_PLAN, text);
  read.delete(turn);
  return sha256(text);
}

/**
 * The body of a todo: of the captured plan, or of one that was added since.
 * @throws DevCliError `STATE_CORRUPT` when the captured plan was touched; `INTERNAL` for an unknown todo
 */
export function bodyOf(turn: Turn, id: string): PlanTodo {
  const { bodies } = engineOf(turn);
  const added = Object.hasOwn(bodies, id) ? bodies[id] : undefined;
  if (added !== undefined) return added;
  const plan = captured(turn);
  const known = plan.todos.get(id);
  if (known !== undefined) return known;
  const start = plan.content.indexOf(`\n{"id":${JSON.stringify(id)},`);
  if (start < 0) throw new DevCliError('INTERNAL', `The captured plan has no todo "${id}".`);
  const line = plan.content.toString('utf8', start + 1, plan.content.indexOf('\n', start + 1));
  const todo = JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line) as PlanTodo;
  plan.todos.set(id, todo);
  return todo;
}

/** The captured plan without its todos. */
export function planHead(turn: Turn): PlanHead {
  const { content } = captured(turn);
  const end = content.indexOf(OPENING);
  const { todos: _, ...head } = JSON.parse(`${content.toString('utf8', 0, end)}"todos":[]}`) as PlanContent;
  return head;
}

/** The captured plan with all that was added since, in the order of the run. Costs as much as the plan is long. */
export function wholePlan(turn: Turn): PlanContent {
  const plan = JSON.parse(captured(turn).content.toString('utf8')) as PlanContent;
  return { ...plan, todos: [...plan.todos, ...addedBodies(engineOf(turn))] };
}

/** The bodies of added todos in the order in which the run has them. */
export function addedBodies({ order, bodies }: Pick<RunEngine, 'order' | 'bodies'>): PlanTodo[] {
  return order.flatMap((id) => (Object.hasOwn(bodies, id) ? (bodies[id] ?? []) : []));
}

/**
 * The engine of a run that executes a plan.
 * @throws DevCliError `INTERNAL` in any other run
 */
export function engineOf(turn: Turn): RunEngine {
  const { engine } = turn.state;
  if (engine === null) throw new DevCliError('INTERNAL', `The run "${turn.state.name}" executes no plan.`);
  return engine;
}

/** What the recipe says of the engine. */
export function recipeEngine(turn: Turn) {
  const { engine } = turn.captured.recipe;
  if (engine === undefined) throw new DevCliError('INTERNAL', 'The captured recipe is no engine recipe.');
  return engine;
}

/** Whether dev-cli judges the work with the commands itself, of each todo or at the end; else only workers have them run. */
export function runsCommands(turn: Turn): boolean {
  const { stages, finalize } = recipeEngine(turn).program;
  return stages.some(({ id }) => id === 'verify') || finalize.includes('finalVerify');
}
