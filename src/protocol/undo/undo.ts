import type { Answer } from '../../base/answer.js';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import { canonicalJson } from '../../base/json.js';
import { renderCount } from '../../base/words.js';
import { toBoundedLine, toWholeLine } from '../../documents/foreign.js';
import { recordTurningPoint } from '../../engine/act/notes.js';
import { requireEngine } from '../../engine/act/plan/plan.js';
import { changeTodo } from '../../engine/act/todo-rows.js';
import { untickTodos } from '../../engine/act/wrap-up.js';
import { getWorkTree, type Job } from '../../jobs/job.js';
import type { InputOf } from '../../registry/catalogue.js';
import { type Context, getDeadline } from '../../run/context.js';
import { transact } from '../../run/transact.js';
import { recordEntry, type Transaction } from '../../run/transaction.js';
import { toIoError } from '../../store/io.js';
import { lock } from '../../store/lock.js';
import { identifyProcess } from '../../store/process.js';
import { renderEnvelope } from '../../views/action.js';
import type { CallResult } from '../../views/action-text.js';
import { findUndoStore, makeUndoCommit } from '../../work/make-undo.js';
import { isPushed } from '../../work/undo.js';
import { reopenTodos } from '../control/invalidate.js';
import { mergeResults, startResult } from '../envelope.js';
import { findRun, readRun } from '../find/find-run.js';
import { runPendingJobs, stopJobs } from '../settle.js';
import { renderContinuation, requireTerminal, toPersonContext } from '../trust/person.js';
import { requirePlace } from '../trust/place.js';
import { listCounted, lookAtUndo, type UndoFindings } from './look.js';
import { findWork, requireUnended, resolveUndo, type UndoTarget } from './target.js';

/** Milliseconds for which a call waits for another undo to finish, the same as for any lock. */
const LOCK_WAIT = 10_000;

type UndoInput = Omit<InputOf<'step undo'>, 'name'>;

/**
 * `step undo`: reverts the commits of todos in one commit, and has these todos and their dependents done again
 * (control.md, Undoing). A person must confirm. Repeating an interrupted call is safe, because the repeated call finds
 * the earlier commit by its trailer.
 * @param given the run's name, if any
 * @throws DevCliError `TERMINAL_REQUIRED`, `UNKNOWN_CHOICE` if the person did not say yes, `UNDO_IMPOSSIBLE`,
 * `UNDO_CONFLICT`, `INPUT_CHANGED` if the commits to be reverted changed while the person was asked, `RUN_BUSY`,
 * `RUN_ENDED`, `UNKNOWN_BLOCK`, `NOT_REACHED`, `RUN_UNTRUSTED`, `GIT_FAILED`
 */
export async function stepUndo(context: Context, given: unknown, input: UndoInput): Promise<Answer> {
  const name = await findRun(context, given, true);
  const { dryRun = false } = input;
  const again: Invocation = { command: 'step undo', input: { ...input, name } };
  // Checked first, because the work tree of an ended run may be gone, and this refusal needs no person.
  requireUnended((await readRun(context, name)).snapshot);
  if (!dryRun) requireTerminal(context, again, name);
  const asked = dryRun
    ? await look(context, name, input)
    : await alone(context, name, () => look(context, name, input));
  if (dryRun) return renderDryRun(name, asked.shown);
  if (!asked.found.isDone) await askPerson(context, again, asked.shown);
  const caller = toPersonContext(context);
  const until = getDeadline(caller);
  const { shown, commit, result, abandoned } = await alone(caller, name, (store) =>
    undoAsShown(caller, name, { input, again, asked: asked.shown, store }),
  );
  await stopJobs(caller, name, abandoned);
  const later = await runPendingJobs(caller, name, until, null);
  const whole = mergeResults(result, later);
  const answer = renderEnvelope({ ...whole, status: 'undone' }, context);
  const told =
    whole.duplicate === true ? ['It was undone before; nothing changed.'] : [...renderLines(shown), 'Recorded.'];
  return {
    ...answer,
    json: { ...answer.json, undo: { ...shown, commit } },
    text: (format) => `${told.join('\n')} ${renderContinuation(name, whole.next?.action === 'held', format)}`,
  };
}

