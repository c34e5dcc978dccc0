import { DevCliError } from '../../base/errors.js';
import { isRecord } from '../../base/json.js';
import { pend } from '../../blocks/pending.js';
import { filled } from '../../blocks/values.js';
import { foreignLine, wholeLine } from '../../documents/foreign.js';
import { REQUEST_TITLE } from '../../documents/request-text.js';
import { askCommand, REQUEST_BODY_FILE, REQUEST_STEPS } from '../../jobs/job.js';
import type { PendingAction } from '../../run/action.js';
import type { EngineJob, Evidence, QueuedCommand } from '../../run/engine.js';
import { shownPath } from '../../run/paths.js';
import type { Turn } from '../../run/turn.js';
import type { EngineEffect } from '../core/events.js';
import { requestBody } from '../view/report.js';
import { allCommands, commandDirectory, commandKey, expectation, todoCommands, unknowable } from './commands.js';
import { commitKey, commitMessage } from './commit-words.js';
import { handlerOf, todoProgress } from './dispatch.js';
import { bodyOf, engineOf } from './plan.js';

/**
 * What an execution asks dev-cli to do outside the transaction (jobs/job.ts): one job at a time stands in `state.engine.job`,
 * and the pending action is `running`. A job of commands runs one after the other, each as one of the run's `commands`, under
 * an action of its own. How it ended is told by `commandDone` (evidence.ts), `commitDone` (commit-job.ts) or
 * `pullRequestDone` (request-job.ts); each gives the event that the engine takes.
 */

type Work = Extract<EngineEffect, { type: 'work' }>;

/** Makes a piece of work that needs the world the run's job (engine.md, Stages). */
export function startJob(turn: Turn, block: string, { todo, stage, part }: Work): void {
  const engine = engineOf(turn);
  switch (stage) {
    case 'commit':
    case 'residualCommit':
      engine.job = {
        kind: 'commit',
        todo,
        stage,
        key: commitKey(turn, todo),
        message: commitMessage(turn, todo),
        startedAt: turn.at,
      };
      break;
    case 'stateBegin':
      engine.job = { kind: 'pull-request', todo: null, stage, startedAt: turn.at };
      break;
    case 'stateComplete':
      engine.job = completionJob(turn);
      break;
    default: {
      const queue = queueOf(turn, todo, stage, part);
      engine.job = {
        kind: 'commands',
        todo,
        stage,
        ...(part === undefined ? {} : { part }),
        actionId: `a${turn.state.lastAction + 1}`,
        queue,
      };
      const kept = todo === null ? [] : (engine.evidence[todo] ?? []).filter(stillCounts(turn, todo, part));
      engine.evidence[todo ?? ''] = kept.filter(({ id }) => !queue.some((command) => command.id === id));
    }
  }
  pendRunning(turn, block, engine.job);
}

/** The job of the end. Its text is made here: it tells of the run as it stands now. */
function completionJob(turn: Turn): EngineJob {
  const title = titleOf(turn);
  turn.files.write(`actions/a${turn.state.lastAction + 1}/${REQUEST_BODY_FILE}`, requestBody(turn));
  return {
    kind: 'pull-request',
    todo: null,
    stage: 'stateComplete',
    startedAt: turn.at,
    ...(title === '' ? {} : { title }),
  };
}

/** As the agent described it before the work; a person may have changed pr.json since. */
function titleOf({ files }: Turn): string {
  try {
    const text: unknown = JSON.parse(files.text('pr.json') ?? '');
    return isRecord(text) && typeof text['title'] === 'string' ? foreignLine(text['title'], REQUEST_TITLE) : '';
  } catch {
    return '';
  }
}

/** Of the evidence that a todo has when a job begins: all of it, but what its verification will find out anew. */
function stillCounts(turn: Turn, todo: string, part: Work['part']): (evidence: Evidence) => boolean {
  if (part !== 'commands') return () => true;
  const own = new Set(bodyOf(turn, todo).acceptance.map(({ id }) => id));
  const { attempt } = engineOf(turn).todos[todo] ?? {};
  return (evidence) => evidence.attempt === attempt && !own.has(evidence.id);
}

