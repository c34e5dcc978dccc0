// door: engine

import { DevCliError } from '../../base/errors.js';
import { joinFirst, renderCount } from '../../base/words.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { listReportedPaths } from '../../jobs/commit-scope.js';
import { RESIDUAL } from '../../jobs/job.js';
import type { RunEngine } from '../../run/engine.js';
import type { Transaction } from '../../run/transaction.js';
import { createPathTest, listChangedPaths } from '../../work/paths.js';
import { isDoneEarlier } from './plan/further.js';
import { listUnconfirmed, readPlanHead } from './plan/plan.js';
import { renderTodoProgress, summarizeBlocked } from './prompts/dispatch.js';

/** How many open issues the `done` action shows (protocol.md, The end). */

const ISSUES_SHOWN = 5;

/** Renders an execution in one line: todos, failures, commits, retries, open issues. */
export function renderExecutionLine(engine: RunEngine): string {
  const { added, deferred, waits, openIssues } = engine;
  const todos = Object.values(engine.todos);
  const commits = todos.filter(({ commit }) => commit !== undefined).length;
  const retries = todos.reduce((sum, todo) => sum + todo.retries, 0);
  const failed = todos.filter(({ status }) => status === 'failed').length;
  const ticked = countTickedBefore(engine);
  const earlier = engine.order.filter((id) => isDoneEarlier(engine, id)).length;
  const why = waits === undefined ? '' : `: ${toBoundedLine(waits.why, 250)}`;
  return [
    renderTodoProgress(engine),
    ...(earlier > 0 ? [`${earlier} of them done by an earlier execution`] : []),
    ...(ticked > 0
      ? [`${ticked} of them taken as done, ${ticked === 1 ? 'its box was' : 'their boxes were'} ticked before`]
      : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(commits > 0 ? [renderCount(commits, 'commit')] : []),
    ...(retries > 0 ? [renderCount(retries, 'retry', 'retries')] : []),
    ...(added > 0 ? [`${added} added`] : []),
    ...(deferred.length > 0 ? [`${renderCount(deferred.length, 'commit')} not made yet${why}`] : []),
    ...(openIssues.length > 0 ? [renderCount(openIssues.length, 'open issue')] : []),
  ].join(', ');
}

/**
 * Counts todos whose boxes were ticked when this execution began and that no earlier execution is known to have done.
 */
export function countTickedBefore(engine: RunEngine): number {
  return Object.values(engine.todos).filter(
    ({ id, status, attempt }) => status === 'done' && attempt === 0 && !isDoneEarlier(engine, id),
  ).length;
}

/** How many failed todos `done` names; `status` shows all of them. */
const FAILED_SHOWN = 20;

/** Lists the failed todos, each with its reason and the todos that it blocks. */
export function listFailedTodos(engine: RunEngine): { id: string; reason: string }[] {
  const { blocked } = summarizeBlocked(engine);
  return engine.order
    .filter((id) => engine.todos[id]?.status === 'failed')
    .slice(0, FAILED_SHOWN)
    .map((id) => {
      const back = blocked[id] ?? [];
      const kept = back.length === 0 ? '' : `; blocks ${back.join(', ')}`;
      return { id, reason: `${toBoundedLine(engine.todos[id]?.why ?? 'failed', 250)}${kept}` };
    });
}

/** How many uncommitted paths `done` names; `git status` shows all of them. */
const LEFT_SHOWN = 10;

/**
 * Looks up something in the work tree for a report. Returns null if git fails, so that the run can still end.
 * @throws DevCliError `INTERRUPTED`
 */
export function nullIfGitFails<T>(look: () => T | null): T | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof DevCliError && error.code !== 'INTERRUPTED') return null;
    throw error;
  }
}

/**
 * Lists paths that changed since the run began and are in no commit, for the user to decide on. Leaves out the paths of
 * deferred commits.
 */
function listUncommitted(tx: Transaction): string[] {
  const { baseline, engine } = tx.state;
  const now = baseline === null || engine === null ? null : nullIfGitFails(tx.tree);
  if (baseline === null || engine === null || now === null) return [];
  const waiting = engine.deferred.includes(RESIDUAL) ? engine.order : engine.deferred;
  const isWaiting = createPathTest(waiting.flatMap((id) => listReportedPaths(engine, id, tx.place.workTree)));
  return listChangedPaths(now, baseline).filter((path) => !isWaiting(path));
}

/** Renders the sentence of `done` that tells the agent to name the uncommitted paths; empty if there are none. */
export function renderUncommittedHint(tx: Transaction): string {
  return listUncommitted(tx).length === 0
    ? ''
    : ' Name the uncommitted changes: the user decides what happens to them.';
}

/** Builds the `results` of the action `done` for an execution. */
export function buildExecutionResults(tx: Transaction, engine: RunEngine): Record<string, string> {
  const plan = readPlanHead(tx);
  const uncommitted = listUncommitted(tx).map((path) => toBoundedLine(path, 150));
  const unconfirmed = listUnconfirmed(plan).map((line) => toBoundedLine(line, 150));
  const review = engine.reviews.at(-1);
  const issues = engine.openIssues.slice(0, ISSUES_SHOWN).map((line) => toBoundedLine(line, 150));
  return {
    todos: renderTodoProgress(engine).slice('todos '.length),
    ...(review === undefined ? {} : { codeReview: review.verdict }),
    ...(unconfirmed.length === 0 ? {} : { unconfirmed: joinSome(unconfirmed, unconfirmed.length) }),
    ...(uncommitted.length === 0 ? {} : { uncommitted: joinFirst(uncommitted, LEFT_SHOWN) }),
    ...(issues.length === 0 ? {} : { openIssues: joinSome(issues, engine.openIssues.length) }),
  };
}

/**
 * Joins the first lines and says how many more there are.
 * @param count the number of all lines, including any that the caller left out
 */
function joinSome(lines: readonly string[], count: number): string {
  const shown = lines.slice(0, ISSUES_SHOWN);
  return [...shown, ...(count > shown.length ? [`and ${count - shown.length} more: report.md`] : [])].join('; ');
}

/** Renders the instruction of `done` if a person did not approve the plan. */
export function renderPlanRefusedHint(): string {
  return 'Tell the user that the plan was not approved, so nothing of it was carried out, then stop. If the user wants another plan, run `instead`: it plans again and knows their reason. `resume` only asks about this plan again.';
}

/**
 * Renders the user's options if an execution of a plan for small work halted because a worker could not continue
 * (recipes.md, Size); empty otherwise.
 */
export function renderOutgrownHint(tx: Transaction): string {
  const todos = Object.values(tx.state.engine?.todos ?? {});
  const blocked = todos.some((todo) => todo.status === 'failed' && todo.blocked === true);
  return blocked && readPlanHead(tx).size === 'small'
    ? ' The plan was for small work: if the work is larger, the user can have it planned again with `instead`.'
    : '';
}

/**
 * Returns the failed todos at which a halted run can be reopened, joined as `step invalidate --step` accepts them.
 * @returns null if no todo failed (a stage of the whole run did), or if so many failed that a person cannot rule on
 * each; callers then name the block instead
 */
export function getReopenTarget({ order, todos }: Pick<RunEngine, 'order' | 'todos'>): string | null {
  const failed = order.filter((id) => todos[id]?.status === 'failed');
  return failed.length === 0 || failed.length > FAILED_SHOWN ? null : failed.join(',');
}