/** Runs `work` while holding the undo lock: two undos at once would change the same files and fail on git's locks. */
async function alone<T>(context: Context, name: string, work: (store: string) => Promise<T>): Promise<T> {
  const { snapshot } = await readRun(context, name);
  const store = await findUndoStore(getWorkTree(context, snapshot), { signal: context.signal });
  if (store === null) return work('');
  const path = `${store}.lock`;
  const { clock, ids } = context;
  const taker = { identity: identifyProcess(), clock, ids, purpose: 'step undo' };
  const held = await lock(path, taker, { waitMs: LOCK_WAIT, root: null }, () => {}).catch((error: unknown) => {
    throw toIoError(error, path, null);
  });
  try {
    return await work(store);
  } finally {
    held.release();
  }
}

interface Undone {
  shown: Shown;
  commit: string | null;
  result: CallResult;
  /** Jobs that the undo has withdrawn from the run but whose processes are still running; the caller must stop them. */
  abandoned: Job[];
}

async function undoAsShown(
  context: Context,
  name: string,
  { input, again, asked, store }: { input: UndoInput; again: Invocation; asked: Shown; store: string },
): Promise<Undone> {
  const { note } = input;
  // Examined again: the person may have taken minutes to answer, and what has changed in that time must not be
  // overwritten.
  const { runId, target, found, shown } = await look(context, name, input);
  const isUndone = found.commits.length === 0 && (found.isDone || found.unrecorded.size > 0);
  if (!isUndone) requireAsShown(again, asked, shown);
  const commit = await commitUndo(context, runId, target, { ...found, note, store });
  return transact(context, name, (tx): Undone => {
    // Meanwhile a call in another clone of the work tree may have found this call's commit and recorded the undo.
    const isRecorded = found.isDone || (found.isCounted && listCounted(tx.state, target).length === 0);
    if (isRecorded) return { shown, commit, result: { ...startResult(tx), duplicate: true }, abandoned: [] };
    const abandoned = recordUndo(tx, { target, found, commit, note });
    return { shown, commit, result: startResult(tx), abandoned };
  });
}

interface Look {
  runId: string;
  target: UndoTarget;
  found: UndoFindings;
  shown: Shown;
}

/** Examines the present run, repository and work tree. */
async function look(context: Context, name: string, input: UndoInput): Promise<Look> {
  const { todo, withDependents = false, note } = input;
  const { snapshot } = await readRun(context, name);
  await requirePlace(context, snapshot);
  const target = resolveUndo(snapshot, todo, withDependents);
  const busy = findWork(snapshot, target);
  const found = await lookAtUndo(context, snapshot, target, note).catch((error: unknown) => {
    throw busy ?? error;
  });
  // If the work is already reverted, the sources will not change, so running work does not matter.
  if (busy !== null && !found.isDone) throw busy;
  return { runId: snapshot.runId, target, found, shown: await describe(context, target, found) };
}

/** Requires that the undo still has the effect to which the person agreed. @throws DevCliError `INPUT_CHANGED` */
function requireAsShown(again: Invocation, asked: Shown, now: Shown): void {
  if (canonicalJson(asked) === canonicalJson(now)) return;
  throw new DevCliError('INPUT_CHANGED', 'The run or its repository has changed since the question was asked.', {
    ...omitUndefined({ run: again.input['name'] as string | undefined }),
    fix: ['Nothing was reverted. Repeat the command, which asks again: ', again],
  });
}

