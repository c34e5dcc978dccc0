import { joinFirst } from '../../../base/words.js';
import { getRuleText } from '../../../plan/model/rule.js';
import type { PlanRule, PlanTodo } from '../../../plan/model/schema.js';
import type { RunEngine } from '../../../run/engine.js';
import type { Transaction } from '../../../run/transaction.js';
import { createGlobTest, createPathTest, createUserChangeTest, listChangedPaths } from '../../../work/paths.js';
import { readPlanHead, requireEngine } from '../plan/plan.js';
import { renderPlanText } from '../prompts/parts.js';
import { getTodoRow } from '../todo-rows.js';

/**
 * Must-nots: dev-cli judges must-nots with paths, by the changed files; an agent judges all others (engine.md,
 * Must-nots).
 */

/** Maximum number of paths named for one broken rule. */
const NAMED = 10;

/**
 * Lists the must-nots of the todo and then those of the whole plan. A rule that a planner wrote in both places is
 * listed once, with the paths of both.
 */
function listRules(tx: Transaction, todo: Pick<PlanTodo, 'mustNotDo'> | null): PlanRule[] {
  const known = new Map<string, PlanRule>();
  for (const rule of [...(todo?.mustNotDo ?? []), ...readPlanHead(tx).objectives.mustNotDo]) {
    const text = renderPlanText(tx, getRuleText(rule));
    const before = known.get(text);
    if (typeof rule === 'string') known.set(text, before ?? rule);
    else {
      const paths = typeof before === 'object' ? before.paths : [];
      known.set(text, { text: rule.text, paths: [...new Set([...paths, ...rule.paths])] });
    }
  }
  return [...known.values()];
}

/** Renders every rule for a worker, including those that dev-cli judges. */
export function renderRules(tx: Transaction, todo: PlanTodo | null): string[] {
  return listRules(tx, todo).map((rule) => {
    const text = renderPlanText(tx, getRuleText(rule));
    return typeof rule === 'string'
      ? text
      : `${text} (dev-cli checks that nothing changes in ${rule.paths.join(', ')})`;
  });
}

/** Renders the rules that an agent has to judge. */
export function renderJudgedRules(tx: Transaction, todo: PlanTodo | null): string[] {
  return listRules(tx, todo).flatMap((rule) => (typeof rule === 'string' ? [renderPlanText(tx, rule)] : []));
}

/** Renders the todos' rules that an agent has to judge, without the rules that hold for the whole plan. */
export function renderRulesOfTodos(tx: Transaction, todos: readonly PlanTodo[]): string[] {
  const shared = new Set(listRules(tx, null).map((rule) => renderPlanText(tx, getRuleText(rule))));
  return todos.flatMap((todo) =>
    renderJudgedRules(tx, todo)
      .filter((text) => !shared.has(text))
      .map((text) => `${todo.id}: ${text}`),
  );
}

/** Lists the rules with paths that a todo has broken, each with the paths that changed. */
export function listBrokenMustNots(tx: Transaction, todo: Pick<PlanTodo, 'id' | 'mustNotDo'>): string[] {
  const rules = listRules(tx, todo).filter((rule) => typeof rule !== 'string');
  if (rules.length === 0) return [];
  const changed = listOwnChanges(tx, todo.id);
  return rules.flatMap(({ text, paths }) => {
    const broken = changed.filter(createGlobTest(paths));
    return broken.length === 0 ? [] : [`${renderPlanText(tx, text)}: changed ${joinFirst(broken, NAMED)}`];
  });
}

/**
 * Lists the paths that a todo changed since its first attempt began. If another todo was in progress meanwhile, counts
 * only paths among the todo's files, paths that its results list, and paths that were charged to it when the wave
 * ended. Without a repository, returns the paths that it lists.
 */
function listOwnChanges(tx: Transaction, id: string): string[] {
  const engine = requireEngine(tx);
  const { files, baseline, listed = [], charged = [] } = getTodoRow(engine, id);
  const before = tx.state.baseline;
  const now = before === null || baseline == null ? null : tx.tree();
  if (before === null || baseline == null || now === null) return [...listed];
  const isUsers = createUserChangeTest(before);
  // Paths that a worker itself committed are no longer dirty, so they are read from the commits.
  const all = now.head === baseline.head ? null : tx.changes(baseline);
  const changed = (all?.paths ?? listChangedPaths(now, baseline)).filter((path) => !isUsers(path));
  if (!hadCompany(engine, id)) return changed;
  const [isListed, isInside] = [createPathTest([...listed, ...charged]), createGlobTest(files)];
  return changed.filter((path) => isListed(path) || isInside(path));
}

/**
 * Returns whether another todo was in progress since this one began. This includes todos that have failed or wait for
 * another attempt, because their changes are still in the tree.
 */
function hadCompany({ todos }: Pick<RunEngine, 'todos'>, id: string): boolean {
  const began = todos[id]?.startedAt ?? '';
  return Object.values(todos).some(
    (other) => other.id !== id && other.attempt > 0 && (other.endedAt === undefined || other.endedAt > began),
  );
}
