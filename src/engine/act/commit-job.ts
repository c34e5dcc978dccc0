import { defined } from '../../base/defined.js';
import { toBoundedLine, toWholeLine } from '../../documents/foreign.js';
import type { CommitEnded, CommitEnding } from '../../jobs/commit.js';
import { RESIDUAL } from '../../jobs/job.js';
import { toAbsolutePath } from '../../run/paths.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import type { HeadPosition } from '../../work/commit.js';
import type { EngineEvent, StageResult } from '../core/events.js';
import { describeBranch, getCommitKey, NO_SHA } from './commit-message.js';
import { closeRunningAction, requireJob } from './jobs.js';
import { appendAudit } from './notes.js';
import { requireEngine } from './plan.js';
import { triageFindings } from './stage-results.js';

/** Commits of an execution, inside a transaction: what came of them (engine.md, Commits). */

/** Paths named that are not committed. */
const LEFT_SHOWN = 10;

/** Whether there is a commit now that holds the work. */
function isCommitted({ outcome }: CommitEnding): boolean {
  return outcome === 'made' || outcome === 'found';
}

/** The commit of the job is made, was found, or is not to be. */
export function recordCommitResult(tx: Transaction, { ending: result }: CommitEnded): EngineEvent {
  const { engine, job } = requireJob(tx, 'commit');
  const { outcome, commit, paths } = result;
  const logged = renderLogReference(tx);
  closeRunningAction(tx);
  engine.job = null;
  const reason = explainReason(tx, result);
  recordEntry(tx, 'committed', {
    key: job.key,
    todoId: job.todo,
    outcome,
    commit,
    paths,
    ...(reason === undefined ? {} : { reason: toBoundedLine(reason, 500) }),
  });
  reportLeftPaths(tx, job.todo ?? 'the rest', result);
  // One that had to wait when the run ended before is no other than this.
  engine.deferred = engine.deferred.filter((id) => id !== (job.todo ?? RESIDUAL));
  if (isCommitted(result)) {
    followHead(tx, job.key, result);
    recordCommittedPaths(tx, job.todo ?? RESIDUAL, paths);
    if (job.todo !== null) recordCommit(tx, job.todo, commit);
  }
  if (reason !== undefined) {
    const block = `${job.todo ?? RESIDUAL}/commit`;
    tx.ran.push({ block, ok: false, summary: toBoundedLine(`${outcome}: ${reason}`, 300) });
  }
  const told = reason === undefined ? result : { ...result, reason };
  return { type: 'OUTCOME', todo: job.todo, stage: job.stage, verdict: judgeCommit(tx, job.todo, told, logged) };
}

/** Why a commit was not made, with the way out where only a person can tell. */
function explainReason(tx: Transaction, { reason, head, at }: CommitEnding): string | undefined {
  const { name, engine } = tx.state;
  if (reason === undefined) return undefined;
  if (head !== true) return toWholeLine(reason);
  const branch = engine?.head?.branch ?? null;
  const back = branch === null || branch === at?.branch ? '' : `switch back to ${toBoundedLine(branch, 100)}, or `;
  return `${reason}; ${back}have a person take this HEAD with \`dev-cli approve ${name}\``;
}

/** What belongs to the work and is in no commit is named in the answer, at the end and in the report. */
function reportLeftPaths(tx: Transaction, of: string, { left }: CommitEnding): void {
  if (left.length === 0) return;
  const shown = left.slice(0, LEFT_SHOWN).map(({ path, why }) => `${path} (${why})`);
  const more = left.length > LEFT_SHOWN ? ` and ${left.length - LEFT_SHOWN} more` : '';
  const line = `${toBoundedLine(`${of}: not committed: ${shown.join(', ')}`, 500)}${more}`;
  tx.warnings.push(line);
  const { openIssues } = requireEngine(tx);
  if (!openIssues.includes(line)) openIssues.push(line);
}

/** From now on HEAD has to contain this commit; a branch that it went to is followed, and named. */
function followHead(tx: Transaction, key: string, { commit, at }: CommitEnding): void {
  const engine = requireEngine(tx);
  delete engine.waits;
  const known = engine.head;
  const branch = at === null ? known?.branch : at.branch;
  if (branch === undefined) return;
  const last = commit === null ? known?.last : { sha: commit, key };
  engine.head = { began: known === undefined ? branch : known.began, branch, ...defined({ last }) };
  if (known === undefined || known.branch === branch) return;
  tx.warnings.push(
    `now on ${describeBranch(branch)}: the commits of this run go there, before to ${describeBranch(known.branch)}`,
  );
}

/** A person has said that HEAD is right where it is: from now on commits go there, and it has to contain this commit. */
export function acceptHead(tx: Transaction, { head, branch }: HeadPosition): void {
  const engine = requireEngine(tx);
  const last = head === null ? {} : { last: { sha: head } };
  const before = engine.head?.last;
  const at = `${describeBranch(branch)} at ${head?.slice(0, 7) ?? 'no commit'}`;
  if (before !== undefined) {
    engine.openIssues.push(
      `a person had commits go on at ${at}, which lacks ${before.sha.slice(0, 7)}: commits that this run made before may not be there`,
    );
  }
  const began = engine.head === undefined ? branch : engine.head.began;
  engine.head = { began, branch, ...last };
  delete engine.waits;
  recordEntry(tx, 'human', { what: `commits go to ${at}` });
}

