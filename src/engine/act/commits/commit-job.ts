import { omitUndefined } from '../../../base/defined.js';
import { toBoundedLine, toWholeLine } from '../../../documents/foreign.js';
import type { CommitEnded, CommitEnding } from '../../../jobs/commit.js';
import { RESIDUAL } from '../../../jobs/job.js';
import { listCommitNotes, NO_SHA } from '../../../run/notes.js';
import { toAbsolutePath } from '../../../run/paths.js';
import { recordEntry, type Transaction } from '../../../run/transaction.js';
import type { HeadPosition } from '../../../work/commit.js';
import type { EngineEvent, StageResult } from '../../core/events.js';
import { closeRunningAction, requireJob } from '../jobs.js';
import { addNotes, addOpenIssue } from '../notes.js';
import { requireEngine } from '../plan/plan.js';
import { triageFindings } from '../results/stage-results.js';
import { changeTodo, getTodoRow } from '../todo-rows.js';
import { buildCommitMessage, describeBranch, getCommitKey, toSubject } from './message.js';

/** Records the results of an execution's commits (engine.md, Commits). */

/** How many uncommitted paths a warning names. */
const LEFT_SHOWN = 10;

function isCommitted({ outcome }: CommitEnding): boolean {
  return outcome === 'made' || outcome === 'found';
}

/**
 * Records the result of a commit job.
 * @throws DevCliError `INTERNAL` if no such job is running
 */
export function recordCommitResult(tx: Transaction, { ending: result }: CommitEnded): EngineEvent {
  const { engine, job } = requireJob(tx, 'commit');
  const { outcome, commit, paths } = result;
  const logged = renderLogReference(tx);
  closeRunningAction(tx);
  engine.job = null;
  const reason = explainReason(tx, result);
  const why = reason === undefined ? {} : { reason: toBoundedLine(reason, 500) };
  const subject = isCommitted(result) ? { subject: toSubject(result.subject ?? job.message) } : {};
  const data = { key: job.key, todoId: job.todo, outcome, commit, ...subject, paths, ...why };
  recordEntry(tx, 'committed', data);
  addNotes(tx, listCommitNotes(tx.at, { runId: tx.state.runId, ...data }));
  reportLeftPaths(tx, job.todo, result);
  // If this commit was deferred before the run was reopened, it is deferred no longer.
  engine.deferred = engine.deferred.filter((id) => id !== (job.todo ?? RESIDUAL));
  if (isCommitted(result)) recordMade(tx, job.todo, job.key, result);
  if (reason !== undefined) {
    const block = `${job.todo ?? RESIDUAL}/commit`;
    tx.ran.push({ block, ok: false, summary: toBoundedLine(`${outcome}: ${reason}`, 300) });
  }
  const verdict = judgeCommit(tx, job.todo, { ...result, ...omitUndefined({ reason }) }, logged);
  return { type: 'OUTCOME', todo: job.todo, stage: job.stage, verdict };
}

/** Explains why a commit was not made and, if a person has to decide, what that person can do. */
function explainReason(tx: Transaction, { reason, head, at }: CommitEnding): string | undefined {
  const { name } = tx.state;
  const { engine } = tx.state;
  if (reason === undefined) return undefined;
  if (head !== true) return toWholeLine(reason);
  const branch = engine?.head?.branch ?? null;
  const back = branch === null || branch === at?.branch ? '' : `switch back to ${toBoundedLine(branch, 100)}, or `;
  return `${reason}; ${back}have a person accept this HEAD with \`dev-cli approve ${name}\``;
}

/** Warns of paths that belong to the work but were not committed, in this answer, in `done` and in the report. */
function reportLeftPaths(tx: Transaction, todo: string | null, { left }: CommitEnding): void {
  if (left.length === 0) return;
  const shown = left.slice(0, LEFT_SHOWN).map(({ path, why }) => `${path} (${why})`);
  const more = left.length > LEFT_SHOWN ? ` and ${left.length - LEFT_SHOWN} more` : '';
  const line = `${toBoundedLine(`${todo ?? 'the rest'}: not committed: ${shown.join(', ')}`, 500)}${more}`;
  tx.warnings.push(line);
  addOpenIssue(tx, line);
}

/** Requires HEAD to contain this commit from now on. If HEAD is on another branch than before, warns of that. */
function followHead(tx: Transaction, key: string, { commit, at }: CommitEnding): void {
  const engine = requireEngine(tx);
  delete engine.waits;
  const known = engine.head;
  const branch = at === null ? known?.branch : at.branch;
  if (branch === undefined) return;
  const last = commit === null ? known?.last : { sha: commit, key };
  engine.head = { began: known === undefined ? branch : known.began, branch, ...omitUndefined({ last }) };
  if (known === undefined || known.branch === branch) return;
  tx.warnings.push(
    `now on ${describeBranch(branch)}: the commits of this run go there instead of ${describeBranch(known.branch)}`,
  );
}

