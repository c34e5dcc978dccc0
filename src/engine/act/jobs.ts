import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { isRecord } from '../../base/json.js';
import { fillPlaceholders } from '../../blocks/values/values.js';
import { toBoundedLine, toWholeLine } from '../../documents/foreign.js';
import { REQUEST_TITLE } from '../../documents/request-text.js';
import { askCommand, REQUEST_BODY_FILE, REQUEST_STEPS, withdrawCommands } from '../../jobs/job.js';
import type { PendingAction } from '../../run/action.js';
import type { EngineJob, QueuedCommand } from '../../run/engine.js';
import type { CommandEvidence } from '../../run/engine-rows.js';
import { displayPath } from '../../run/paths.js';
import { setPendingAction } from '../../run/pending-action.js';
import { findNamedIssue } from '../../run/request.js';
import type { Transaction } from '../../run/transaction.js';
import type { EngineEffect } from '../core/events.js';
import { renderRequestText } from '../view/report.js';
import { buildCommitMessage, getCommitKey } from './commits/message.js';
import { addOpenIssue } from './notes.js';
import { getTodoBody, requireEngine } from './plan/plan.js';
import { getHandler, renderTodoProgress } from './prompts/dispatch.js';
import { getRequest } from './prompts/parts.js';
import {
  getCommandDirectory,
  getCommandKey,
  listFinalCommands,
  listTodoCommands,
  listUnresolvableCommands,
  renderExpectation,
} from './results/commands.js';
import { changeTodo, getTodoRow } from './todo-rows.js';

/**
 * The jobs of an execution: work that dev-cli itself does outside the transaction (jobs/job.ts). At most one exists, in
 * `state.engine.job`, and a `running` action waits for it. A job of several commands runs them in turn, each under an
 * action of its own. `recordCommandResult` (results/evidence.ts), `recordCommitResult` (commits/commit-job.ts) or
 * `recordPullRequestResult` (request-job.ts) records the result and returns the event for the engine.
 */

type Work = Extract<EngineEffect, { type: 'work' }>;

/** Starts the job of a stage that cannot be done inside the transaction (engine.md, Stages). */
export function startJob(tx: Transaction, block: string, { todo, stage, part }: Work): void {
  const engine = requireEngine(tx);
  switch (stage) {
    case 'commit':
    case 'residualCommit': {
      const key = getCommitKey(tx, todo);
      engine.job = { kind: 'commit', todo, stage, key, message: buildCommitMessage(tx, todo), startedAt: tx.at };
      break;
    }
    case 'stateBegin':
    case 'stateComplete': {
      const texts = stage === 'stateBegin' ? {} : prepareHandIn(tx);
      engine.job = { kind: 'pull-request', todo: null, stage, startedAt: tx.at, ...texts };
      break;
    }
    default: {
      const queue = buildQueue(tx, todo, stage, part);
      const actionId = `a${tx.state.lastAction + 1}`;
      engine.job = { kind: 'commands', todo, stage, ...omitUndefined({ part }), actionId, queue };
      if (todo === null) engine.evidence = [];
      else keepEvidence(tx, todo, part, queue);
    }
  }
  setPendingRunning(tx, block, engine.job);
}

/** Prepares the hand-in of the pull request. Its text is rendered now, to describe the run as it is now. */
function prepareHandIn(tx: Transaction): { title?: string; issue?: string } {
  const title = readTitle(tx);
  tx.files.write(`actions/a${tx.state.lastAction + 1}/${REQUEST_BODY_FILE}`, renderRequestText(tx));
  return omitUndefined({
    title: title === '' ? undefined : title,
    issue: findNamedIssue(getRequest(tx), tx.state.pullRequest?.url) ?? undefined,
  });
}

/** Reads the title from pr.json, which the agent wrote before the work began and a person may have edited since. */
function readTitle({ files }: Transaction): string {
  try {
    const text: unknown = JSON.parse(files.text('pr.json') ?? '');
    return isRecord(text) && typeof text['title'] === 'string' ? toBoundedLine(text['title'], REQUEST_TITLE) : '';
  } catch {
    return '';
  }
}

/**
 * When a job begins, drops from the todo's evidence what the job will produce again, and what an earlier attempt left
 * if the job runs the todo's own commands. Keeps the rest.
 */
