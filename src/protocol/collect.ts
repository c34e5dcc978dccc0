import { type Detail, DevCliError } from '../base/errors.js';
import type { Invocation } from '../base/invocation.js';
import { wholeLine } from '../documents/foreign.js';
import type { JudgedResult } from '../documents/judge-result.js';
import { resultPath } from '../engine/act/dispatch.js';
import { noteListed, unlistedBy } from '../engine/act/listed.js';
import { triaged, verdictOf } from '../engine/act/outcomes.js';
import { engineOf } from '../engine/act/plan.js';
import { type FoundResult, foundResult } from '../engine/act/results.js';
import { chargeStray } from '../engine/act/stray.js';
import type { EngineEvent, Verdict } from '../engine/core/events.js';
import type { EngineDispatchAction } from '../run/action.js';
import type { TaskState } from '../run/engine.js';
import { shownPath } from '../run/paths.js';
import { record, type Turn } from '../run/turn.js';
import type { AckInput, AckResult, Collected } from './acknowledgement.js';
import { advanceEngine } from './advance.js';
import { pendingPart, stale } from './identify.js';

/** Paths named at most that a result leaves out. */
const UNLISTED_SHOWN = 20;

/** Results refused in a row before the task counts as a failed attempt. */
const REFUSALS = 4;

/** A task that is out, by its action id. */
interface Out {
  actionId: string;
  task: TaskState;
}

/** What a result comes to at the collect; `unlisted`: it holds up, and leaves out paths that changed. */
type Judged = FoundResult | { kind: 'unlisted'; problems: Detail[] };
type Good = Out & Extract<FoundResult, { kind: 'good' }>;
/** A task that has come to nothing. */
type Lost = Out & { reason: string };

/**
 * Acknowledges while tasks of an execution are out: one of them, or by `--collect` every one whose result is there
 * (protocol.md §3).
 * @throws DevCliError `STALE_ACTION`, `EVIDENCE_MISSING`, `DATA_MISSING`, `DATA_UNEXPECTED`, `USAGE`
 */
export function acknowledgeTasks(turn: Turn, dispatch: EngineDispatchAction, input: AckInput): AckResult {
  const { tasks } = engineOf(turn);
  const id = input.action ?? (input.step === undefined ? undefined : dispatch.actionId);
  if (id === undefined || (input.action !== undefined && input.step !== undefined)) {
    throw new DevCliError('USAGE', 'Say which action: --action, as the dispatch names it.', pendingPart(turn));
  }
  const task = Object.hasOwn(tasks, id) ? tasks[id] : undefined;
  if (task !== undefined) {
    if (input.collect === true) throw oneTask(turn);
    return input.fail === true
      ? failTask(turn, dispatch, { actionId: id, task }, input.reason)
      : takeOne(turn, dispatch, { actionId: id, task });
  }
  if (id !== dispatch.actionId) {
    if (Object.hasOwn(turn.state.acknowledged, id)) return { kind: 'duplicate' };
    throw stale(turn, `The action ${JSON.stringify(id.slice(0, 40))} is none of those that are out.`);
  }
  if (input.fail === true) throw dispatchCannotFail(turn);
  return collect(turn, dispatch);
}

function oneTask(turn: Turn): DevCliError {
  return new DevCliError('DATA_UNEXPECTED', '--collect takes every result; this action is one task.', {
    fix: 'Leave --collect out, or run the ack of the dispatch.',
    ...pendingPart(turn),
  });
}

function takeOne(turn: Turn, dispatch: EngineDispatchAction, out: Out): AckResult {
  const found = judgedResult(turn, out);
  const block = out.task.todoId === null ? out.task.substep : `${out.task.todoId}/${out.task.substep}`;
  switch (found.kind) {
    case 'absent':
      throw missing(turn, out, found.problem);
    case 'good':
      settle(turn, dispatch, [{ ...out, ...found }], []);
      return { kind: 'completed', block };
    case 'unlisted':
      askForPaths(turn, out, found.problems);
      return { kind: 'refused', error: incomplete(turn, out, found.problems) };
    case 'refused': {
      const lost = refuse(turn, out, found);
      if (lost === null) return { kind: 'refused', error: invalid(turn, out, found.problems) };
      settle(turn, dispatch, [], [lost]);
      return { kind: 'failed' };
    }
  }
}

/** Good results are taken together, in the order of the plan; the others stay out, each with what is wrong. */
function collect(turn: Turn, dispatch: EngineDispatchAction): AckResult {
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
    return { kind: 'refused', error: nothingTaken(turn, details, new Set(found.map(({ result }) => result.kind))) };
  }
  settle(turn, dispatch, good, lost);
  return { kind: 'collected', collected };
}