/**
 * What came of one more try at a commit that had to wait.
 * @returns whether anything is different now
 */
export function recordDeferredRetry(tx: Transaction, id: string, { ending: result }: CommitEnded): boolean {
  const engine = requireEngine(tx);
  const todo = id === RESIDUAL ? null : id;
  const key = getCommitKey(tx, todo);
  if (isCommitted(result)) {
    reportLeftPaths(tx, todo ?? 'the rest', result);
    followHead(tx, key, result);
    withdrawDeferred(tx, key, { ...result, outcome: 'made' });
    recordCommittedPaths(tx, id, result.paths);
    if (todo !== null) setSubstepStatus(tx, todo, 'done');
    if (todo !== null) recordCommit(tx, todo, result.commit);
    tx.ran.push({ block: `${id}/commit`, ok: true, summary: `made now: ${result.commit?.slice(0, 7) ?? NO_SHA}` });
    return true;
  }
  if (result.outcome === 'nothing' || result.outcome === 'no-repository') {
    withdrawDeferred(tx, key, result);
    if (todo !== null) setSubstepStatus(tx, todo, 'skipped');
    return true;
  }
  const why = toBoundedLine(explainReason(tx, result) ?? result.outcome, 500);
  if (engine.waits?.why === why) return false;
  engine.waits = { why, head: result.head === true };
  const { commit, paths } = result;
  recordEntry(tx, 'committed', { key, todoId: todo, outcome: result.outcome, commit, paths, reason: why });
  tx.ran.push({ block: `${id}/commit`, ok: false, summary: toBoundedLine(`${result.outcome}: ${why}`, 300) });
  return true;
}

/** A commit that had to wait is made, or there is nothing left of it: somebody else has committed or undone the work. */
function withdrawDeferred(tx: Transaction, key: string, { outcome, commit, paths }: CommitEnding): void {
  const engine = requireEngine(tx);
  const id = key.slice(tx.state.runId.length + 1);
  engine.deferred = engine.deferred.filter((other) => other !== id);
  if (engine.deferred.length === 0) delete engine.waits;
  recordEntry(tx, 'committed', { key, todoId: id === RESIDUAL ? null : id, outcome, commit, paths });
}

function setSubstepStatus(tx: Transaction, todo: string, status: 'done' | 'skipped'): void {
  const engine = requireEngine(tx);
  const row = engine.todos[todo];
  if (row !== undefined) {
    engine.todos[todo] = { ...row, substeps: { ...row.substeps, commit: { status, at: tx.at } } };
  }
  for (const kept of [engine.baselines, engine.charged]) delete kept[todo];
}

/**
 * Keeps what a commit holds, for the report.
 * @param id the todo, or that of the commit of what remained
 */
function recordCommittedPaths(tx: Transaction, id: string, paths: readonly string[]): void {
  const engine = requireEngine(tx);
  if (paths.length === 0) return;
  engine.committed = { ...engine.committed, [id]: [...new Set([...(engine.committed?.[id] ?? []), ...paths])] };
}

/** Keeps the commit that holds a todo's work. */
function recordCommit(tx: Transaction, todo: string, commit: string | null): void {
  const engine = requireEngine(tx);
  const row = engine.todos[todo];
  if (row !== undefined && commit !== null) engine.todos[todo] = { ...row, commit };
  appendAudit(tx, todo, `commit ${commit ?? NO_SHA}`);
}

/** Where git and the hooks said all that they said, as the end of a sentence; empty where no log was written. */
function renderLogReference(tx: Transaction): string {
  const action = tx.state.pendingAction?.action;
  if (action === undefined || action.action === 'done') return '';
  const log = `actions/${action.actionId}/command.log`;
  return tx.files.facts(log).kind === 'file' ? `; log: ${toAbsolutePath(tx.place, tx.state.name, log)}` : '';
}

function defer(tx: Transaction, id: string): void {
  const { deferred } = requireEngine(tx);
  if (!deferred.includes(id)) deferred.push(id);
}

function judgeCommit(
  tx: Transaction,
  todo: string | null,
  { outcome, reason = 'refused', head = false }: CommitEnding,
  logged: string,
): StageResult {
  switch (outcome) {
    case 'made':
    case 'found':
      return { kind: 'pass' };
    case 'nothing':
    case 'no-repository':
      return { kind: 'skipped' };
    case 'deferred':
      defer(tx, todo ?? RESIDUAL);
      requireEngine(tx).waits = { why: toBoundedLine(reason, 500), head };
      return { kind: 'deferred' };
    case 'refused': {
      const why = toWholeLine(`the commit was refused: ${reason}${logged}`);
      return todo === null ? { kind: 'fail', why } : triageFindings(tx, todo, { failed: [why] });
    }
    case 'impossible': {
      const why = toWholeLine(`git cannot commit: ${reason}${logged}`);
      return todo === null ? { kind: 'fail', why } : triageFindings(tx, todo, { environment: why });
    }
  }
}
