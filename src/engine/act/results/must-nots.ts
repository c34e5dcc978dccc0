import { joinFirst } from '../../../base/words.js';
import { getRuleText } from '../../../plan/model/rule.js';
import type { PlanRule, PlanTodo } from '../../../plan/model/schema.js';
import type { RunEngine } from '../../../run/engine.js';
import type { Transaction } from '../../../run/transaction.js';
import { createGlobTest, createPathTest, createUserChangeTest, listChangedPaths } from '../../../work/paths.js';
import { readPlanHead, requireEngine } from '../plan/plan.js';
import { renderPlanText } from '../prompts/parts.js';
import { getTodoRow } from '../todo-rows.js';

/** What must not be done: with paths dev-cli judges it, by the files that changed, without them an agent (engine.md, Must-nots). */

/** Paths that one broken rule names at most. */
const NAMED = 10;

/**
 * Lists what the todo must not do, then what nobody in this plan may do, each once: planners write it in both places, and
 * what has paths in one of them is judged by these.
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

/** Renders every rule, for whoever does the work. */
export function renderRules(tx: Transaction, todo: PlanTodo | null): string[] {
  return listRules(tx, todo).map((rule) => {
    const text = renderPlanText(tx, getRuleText(rule));
    return typeof rule === 'string'
      ? text
      : `${text} (dev-cli sees to it that nothing changes in ${rule.paths.join(', ')})`;
  });
}

/** Renders the rules that are left for an agent to judge. */
export function renderJudgedRules(tx: Transaction, todo: PlanTodo | null): string[] {
  return listRules(tx, todo).flatMap((rule) => (typeof rule === 'string' ? [renderPlanText(tx, rule)] : []));
}

/** Renders the rules of several todos that are left for an agent to judge, without those that hold for the whole plan. */
export function renderRulesOfTodos(tx: Transaction, todos: readonly PlanTodo[]): string[] {
  const shared = new Set(listRules(tx, null).map((rule) => renderPlanText(tx, getRuleText(rule))));
  return todos.flatMap((todo) =>
    renderJudgedRules(tx, todo)
      .filter((text) => !shared.has(text))
      .map((text) => `${todo.id}: ${text}`),
  );
}

/** Lists the rules with paths that a todo has broken, each with what changed. */
export function listBrokenRules(tx: Transaction, todo: Pick<PlanTodo, 'id' | 'mustNotDo'>): string[] {
  const rules = listRules(tx, todo).filter((rule) => typeof rule !== 'string');
  if (rules.length === 0) return [];
  const changed = listOwnChanges(tx, todo.id);
  return rules.flatMap(({ text, paths }) => {
    const broken = changed.filter(createGlobTest(paths));
    return broken.length === 0 ? [] : [`${renderPlanText(tx, text)}: changed ${joinFirst(broken, NAMED)}`];
  });
}

/**
 * The paths that changed since the todo's first attempt began and are its own: among its files, listed by it, or all if
 * nobody else was at work since. Without a repository it is what its workers list.
 */
function listOwnChanges(tx: Transaction, id: string): string[] {
  const engine = requireEngine(tx);
  const { files, baseline, listed = [], charged = [] } = getTodoRow(engine, id);
  const before = tx.state.baseline;
  const now = before === null || baseline == null ? null : tx.tree();
  if (before === null || baseline == null || now === null) return [...listed];
  const isUsers = createUserChangeTest(before);
  // What a worker has committed itself is clean by now.
  const all = now.head === baseline.head ? null : tx.changes(baseline);
  const changed = (all?.paths ?? listChangedPaths(now, baseline)).filter((path) => !isUsers(path));
  if (!hadCompany(engine, id)) return changed;
  const [isListed, isInside] = [createPathTest([...listed, ...charged]), createGlobTest(files)];
  return changed.filter((path) => isListed(path) || isInside(path));
}

/**
 * Whether another todo was at work since this one began. One that has left the wave, failed or to be tried again, counts:
 * what it changed still lies in the tree.
 */
function hadCompany({ todos }: Pick<RunEngine, 'todos'>, id: string): boolean {
  const began = todos[id]?.startedAt ?? '';
  return Object.values(todos).some(
    (other) => other.id !== id && other.attempt > 0 && (other.endedAt === undefined || other.endedAt > began),
  );
}