function keepEvidence(tx: Transaction, todo: string, part: Work['part'], queue: readonly QueuedCommand[]): void {
  const engine = requireEngine(tx);
  const { attempt, evidence = [] } = getTodoRow(engine, todo);
  const again = new Set(queue.map(({ id }) => id));
  if (part === 'commands') for (const { id } of getTodoBody(tx, todo).acceptance) again.add(id);
  const isValid = (known: CommandEvidence) =>
    !again.has(known.id) && (part !== 'commands' || known.attempt === attempt);
  changeTodo(engine, todo, { evidence: evidence.filter(isValid) });
}

function buildQueue(tx: Transaction, todo: string | null, stage: string, part: Work['part']): QueuedCommand[] {
  if (todo === null) {
    for (const { todo: of, id, unknown } of listUnresolvableCommands(tx)) {
      addOpenIssue(tx, toWholeLine(`${of} ${id}: not run at the end, nobody reported ${unknown.join(', ')}`));
    }
    return listFinalCommands(tx);
  }
  if (stage === 'verify' && part === 'commands') return listTodoCommands(tx, getTodoBody(tx, todo));
  const { command } = getHandler(tx, stage);
  if (command === undefined) throw new DevCliError('INTERNAL', `The handler of ${stage} has no command.`);
  const { currentBlock } = tx.state;
  const argv = command.argv.map((word) => fillPlaceholders(tx, word, currentBlock));
  return [
    {
      id: stage,
      todo,
      argv: command.shell ? ['sh', '-c', ...argv] : argv,
      cwd: fillPlaceholders(tx, command.cwd, currentBlock),
      timeout: command.timeout,
      exitCode: 0,
    },
  ];
}

/** Makes the job, or its next command, the pending action under a new id, and records that it starts. */
export function setPendingRunning(tx: Transaction, block: string, job: EngineJob): void {
  const { state, place } = tx;
  state.lastAction += 1;
  const actionId = `a${state.lastAction}`;
  const command = job.kind === 'commands' ? job.queue[0] : undefined;
  const shown = command ?? { todo: job.todo, id: job.stage, argv: [job.kind] };
  const isHandIn = job.kind === 'pull-request' && job.stage === 'stateComplete';
  const logs =
    job.kind === 'commands' && command !== undefined
      ? getCommandDirectory(job, command)
      : `actions/${actionId}${isHandIn ? `/${REQUEST_STEPS[0]}` : ''}`;
  const action: PendingAction = {
    run: state.name,
    block,
    actionId,
    progress: renderTodoProgress(requireEngine(tx)),
    action: 'running',
    instruction: 'dev-cli does this itself and keeps it alive. Run the poll each time it is printed.',
    commands: [
      {
        todoId: shown.todo,
        id: shown.id,
        run: shown.argv,
        startedAt: tx.at,
        log: displayPath(place, state.name, `${logs}/command.log`),
      },
    ],
    poll: { command: 'next', input: { name: state.name, wait: tx.pollWait } },
  };
  setPendingAction(tx, action, {}, 'job');
  if (job.kind !== 'commands' || command === undefined) return;
  const { todo: todoId, id, argv, cwd, timeout } = command;
  const key = getCommandKey(tx, job, command);
  const directory = getCommandDirectory(job, command);
  const what = { key, actionId, block, argv, shell: false, cwd, timeout, ...renderExpectation(command), directory };
  askCommand(tx, what, { todoId, id });
}

/**
 * Closes the pending `running` action, so that a late acknowledgement of it counts as a duplicate.
 * @returns the action's block
 * @throws DevCliError `INTERNAL` if no such action is pending
 */
export function closeRunningAction(tx: Transaction): string {
  const action = tx.state.pendingAction;
  if (action?.action !== 'running') throw new DevCliError('INTERNAL', 'No job is running.');
  withdrawCommands(tx, action.actionId);
  tx.state.acknowledged[action.actionId] = { block: action.block };
  return action.block;
}

/**
 * Returns the running job of this kind.
 * @throws DevCliError `INTERNAL` if there is none
 */
export function requireJob<K extends EngineJob['kind']>(tx: Transaction, kind: K) {
  const engine = requireEngine(tx);
  const { job } = engine;
  if (job === null || job.kind !== kind) throw new DevCliError('INTERNAL', `No ${kind} job is running.`);
  return { engine, job: job as Extract<EngineJob, { kind: K }> };
}
