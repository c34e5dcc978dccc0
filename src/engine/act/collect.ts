import { type Detail, DevCliError } from '../../base/errors.js';
import type { AckInput, AckResult, Collected } from '../../blocks/acknowledgement.js';
import { stale } from '../../blocks/pending.js';
import { wholeLine } from '../../documents/foreign.js';
import type { JudgedResult } from '../../documents/judge-result.js';
import type { EngineDispatchAction } from '../../run/action.js';
import type { TaskState } from '../../run/engine.js';
import { record, type Turn } from '../../run/turn.js';
import type { EngineEvent, Verdict } from '../core/events.js';
import { resultPath } from './dispatch.js';
import { noteListed, unlistedBy } from './listed.js';
import { triaged, verdictOf } from './outcomes.js';
import { engineOf } from './plan.js';
import {
  dispatchCannotFail,
  faultsOf,
  incomplete,
  invalid,
  type Judged,
  lineOf,
  missing,
  nothingTaken,
  type Out,
  oneTask,
  REFUSALS,
} from './refusals.js';
import { type FoundResult, foundResult } from './results.js';
import { chargeStray } from './stray.js';

/** Paths named at most that a result leaves out. */
const UNLISTED_SHOWN = 20;

/** What an acknowledgement came to, and what the engine is to take for it: read lazily, while the engine goes on. */
export interface Taken {
  result: AckResult;
  events?: Iterable<EngineEvent>;
}

type Good = Out & Extract<FoundResult, { kind: 'good' }>;

/** A task that has come to nothing. */
type Lost = Out & { reason: string };

/**
 * Acknowledges while tasks of an execution are out: one of them, or by `--collect` every one whose result is there
 * (protocol.md §3).
 * @throws DevCliError `STALE_ACTION`, `EVIDENCE_MISSING`, `DATA_MISSING`, `DATA_UNEXPECTED`, `USAGE`
 */
export function acknowledgeTasks(turn: Turn, dispatch: EngineDispatchAction, input: AckInput): Taken {
  const { tasks } = engineOf(turn);
  const id = input.action ?? (input.step === undefined ? undefined : dispatch.actionId);
  if (id === undefined || (input.action !== undefined && input.step !== undefined)) {
    throw new DevCliError('USAGE', 'Say which action: --action, as the dispatch names it.');
  }
  const task = Object.hasOwn(tasks, id) ? tasks[id] : undefined;
  if (task !== undefined) {
    if (input.collect === true) throw oneTask(turn);
    return input.fail === true
      ? failTask(turn, dispatch, { actionId: id, task }, input.reason)
      : takeOne(turn, dispatch, { actionId: id, task });
  }
  if (id !== dispatch.actionId) {
    if (Object.hasOwn(turn.state.acknowledged, id)) return { result: { kind: 'duplicate' } };
    throw stale(turn, `The action ${JSON.stringify(id.slice(0, 40))} is none of those that are out.`);
  }
  if (input.fail === true) throw dispatchCannotFail(turn);
  return collect(turn, dispatch);
}

function takeOne(turn: Turn, dispatch: EngineDispatchAction, out: Out): Taken {
  const found = judgedResult(turn, out);
  const block = out.task.todoId === null ? out.task.substep : `${out.task.todoId}/${out.task.substep}`;
  switch (found.kind) {
    case 'absent':
      throw missing(turn, out, found.problem);
    case 'good':
      return { result: { kind: 'completed', block }, events: settle(turn, dispatch, [{ ...out, ...found }], []) };
    case 'unlisted':
      askForPaths(turn, out, found.problems);
      return { result: { kind: 'refused', error: incomplete(turn, out, found.problems) } };
    case 'refused': {
      const lost = refuse(turn, out, found);
      if (lost === null) return { result: { kind: 'refused', error: invalid(turn, out, found.problems) } };
      return { result: { kind: 'failed' }, events: settle(turn, dispatch, [], [lost]) };
    }
  }
}

/** Good results are taken together, in the order of the plan; the others stay out, each with what is wrong. */
function collect(turn: Turn, dispatch: EngineDispatchAction): Taken {
  const { tasks, order } = engineOf(turn);
  const outs = Object.entries(tasks).map(([actionId, task]): Out => ({ actionId, task }));
  const place = new Map(order.map((id, index) => [id, index]));
  const rank = ({ task }: Out) => (task.todoId === null ? order.length : (place.get(task.todoId) ?? 0));
  const found = outs.sort((a, b) => rank(a) - rank(b)).map((out) => ({ out, result: judgedResult(turn, out) }));
  const good = found.flatMap(({ out, result }): Good[] => (result.kind === 'good' ? [{ ...out, ...result }] : []));
  const lost: Lost[] = [];
  const collected: Collected[] = [];
  const details: Detail[] = [];
  for (const { out, result } of found) {
    const row = { actionId: out.actionId, todoId: out.task.todoId };
    if (result.kind === 'good') {
      collected.push({ ...row, ok: true });
      continue;
    }
    const error = result.kind === 'absent' ? result.problem : firstOf(result.problems);
    collected.push({ ...row, ok: false, error });
    details.push(...faultsOf(turn, out, result));
    if (result.kind === 'absent') continue;
    if (result.kind === 'unlisted') {
      askForPaths(turn, out, result.problems);
      continue;
    }
    // Asking again for others must not use up the patience with one that is being mended.
    if (good.length > 0 && out.task.refused === result.sha256) continue;
    const gone = refuse(turn, out, result);
    if (gone !== null) lost.push(gone);
  }
  if (good.length + lost.length === 0) {
    const error = nothingTaken(turn, details, new Set(found.map(({ result }) => result.kind)));
    return { result: { kind: 'refused', error } };
  }
  return { result: { kind: 'collected', collected }, events: settle(turn, dispatch, good, lost) };
}