/** Makes the commit, or returns one that an interrupted call made; null if there is nothing to commit. */
async function commitUndo(
  context: Context,
  runId: string,
  { undone }: UndoTarget,
  { top, signs, commits, plan, unrecorded, note, store }: UndoFindings & { note: string | undefined; store: string },
): Promise<string | null> {
  if (plan.paths.length === 0) return [...unrecorded.values()][0] ?? null;
  const made = undone.filter((todo) => commits.some(({ todos }) => todos.includes(todo)));
  const keys = made.map((todo) => `${runId}/${todo}`);
  const why = note === undefined ? null : toWholeLine(note);
  return makeUndoCommit(top, plan, { commits, keys, signs, note: why, store }, { signal: context.signal });
}

/** Records the revert, and has the todos done again. @returns the withdrawn jobs, which are still running */
function recordUndo(
  tx: Transaction,
  {
    target,
    found,
    commit,
    note,
  }: { target: UndoTarget; found: UndoFindings; commit: string | null; note: string | undefined },
): Job[] {
  const engine = requireEngine(tx);
  const todos = target.undone.filter((todo) => engine.todos[todo]?.commit !== undefined || target.named.includes(todo));
  const shas = found.commits.map(({ sha }) => sha);
  recordEntry(tx, 'undone', { block: tx.state.currentBlock ?? '', todos, commits: shas, commit });
  const by = commit === null ? 'had been reverted before' : `reverted by ${commit.slice(0, 7)}`;
  recordTurningPoint(tx, 'undone', `${todos.join(', ')}: ${by}`);
  for (const todo of todos) {
    const undone = found.commits.filter((made) => made.todos.includes(todo)).map(({ sha }) => sha);
    const gone = { commit: undefined, committed: undefined, baseline: undefined, charged: undefined };
    changeTodo(engine, todo, { ...gone, undone: undone.length === 0 ? undefined : undone });
  }
  untickTodos(tx, new Set(todos));
  const begun = todos.filter((todo) => engine.todos[todo]?.attempt !== 0);
  return reopenTodos(tx, begun, note);
}

interface Shown {
  todos: string[];
  commits: { todo: string; commit: string; subject: string; pushed: boolean }[];
  paths: string[];
  reopened: string[];
}

async function describe(context: Context, target: UndoTarget, { top, commits, plan }: UndoFindings): Promise<Shown> {
  const rows = commits.map(async ({ sha, subject, todos }) => ({
    todo: todos.join(','),
    commit: sha,
    subject: toBoundedLine(subject, 200),
    pushed: await isPushed(top, sha, { signal: context.signal }),
  }));
  return { todos: target.undone, commits: await Promise.all(rows), paths: plan.paths, reopened: target.reopened };
}

function renderLines({ commits, paths, reopened }: Shown): string[] {
  return [
    ...commits.map(
      ({ todo, commit, subject, pushed }) =>
        `  ${commit.slice(0, 7)}  ${todo}  ${subject}${pushed ? '  (already pushed: push the revert, too)' : ''}`,
    ),
    ...(paths.length === 0
      ? ['  HEAD no longer contains any of it: no commit will be made']
      : [`  changes ${renderCount(paths.length, 'file')}: ${toBoundedLine(paths.join(', '), 500)}`]),
    `  done again: ${reopened.join(', ')}`,
  ];
}

function renderDryRun(name: string, shown: Shown): Answer {
  return {
    exit: 0,
    json: { ok: true, run: name, status: 'judged', undo: shown },
    text: () => ['Would be reverted:', ...renderLines(shown)].join('\n'),
  };
}

async function askPerson(context: Context, again: Invocation, shown: Shown): Promise<void> {
  const lines = ['Commits to be reverted, in one commit:', ...renderLines(shown), 'Type yes to revert them: '];
  if (/^yes$/i.test(await context.ask(lines.join('\n')))) return;
  throw new DevCliError('UNKNOWN_CHOICE', 'The undo was not confirmed.', {
    ...omitUndefined({ run: again.input['name'] as string | undefined }),
    fix: 'Nothing changed.',
    answer: again,
  });
}