function queueOf(turn: Turn, todo: string | null, stage: string, part: Work['part']): QueuedCommand[] {
  if (todo === null) {
    for (const { todo: of, id, unknown } of unknowable(turn)) {
      const line = wholeLine(`${of} ${id}: not run at the end, nobody reported ${unknown.join(', ')}`);
      const { openIssues } = engineOf(turn);
      if (!openIssues.includes(line)) openIssues.push(line);
    }
    return allCommands(turn);
  }
  if (stage === 'verify' && part === 'commands') return todoCommands(turn, bodyOf(turn, todo));
  const { command } = handlerOf(turn, stage);
  if (command === undefined) throw new DevCliError('INTERNAL', `The handler of ${stage} has no command.`);
  const { currentBlock } = turn.state;
  const argv = command.argv.map((word) => filled(turn, word, currentBlock));
  return [
    {
      id: stage,
      todo,
      argv: command.shell ? ['sh', '-c', ...argv] : argv,
      cwd: filled(turn, command.cwd, currentBlock),
      timeout: command.timeout,
      exitCode: 0,
    },
  ];
}

/** Makes the job's present command the pending action, under an id of its own, and records that it starts. */
export function pendRunning(turn: Turn, block: string, job: EngineJob): void {
  const { state, place } = turn;
  state.lastAction += 1;
  const actionId = `a${state.lastAction}`;
  const shown = (path: string) => shownPath(place, state.name, path);
  const command = job.kind === 'commands' ? job.queue[0] : undefined;
  const base = { run: state.name, block, actionId, progress: todoProgress(engineOf(turn)) };
  const action: PendingAction = {
    ...base,
    action: 'running',
    instruction: 'dev-cli does this itself and keeps it alive. Run the poll.',
    commands: [
      job.kind === 'commands' && command !== undefined
        ? {
            todoId: command.todo,
            id: command.id,
            run: command.argv,
            startedAt: turn.at,
            log: shown(`${commandDirectory(job, command)}/command.log`),
          }
        : {
            todoId: job.todo,
            id: job.stage,
            run: [job.kind],
            startedAt: turn.at,
            log: shown(`${logDirectory(job, `actions/${actionId}`)}/command.log`),
          },
    ],
    poll: { command: 'next', input: { name: state.name, wait: turn.pollWait } },
  };
  pend(turn, action, {}, 'job');
  if (job.kind !== 'commands' || command === undefined) return;
  const { todo: todoId, id, argv, cwd, timeout } = command;
  const key = commandKey(turn, job, command);
  const directory = commandDirectory(job, command);
  const what = { key, actionId, block, argv, shell: false, cwd, timeout, ...expectation(command), directory };
  askCommand(turn, what, { todoId, id });
}

/** Where the job's first log is written. */
function logDirectory(job: EngineJob, directory: string): string {
  const steps = job.kind === 'pull-request' && job.stage === 'stateComplete';
  return steps ? `${directory}/${REQUEST_STEPS[0]}` : directory;
}

/** The pending `running` action is over; a late acknowledgement of it is a duplicate. Gives its block. */
export function settleRunning(turn: Turn): string {
  const action = turn.state.pendingAction?.action;
  if (action?.action !== 'running') throw new DevCliError('INTERNAL', 'No job is at work.');
  delete turn.state.commands[action.actionId];
  turn.state.acknowledged[action.actionId] = action.block;
  return action.block;
}

/** The job of this kind that is at work. @throws DevCliError `INTERNAL` when there is none */
export function jobAtWork<K extends EngineJob['kind']>(turn: Turn, kind: K) {
  const engine = engineOf(turn);
  const { job } = engine;
  if (job === null || job.kind !== kind) throw new DevCliError('INTERNAL', `No ${kind} job is at work.`);
  return { engine, job: job as Extract<EngineJob, { kind: K }> };
}
