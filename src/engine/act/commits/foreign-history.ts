import { joinFirst } from '../../../base/words.js';
import { toBoundedLine, toQuotedLine } from '../../../documents/foreign.js';
import { listReportedPaths } from '../../../jobs/commit-scope.js';
import type { Transaction } from '../../../run/transaction.js';
import type { Baseline, WorkTreeStatus } from '../../../work/baseline.js';
import type { LoggedCommit } from '../../../work/commit-search.js';
import { createPathTest, createUserChangeTest } from '../../../work/paths.js';
import { addOpenIssue } from '../notes.js';
import { requireEngine } from '../plan/plan.js';
import { describeBranch } from './message.js';

/**
 * Reports changes to git's history and index that dev-cli did not make while workers were running, because only dev-cli
 * should commit (engine.md, Commits).
 */

/** Maximum number of todos, commits or paths that one line names. */
const NAMED = 5;
/** Number of leading characters of a sha that are shown. */
const SHOWN = 7;

/**
 * Warns of what happened in git since the wave began: commits without dev-cli's trailer, a push, another branch, a
 * moved HEAD, and staged files that belong to no todo. Call this once all workers of the wave have finished.
 */
export function nameForeignHistory(tx: Transaction): void {
  const engine = requireEngine(tx);
  const rows = engine.wave.flatMap((id) => engine.todos[id] ?? []);
  const since = rows.find(({ baseline }) => baseline != null)?.baseline;
  const now = since == null ? null : tx.tree();
  if (since == null || now === null) return;
  const ids = rows.map(({ id }) => id);
  const at = `while ${joinFirst(ids, NAMED)} ${ids.length === 1 ? 'was' : 'were'} in progress`;
  const lines = [...describeMove(tx, since, now), ...describeStaged(tx, since, now)];
  for (const line of lines) {
    const whole = `${at}, ${line}`;
    tx.warnings.push(whole);
    addOpenIssue(tx, whole);
  }
}

function describeStaged(tx: Transaction, since: Baseline, { staged = [] }: WorkTreeStatus): string[] {
  const fresh = staged.filter((path) => !since.staged?.includes(path));
  if (fresh.length === 0) return [];
  const engine = requireEngine(tx);
  const isListed = createPathTest(engine.order.flatMap((id) => listReportedPaths(engine, id, tx.place.workTree)));
  const strange = fresh.filter((path) => !isListed(path)).map(toPath);
  return strange.length === 0 ? [] : [`files were staged that belong to no todo: ${joinFirst(strange, NAMED)}`];
}

function describeMove(tx: Transaction, since: Baseline, now: WorkTreeStatus): string[] {
  const { branch = now.branch } = requireEngine(tx).head ?? {};
  const commits =
    now.head === null || now.head === since.head ? [] : (tx.commits({ from: since.head, to: now.head }) ?? []);
  const foreign = commits.filter(({ key }) => key === null);
  const moved = foreign.length === 0 && now.head !== since.head && isMoved(tx, now.head, commits);
  const lines: string[] = [];
  if (branch !== now.branch)
    lines.push(`HEAD was switched from ${describeBranch(branch)} to ${describeBranch(now.branch)}`);
  if (foreign.length > 0) lines.push(describeCommits(tx, foreign));
  if (moved) lines.push(`HEAD was moved from ${shorten(since.head)} to ${shorten(now.head)}`);
  // Only a push reduces the number of commits ahead of upstream, and dev-cli never pushes during a wave.
  else if (branch === now.branch && now.ahead !== undefined && now.ahead < (since.ahead ?? Number.POSITIVE_INFINITY))
    lines.push(`commits of ${describeBranch(branch)} were pushed`);
  return lines;
}

/**
 * Returns whether HEAD was moved back or the run's last commit was rewritten. Commits of other runs on top of the last
 * commit are not a move.
 */
function isMoved(tx: Transaction, head: string | null, commits: readonly LoggedCommit[]): boolean {
  const last = requireEngine(tx).head?.last?.sha;
  if (head === last || commits.some(({ sha }) => sha === last)) return false;
  return commits.length === 0 || commits.some(({ key }) => key?.startsWith(`${tx.state.runId}/`));
}

function describeCommits(tx: Transaction, commits: readonly LoggedCommit[]): string {
  const isUsers = tx.state.baseline === null ? () => false : createUserChangeTest(tx.state.baseline);
  const swept = [...new Set(commits.flatMap(({ paths }) => paths.filter(isUsers)))];
  const also =
    swept.length === 0 ? '' : `, with what was changed before the run: ${joinFirst(swept.map(toPath), NAMED)}`;
  const named = commits.map(({ sha, subject }) => `${shorten(sha)} ${toQuotedLine(toBoundedLine(subject, 100))}`);
  return `commits were made that are not dev-cli's: ${joinFirst(named, NAMED)}${also}`;
}

function shorten(sha: string | null): string {
  return sha === null ? 'no commit' : sha.slice(0, SHOWN);
}

function toPath(path: string): string {
  return toBoundedLine(path, 200);
}
