import { foreignLine, wholeLine } from '../../documents/foreign.js';
import type { EngineEvent, Verdict } from '../../machine/engine/events.js';
import type { LeftPath } from '../../work/commit.js';
import { absolutePath } from '../paths.js';
import { record, type Turn } from '../turn.js';
import { jobAtWork, settleRunning } from './job-at-work.js';
import { noteAudit } from './notes.js';
import { triaged } from './outcomes.js';
import { bodyOf, engineOf, planHead } from './plan.js';

/** Commits of an execution, inside a transaction: what they are to say, and what came of them (engine.md, commit). */

/** Stands for a todo in the key of the commit of all that remains. */
const RESIDUAL = 'residual';

/** By which a commit is known again, as its trailer says; null: the one of all that remains. */
export function commitKey(turn: Turn, todo: string | null): string {
  return `${turn.state.runId}/${todo ?? RESIDUAL}`;
}

/** The plan's message for the todo, else its title (documents.md, commits); null: for the commit of all that remains. */
export function commitMessage(turn: Turn, todo: string | null): string {
  if (todo === null) return `Remaining changes of ${turn.state.name}`;
  const stated = planHead(turn).commits?.find(({ afterTodo }) => afterTodo === todo)?.message;
  const lines = (stated ?? bodyOf(turn, todo).title).split('\n').map((line) => wholeLine(line));
  // Whoever reads the log reads it in a terminal.
  return lines.join('\n').trim() || todo;
}

/** What came of a commit. */
export interface CommitResult {
  /** `impossible`: git cannot commit at all, whatever there is to commit. */
  outcome: 'made' | 'found' | 'nothing' | 'deferred' | 'refused' | 'impossible' | 'no-repository';
  commit: string | null;
  paths: string[];
  left: LeftPath[];
  reason?: string;
}

/** The commit of the job is made, was found, or is not to be. */
export function commitDone(turn: Turn, result: CommitResult): EngineEvent {
  const { engine, job } = jobAtWork(turn, 'commit');
  const { outcome, commit, paths, left, reason } = result;
  const logged = loggedAt(turn);
  settleRunning(turn);
  engine.job = null;
  record(turn, 'committed', {
    key: job.key,
    todoId: job.todo,
    outcome,
    commit,
    paths,
    ...(reason === undefined ? {} : { reason: foreignLine(reason, 500) }),
  });
  if (left.length > 0) {
    const shown = left.slice(0, 10).map(({ path, why }) => `${path} (${why})`);
    engine.openIssues.push(foreignLine(`${job.todo ?? 'the rest'}: not committed: ${shown.join(', ')}`, 500));
  }
  if (commit !== null && job.todo !== null) noteCommit(turn, job.todo, commit);
  // The commit of what remains holds what could not be committed before.
  if (commit !== null && job.todo === null) {
    for (const todo of engine.deferred.filter((id) => id !== RESIDUAL)) deferredDone(turn, todo, commit, []);
  }
  return { type: 'OUTCOME', todo: job.todo, stage: job.stage, verdict: commitVerdict(turn, job.todo, result, logged) };
}

/** A commit that had to wait is made after all: its todo is as if it had been made at once. */
export function deferredDone(turn: Turn, todo: string, commit: string, paths: string[]): void {
  const engine = engineOf(turn);
  engine.deferred = engine.deferred.filter((id) => id !== todo);
  record(turn, 'committed', { key: commitKey(turn, todo), todoId: todo, outcome: 'made', commit, paths });
  noteCommit(turn, todo, commit);
  const row = engine.todos[todo];
  if (row === undefined) return;
  engine.todos[todo] = { ...row, substeps: { ...row.substeps, commit: { status: 'done', at: turn.at } } };
  for (const kept of [engine.baselines, engine.charged]) delete kept[todo];
}

/** Keeps the commit that holds a todo's work. */
function noteCommit(turn: Turn, todo: string, commit: string): void {
  const engine = engineOf(turn);
  const row = engine.todos[todo];
  if (row !== undefined) engine.todos[todo] = { ...row, commit };
  noteAudit(turn, todo, `commit ${commit}`);
}

/** Where git and the hooks said all that they said, as the end of a sentence; empty where no log was written. */
function loggedAt(turn: Turn): string {
  const action = turn.state.pendingAction?.action;
  if (action === undefined || action.action === 'done') return '';
  const log = `actions/${action.actionId}/command.log`;
  return turn.files.facts(log).kind === 'file' ? `; log: ${absolutePath(turn.place, turn.state.name, log)}` : '';
}

function commitVerdict(
  turn: Turn,
  todo: string | null,
  { outcome, reason = 'refused' }: CommitResult,
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
      engineOf(turn).deferred.push(todo ?? RESIDUAL);
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