/**
 * Lets the run continue to commit on the current HEAD, because a person has accepted it. From now on, HEAD must contain
 * the commit that it now points to.
 */
export function acceptHead(tx: Transaction, { head, branch }: HeadPosition): void {
  const engine = requireEngine(tx);
  const before = engine.head?.last;
  const at = `${describeBranch(branch)} at ${head?.slice(0, 7) ?? 'no commit'}`;
  if (before !== undefined) {
    engine.openIssues.push(
      `a person let commits continue on ${at}, which lacks ${before.sha.slice(0, 7)}: earlier commits of this run may be missing there`,
    );
  }
  const began = engine.head === undefined ? branch : engine.head.began;
  engine.head = { began, branch, ...(head === null ? {} : { last: { sha: head } }) };
  delete engine.waits;
  recordEntry(tx, 'human', { what: `commits go to ${at}` });
}

/**
 * Records another attempt to make a deferred commit.
 * @param id the todo, or `RESIDUAL`
 * @returns whether anything changed
 */
export function recordDeferredRetry(tx: Transaction, id: string, { ending: result }: CommitEnded): boolean {
  const engine = requireEngine(tx);
  const todo = id === RESIDUAL ? null : id;
  const key = getCommitKey(tx, todo);
  const { outcome, commit, paths } = result;
  const made = isCommitted(result);
  // If there is nothing to commit, somebody else has committed or undone the work.
  if (made || outcome === 'nothing' || outcome === 'no-repository') {
    engine.deferred = engine.deferred.filter((other) => other !== id);
    if (engine.deferred.length === 0) delete engine.waits;
    const subject = made ? { subject: toSubject(result.subject ?? buildCommitMessage(tx, todo)) } : {};
    const data = { key, todoId: todo, outcome: made ? ('made' as const) : outcome, commit, ...subject, paths };
    recordEntry(tx, 'committed', data);
    addNotes(tx, listCommitNotes(tx.at, { runId: tx.state.runId, ...data }));
    if (todo !== null) setSubstepStatus(tx, todo, made ? 'done' : 'skipped');
    if (!made) return true;
    reportLeftPaths(tx, todo, result);
    recordMade(tx, todo, key, result);
    tx.ran.push({ block: `${id}/commit`, ok: true, summary: `made now: ${commit?.slice(0, 7) ?? NO_SHA}` });
    return true;
  }
  const why = toBoundedLine(explainReason(tx, result) ?? outcome, 500);
  if (engine.waits?.why === why) return false;
  engine.waits = { why, head: result.head === true };
  recordEntry(tx, 'committed', { key, todoId: todo, outcome, commit, paths, reason: why });
  tx.ran.push({ block: `${id}/commit`, ok: false, summary: toBoundedLine(`${outcome}: ${why}`, 300) });
  return true;
}

function setSubstepStatus(tx: Transaction, todo: string, status: 'done' | 'skipped'): void {
  const engine = requireEngine(tx);
  const row = engine.todos[todo];
  if (row !== undefined) {
    changeTodo(engine, todo, {
      substeps: { ...row.substeps, commit: { status, at: tx.at } },
      baseline: undefined,
      charged: undefined,
    });
  }
}

/** Records a commit that was made or found: HEAD must contain it, and the report names it with its paths. */
function recordMade(tx: Transaction, todo: string | null, key: string, result: CommitEnding): void {
  const engine = requireEngine(tx);
  followHead(tx, key, result);
  const { commit, paths } = result;
  const add = (known: readonly string[] | undefined) =>
    paths.length === 0 ? known : [...new Set([...(known ?? []), ...paths])];
  if (todo === null) {
    engine.residual = [...(add(engine.residual) ?? [])];
    return;
  }
  const row = getTodoRow(engine, todo);
  changeTodo(engine, todo, { committed: add(row.committed), commit: commit ?? row.commit });
}

/** Renders a sentence ending that says where the log of git and its hooks is; empty if there is no log. */
function renderLogReference(tx: Transaction): string {
  const action = tx.state.pendingAction;
  if (action === null || action.action === 'done') return '';
  const log = `actions/${action.actionId}/command.log`;
  return tx.files.facts(log).kind === 'file' ? `; log: ${toAbsolutePath(tx.place, tx.state.name, log)}` : '';
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
    case 'deferred': {
      const engine = requireEngine(tx);
      engine.deferred = [...new Set([...engine.deferred, todo ?? RESIDUAL])];
      engine.waits = { why: toBoundedLine(reason, 500), head };
      return { kind: 'deferred' };
    }
    case 'refused':
    case 'impossible': {
      const refused = outcome === 'refused';
      const why = toWholeLine(`${refused ? 'the commit was refused' : 'git cannot commit'}: ${reason}${logged}`);
      if (todo === null) return { kind: 'fail', why };
      return triageFindings(tx, todo, refused ? { failed: [why] } : { environment: why });
    }
  }
}
