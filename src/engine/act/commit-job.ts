import { foreignLine, wholeLine } from '../../documents/foreign.js';
import type { CommitEnded, CommitEnding } from '../../jobs/commit.js';
import { RESIDUAL } from '../../jobs/job.js';
import { absolutePath } from '../../run/paths.js';
import { record, type Turn } from '../../run/turn.js';
import type { At } from '../../work/commit.js';
import type { EngineEvent, Verdict } from '../core/events.js';
import { commitKey, headName, NO_SHA } from './commit-words.js';
import { jobAtWork, settleRunning } from './jobs.js';
import { noteAudit } from './notes.js';
import { triaged } from './outcomes.js';
import { engineOf } from './plan.js';

/** Commits of an execution, inside a transaction: what came of them (engine.md, Commits). */

/** Paths named that are not committed. */
const LEFT_SHOWN = 10;

/** Whether there is a commit now that holds the work. */
function isCommitted({ outcome }: CommitEnding): boolean {
  return outcome === 'made' || outcome === 'found';
}

/** The commit of the job is made, was found, or is not to be. */
export function commitDone(turn: Turn, { ending: result }: CommitEnded): EngineEvent {
  const { engine, job } = jobAtWork(turn, 'commit');
  const { outcome, commit, paths } = result;
  const logged = loggedAt(turn);
  settleRunning(turn);
  engine.job = null;
  const reason = reasonOf(turn, result);
  record(turn, 'committed', {
    key: job.key,
    todoId: job.todo,
    outcome,
    commit,
    paths,
    ...(reason === undefined ? {} : { reason: foreignLine(reason, 500) }),
  });
  tellLeft(turn, job.todo ?? 'the rest', result);
  // One that had to wait when the run ended before is no other than this.
  engine.deferred = engine.deferred.filter((id) => id !== (job.todo ?? RESIDUAL));
  if (isCommitted(result)) {
    noteHead(turn, job.key, result);
    noteCommitted(turn, job.todo ?? RESIDUAL, paths);
    if (job.todo !== null) noteCommit(turn, job.todo, commit);
  }
  if (reason !== undefined) {
    const block = `${job.todo ?? RESIDUAL}/commit`;
    turn.ran.push({ block, ok: false, summary: foreignLine(`${outcome}: ${reason}`, 300) });
  }
  const told = reason === undefined ? result : { ...result, reason };
  return { type: 'OUTCOME', todo: job.todo, stage: job.stage, verdict: commitVerdict(turn, job.todo, told, logged) };
}

/** Why a commit was not made, with the way out where only a person can tell. */
function reasonOf(turn: Turn, { reason, head, at }: CommitEnding): string | undefined {
  const { name, engine } = turn.state;
  if (reason === undefined) return undefined;
  if (head !== true) return wholeLine(reason);
  const branch = engine?.head?.branch ?? null;
  const back = branch === null || branch === at?.branch ? '' : `switch back to ${foreignLine(branch, 100)}, or `;
  return `${reason}; ${back}have a person take this HEAD with \`dev-cli approve ${name}\``;
}

/** What belongs to the work and is in no commit is named in the answer, at the end and in the report. */
function tellLeft(turn: Turn, of: string, { left }: CommitEnding): void {
  if (left.length === 0) return;
  const shown = left.slice(0, LEFT_SHOWN).map(({ path, why }) => `${path} (${why})`);
  const more = left.length > LEFT_SHOWN ? ` and ${left.length - LEFT_SHOWN} more` : '';
  const line = `${foreignLine(`${of}: not committed: ${shown.join(', ')}`, 500)}${more}`;
  turn.warnings.push(line);
  const { openIssues } = engineOf(turn);
  if (!openIssues.includes(line)) openIssues.push(line);
}

/** From now on HEAD has to contain this commit; a branch that it went to is followed, and named. */
function noteHead(turn: Turn, key: string, { commit, at }: CommitEnding): void {
  const engine = engineOf(turn);
  delete engine.waits;
  const known = engine.head;
  const branch = at === null ? known?.branch : at.branch;
  if (branch === undefined) return;
  const last = commit === null ? known?.last : { sha: commit, key };
  engine.head = { began: known === undefined ? branch : known.began, branch, ...(last === undefined ? {} : { last }) };
  if (known === undefined || known.branch === branch) return;
  turn.warnings.push(
    `now on ${headName(branch)}: the commits of this run go there, before to ${headName(known.branch)}`,
  );
}

/** A person has said that HEAD is right where it is: from now on commits go there, and it has to contain this commit. */
export function acceptHead(turn: Turn, { head, branch }: At): void {
  const engine = engineOf(turn);
  const last = head === null ? {} : { last: { sha: head } };
  const before = engine.head?.last;
  const at = `${headName(branch)} at ${head?.slice(0, 7) ?? 'no commit'}`;
  if (before !== undefined) {
    engine.openIssues.push(
      `a person had commits go on at ${at}, which lacks ${before.sha.slice(0, 7)}: commits that this run made before may not be there`,
    );
  }
  const began = engine.head === undefined ? branch : engine.head.began;
  engine.head = { began, branch, ...last };
  delete engine.waits;
  record(turn, 'human', { what: `commits go to ${at}` });
}