/**
 * The result of a task, and whether it lists what changed inside the files of its todo: that is asked for once, and what it
 * says then is taken as it is (engine.md, Commits).
 */
function judgedResult(turn: Turn, { actionId, task }: Out): Judged {
  const found = foundResult(turn, actionId, task);
  if (found.kind !== 'good' || found.judged.kind !== 'worker' || task.todoId === null) return found;
  const { result } = found.judged;
  if (result.status !== 'DONE' || result.notMine !== undefined || task.askedForPaths === true) return found;
  const unlisted = unlistedBy(turn, task.todoId, result);
  if (unlisted.length === 0) return found;
  const problems = unlisted.slice(0, UNLISTED_SHOWN).map((path) => ({
    pointer: '/filesChanged',
    problem: `${wholeLine(JSON.stringify(path))} changed since the todo began and stands neither here nor in notMine`,
  }));
  const more = unlisted.length - problems.length;
  const rest = { pointer: '/filesChanged', problem: `and ${more} more; \`dev-cli check\` names them` };
  return { kind: 'unlisted', problems: more > 0 ? [...problems, rest] : problems };
}

/** Remembers that the paths were asked for: no malformed result, and no attempt is spent on it. */
function askForPaths(turn: Turn, out: Out, problems: readonly Detail[]): void {
  const { task } = out;
  task.askedForPaths = true;
  const told = problems.slice(0, 10).map(lineOf);
  record(turn, 'result-refused', { ...taskPart(out), times: task.malformed, problems: told });
}

/** Counts a result that does not fit; the fourth in a row is the end of the attempt (engine.md, Results). */
function refuse(turn: Turn, out: Out, { problems, sha256 }: Extract<FoundResult, { kind: 'refused' }>): Lost | null {
  const { task, actionId } = out;
  task.malformed += 1;
  task.refused = sha256;
  const told = problems.slice(0, 10).map(lineOf);
  record(turn, 'result-refused', { ...taskPart(out), times: task.malformed, problems: told });
  if (task.malformed < REFUSALS) return null;
  turn.files.keep(resultPath(actionId));
  return { ...out, reason: `${REFUSALS} results in a row that do not fit: ${told[0] ?? ''}` };
}

/** `step fail`: the agent cannot; triage decides what follows. */
function failTask(turn: Turn, dispatch: EngineDispatchAction, out: Out, reason: string | undefined): Taken {
  if (reason === undefined || reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'A failure needs a reason.', {
      fix: 'Give it with --reason TEXT, or --reason - on standard input.',
    });
  }
  return { result: { kind: 'failed' }, events: settle(turn, dispatch, [], [{ ...out, reason }]) };
}

/** Takes tasks back, good and lost; gives what they came to for the engine. */
function settle(
  turn: Turn,
  dispatch: EngineDispatchAction,
  good: readonly Good[],
  lost: readonly Lost[],
): Iterable<EngineEvent> {
  const engine = engineOf(turn);
  turn.state.acknowledged[dispatch.actionId] = dispatch.block;
  for (const { actionId, task } of [...good, ...lost]) {
    delete engine.tasks[actionId];
    turn.state.acknowledged[actionId] = task.todoId === null ? dispatch.block : `${dispatch.block}/${task.todoId}`;
  }
  for (const one of good) noteResult(turn, one);
  for (const { reason, ...out } of lost)
    record(turn, 'task-failed', { ...taskPart(out), reason: reason.slice(0, 1000) });
  const worked = [...good, ...lost].some(({ task }) => task.substep === 'worker');
  if (worked && !Object.values(engine.tasks).some(({ substep }) => substep === 'worker')) chargeStray(turn);
  return outcomes(turn, good, lost);
}

/** One after the other: what follows from a finding depends on what the ones before it led to. */
function* outcomes(turn: Turn, good: readonly Good[], lost: readonly Lost[]): Generator<EngineEvent> {
  for (const { task, judged } of good) yield outcome(task, verdictOf(turn, task, judged));
  for (const { task, reason } of lost) {
    const why = wholeLine(`${task.substep}: ${reason}`);
    const verdict: Verdict =
      task.todoId === null ? { kind: 'fail', why } : triaged(turn, task.todoId, { failed: [why] });
    yield outcome(task, verdict);
  }
}

function outcome({ todoId, substep }: TaskState, verdict: Verdict): EngineEvent {
  return {
    type: 'OUTCOME',
    todo: todoId,
    stage: substep,
    ...(substep === 'verify' ? { part: 'judge' as const } : {}),
    verdict,
  };
}

function noteResult(turn: Turn, { actionId, task, judged, sha256 }: Good): void {
  const path = resultPath(actionId);
  turn.files.keep(path);
  if (judged.kind === 'worker' && task.todoId !== null) {
    noteListed(turn, task.todoId, judged.result);
    if (judged.result.status === 'DONE') engineOf(turn).reports[task.todoId] = judged.result;
  }
  record(turn, 'task-done', {
    ...taskPart({ actionId, task }),
    status: statusOf(judged),
    summary: judged.result.summary.slice(0, 300),
    evidence: { [path]: sha256 },
  });
}

function statusOf(judged: JudgedResult): string {
  return judged.kind === 'code-review' ? judged.result.verdict : judged.result.status;
}

function taskPart({ actionId, task: { todoId, substep, attempt } }: Out) {
  return { actionId, todoId, substep, attempt };
}

function firstOf(problems: readonly Detail[]): string {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${problems[0] === undefined ? 'does not hold up' : lineOf(problems[0])}${more}`;
}