/**
 * The result of a task, and whether it lists what changed inside the files of its todo: that is asked for once, and what it
 * says then is taken as it is (engine.md, commit; lessons 62).
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
function failTask(turn: Turn, dispatch: EngineDispatchAction, out: Out, reason: string | undefined): AckResult {
  if (reason === undefined || reason.trim() === '') {
    throw new DevCliError('DATA_MISSING', 'A failure needs a reason.', {
      fix: 'Give it with --reason TEXT, or --reason - on standard input.',
    });
  }
  settle(turn, dispatch, [], [{ ...out, reason }]);
  return { kind: 'failed' };
}

/** Takes tasks back, good and lost, and lets the engine go on with what they came to. */
function settle(turn: Turn, dispatch: EngineDispatchAction, good: readonly Good[], lost: readonly Lost[]): void {
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
  advanceEngine(turn, outcomes(turn, good, lost));
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

function missing(turn: Turn, out: Out, problem: string): DevCliError {
  const { actionId } = out;
  const path = shownResult(turn, actionId);
  return new DevCliError('EVIDENCE_MISSING', `The result of ${actionId} is not there: ${problem}.`, {
    run: turn.state.name,
    details: [{ target: path, problem }],
    fix: `Let the task's agent write ${path}, then repeat the acknowledgement. One that cannot: write why to the file that \`instead\` names, and run that.`,
    instead: failCommand(turn, actionId),
    pending: taskPending(turn, actionId),
  });
}

function invalid(turn: Turn, { actionId, task }: Out, problems: Detail[]): DevCliError {
  const path = shownResult(turn, actionId);
  return new DevCliError('SCHEMA_INVALID', `The result of ${actionId} does not hold up; nothing of it is taken.`, {
    run: turn.state.name,
    details: problems.slice(0, 40).map((problem) => ({ target: path, ...problem })),
    fix: `Let the task's agent mend ${path}, then repeat the acknowledgement. Refused ${task.malformed} of ${REFUSALS} times; the last is a failed attempt.`,
    pending: taskPending(turn, actionId),
  });
}

/** What is to be done about paths that a result leaves out. */
const COMPLETE =
  'Put each path into `filesChanged` (the work of the todo) or `notMine` (not its work), or let the agent do it; then repeat the acknowledgement, which takes the result as it is then and leaves uncommitted what it does not list.';

function incomplete(turn: Turn, { actionId }: Out, problems: Detail[]): DevCliError {
  const path = shownResult(turn, actionId);
  return new DevCliError('SCHEMA_INVALID', `The result of ${actionId} does not list all that changed.`, {
    run: turn.state.name,
    details: problems.map((problem) => ({ target: path, ...problem })),
    fix: COMPLETE,
    pending: taskPending(turn, actionId),
  });
}

function nothingTaken(turn: Turn, details: Detail[], kinds: ReadonlySet<Judged['kind']>): DevCliError {
  const wrong = kinds.has('refused') || kinds.has('unlisted');
  const mend =
    'Wait for the agents at work, and let them mend what is named; start one anew, with its promptFile, where nobody is at work on it. Then repeat the acknowledgement.';
  return new DevCliError(
    wrong ? 'SCHEMA_INVALID' : 'EVIDENCE_MISSING',
    wrong ? 'What is there does not hold up; nothing was taken.' : 'No result is there yet.',
    {
      run: turn.state.name,
      details: details.slice(0, 40),
      fix: kinds.has('unlisted') ? (kinds.has('refused') ? `${mend} ${COMPLETE}` : COMPLETE) : mend,
      ...pendingPart(turn),
    },
  );
}

/** What is wrong with the result of a task that stays out, each fault at its place. */
function faultsOf(turn: Turn, { actionId }: Out, result: Exclude<Judged, { kind: 'good' }>): Detail[] {
  const target = shownResult(turn, actionId);
  if (result.kind === 'absent') return [{ target, problem: result.problem }];
  return result.problems.map((problem) => ({ target, ...problem }));
}

function shownResult(turn: Turn, actionId: string): string {
  return shownPath(turn.place, turn.state.name, resultPath(actionId));
}

function taskPending(turn: Turn, actionId: string) {
  return { actionId, ack: { command: 'step complete', input: { name: turn.state.name, action: actionId } } };
}

function dispatchCannotFail(turn: Turn): DevCliError {
  const [first] = Object.keys(engineOf(turn).tasks);
  return new DevCliError('DATA_UNEXPECTED', 'A dispatch as a whole cannot fail; name the task that did.', {
    run: turn.state.name,
    ...(first === undefined ? {} : { fix: failCommand(turn, first) }),
    ...pendingPart(turn),
  });
}

function failCommand(turn: Turn, actionId: string): Invocation {
  const reason = `@${shownPath(turn.place, turn.state.name, `actions/${actionId}/reason.md`)}`;
  return { command: 'step fail', input: { name: turn.state.name, action: actionId, reason } };
}

function firstOf(problems: readonly Detail[]): string {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${problems[0] === undefined ? 'does not hold up' : lineOf(problems[0])}${more}`;
}

function lineOf({ pointer, problem, at }: Detail): string {
  return [pointer ?? at, problem]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
    .slice(0, 300);
}
