import { getRuleText } from '../../documents/plan-rule.js';
import type { PlanRule, PlanTodo } from '../../documents/plan-schema.js';
import type { Transaction } from '../../run/transaction.js';
import { createGlobTest, createPathTest, createUserChangeTest, listChangedPaths } from '../../work/paths.js';
import { readPlanHead, requireEngine } from './plan.js';
import { renderPlanText } from './prompt-parts.js';
import { joinFirst } from './remarks.js';
import { getTodoRow } from './todo-rows.js';

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
 * The paths that changed since the todo's first attempt began and are its own: among its files, listed by it, or all if it
 * was alone. Without a repository it is what its workers list.
 */
function listOwnChanges(tx: Transaction, id: string): string[] {
  const engine = requireEngine(tx);
  const { files, baseline, listed = [], charged = [] } = getTodoRow(engine, id);
  const before = tx.state.baseline;
  const now = before === null || baseline == null ? null : tx.tree();
  if (before === null || baseline == null || now === null) return [...listed];
  const isUsers = createUserChangeTest(before);
  const changed = listChangedPaths(now, baseline).filter((path) => !isUsers(path));
  if (engine.wave.length < 2) return changed;
  const [isListed, isInside] = [createPathTest([...listed, ...charged]), createGlobTest(files)];
  return changed.filter((path) => isListed(path) || isInside(path));
}