/**
 * What came of one more try at a commit that had to wait.
 * @returns whether anything is different now
 */
export function deferredTried(turn: Turn, id: string, { ending: result }: CommitEnded): boolean {
  const engine = engineOf(turn);
  const todo = id === RESIDUAL ? null : id;
  const key = commitKey(turn, todo);
  if (isCommitted(result)) {
    tellLeft(turn, todo ?? 'the rest', result);
    noteHead(turn, key, result);
    withdrawDeferred(turn, key, { ...result, outcome: 'made' });
    noteCommitted(turn, id, result.paths);
    if (todo !== null) settleSubstep(turn, todo, 'done');
    if (todo !== null) noteCommit(turn, todo, result.commit);
    turn.ran.push({ block: `${id}/commit`, ok: true, summary: `made now: ${result.commit?.slice(0, 7) ?? NO_SHA}` });
    return true;
  }
  if (result.outcome === 'nothing' || result.outcome === 'no-repository') {
    withdrawDeferred(turn, key, result);
    if (todo !== null) settleSubstep(turn, todo, 'skipped');
    return true;
  }
  const why = foreignLine(reasonOf(turn, result) ?? result.outcome, 500);
  if (engine.waits?.why === why) return false;
  engine.waits = { why, head: result.head === true };
  const { commit, paths } = result;
  record(turn, 'committed', { key, todoId: todo, outcome: result.outcome, commit, paths, reason: why });
  turn.ran.push({ block: `${id}/commit`, ok: false, summary: foreignLine(`${result.outcome}: ${why}`, 300) });
  return true;
}

/** A commit that had to wait is made, or there is nothing left of it: somebody else has committed or undone the work. */
function withdrawDeferred(turn: Turn, key: string, { outcome, commit, paths }: CommitEnding): void {
  const engine = engineOf(turn);
  const id = key.slice(turn.state.runId.length + 1);
  engine.deferred = engine.deferred.filter((other) => other !== id);
  if (engine.deferred.length === 0) delete engine.waits;
  record(turn, 'committed', { key, todoId: id === RESIDUAL ? null : id, outcome, commit, paths });
}

function settleSubstep(turn: Turn, todo: string, status: 'done' | 'skipped'): void {
  const engine = engineOf(turn);
  const row = engine.todos[todo];
  if (row !== undefined) {
    engine.todos[todo] = { ...row, substeps: { ...row.substeps, commit: { status, at: turn.at } } };
  }
  for (const kept of [engine.baselines, engine.charged]) delete kept[todo];
}

/**
 * Keeps what a commit holds, for the report.
 * @param id the todo, or that of the commit of what remained
 */
function noteCommitted(turn: Turn, id: string, paths: readonly string[]): void {
  const engine = engineOf(turn);
  if (paths.length === 0) return;
  engine.committed = { ...engine.committed, [id]: [...new Set([...(engine.committed?.[id] ?? []), ...paths])] };
}

/** Keeps the commit that holds a todo's work. */
function noteCommit(turn: Turn, todo: string, commit: string | null): void {
  const engine = engineOf(turn);
  const row = engine.todos[todo];
  if (row !== undefined && commit !== null) engine.todos[todo] = { ...row, commit };
  noteAudit(turn, todo, `commit ${commit ?? NO_SHA}`);
}

/** Where git and the hooks said all that they said, as the end of a sentence; empty where no log was written. */
function loggedAt(turn: Turn): string {
  const action = turn.state.pendingAction?.action;
  if (action === undefined || action.action === 'done') return '';
  const log = `actions/${action.actionId}/command.log`;
  return turn.files.facts(log).kind === 'file' ? `; log: ${absolutePath(turn.place, turn.state.name, log)}` : '';
}

function defer(turn: Turn, id: string): void {
  const { deferred } = engineOf(turn);
  if (!deferred.includes(id)) deferred.push(id);
}

function commitVerdict(
  turn: Turn,
  todo: string | null,
  { outcome, reason = 'refused', head = false }: CommitEnding,
  logged: string,
): Verdict {
  switch (outcome) {
    case 'made':
    case 'found':
      return { kind: 'pass' };
    case 'nothing':
    case 'no-repository':
      return { kind: 'skipped' };
    case 'deferred':
      defer(turn, todo ?? RESIDUAL);
      engineOf(turn).waits = { why: foreignLine(reason, 500), head };
      return { kind: 'deferred' };
    case 'refused': {
      const why = wholeLine(`the commit was refused: ${reason}${logged}`);
      return todo === null ? { kind: 'fail', why } : triaged(turn, todo, { failed: [why] });
    }
    case 'impossible': {
      const why = wholeLine(`git cannot commit: ${reason}${logged}`);
      return todo === null ? { kind: 'fail', why } : triaged(turn, todo, { environment: why });
    }
  }
}
