import { DevCliError } from '../../base/errors.js';
import { pend } from '../../blocks/pending.js';
import { filled } from '../../blocks/values.js';
import { wholeLine } from '../../documents/foreign.js';
import { isCommand } from '../../documents/plan-commands.js';
import { commandLine } from '../../documents/plan-text.js';
import type { PendingAction } from '../../run/action.js';
import type { EngineJob, Evidence } from '../../run/engine.js';
import { shownPath } from '../../run/paths.js';
import { record, type Turn } from '../../run/turn.js';
import type { EngineEffect, EngineEvent, Verdict } from '../core/events.js';
import {
  allCommands,
  type CommandsJob,
  commandDirectory,
  commandKey,
  expectation,
  type QueuedCommand,
  todoCommands,
  unknowable,
} from './commands.js';
import { commitKey, commitMessage } from './commit-words.js';
import { handlerOf, todoProgress } from './dispatch.js';
import { commandFixes } from './fixes.js';
import { jobAtWork, settleRunning } from './job-at-work.js';
import { fixesOrOpen, triaged } from './outcomes.js';
import { bodyOf, engineOf } from './plan.js';
import { completionJob, REQUEST_STEPS } from './request-job.js';

/**
 * What dev-cli does outside a transaction: one job at a time stands in `state.engine.job`, and the pending action is
 * `running`. Here are the two ends that lie inside a transaction; what lies between is protocol/jobs.ts.
 *
 * 1. `startJob` makes the job and records that its first command starts, as one of the run's `commands`. Only after that
 *    commit is anything launched.
 * 2. How it ended is committed by `commandDone` (one command of the queue: it shifts), `commitDone` of
 *    commit-job.ts or `pullRequestDone` of request-job.ts. Each gives the event for `advanceEngine(turn, event)` in protocol/walk/advance.ts, or null while the
 *    queue is not empty; then the next command is the one at work, its start recorded, under a new pending action.
 */

type Work = Extract<EngineEffect, { type: 'work' }>;

/** Makes a piece of work that needs the world the run's job (engine.md, handlers verify, commit, residual-commit, …). */
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

/** Of the evidence that a todo has when a job begins: all of it, but what its verification will find out anew. */
function stillCounts(turn: Turn, todo: string, part: Work['part']): (evidence: Evidence) => boolean {
  if (part !== 'commands') return () => true;
  const own = new Set(bodyOf(turn, todo).acceptance.map(({ id }) => id));
  const { attempt } = engineOf(turn).todos[todo] ?? {};
  return (evidence) => evidence.attempt === attempt && !own.has(evidence.id);
}

/**
 * One command of the job has ended: its evidence is kept, the queue goes on.
 * @returns the event when it was the last; null when the next one is now at work
 */
export function commandDone(turn: Turn, evidence: Evidence): EngineEvent | null {
  const { engine, job } = jobAtWork(turn, 'commands');
  const [command, ...queue] = job.queue;
  if (command === undefined) throw new DevCliError('INTERNAL', 'The job has no command at work.');
  engine.evidence[job.todo ?? ''] = [...(engine.evidence[job.todo ?? ''] ?? []), evidence];
  const block = settleCommand(turn, job, command, evidence);
  if (queue.length > 0) {
    engine.job = { ...job, queue };
    pendRunning(turn, block, engine.job);
    return null;
  }
  engine.job = null;
  const { todo, stage, part } = job;
  return { type: 'OUTCOME', todo, stage, ...(part === undefined ? {} : { part }), verdict: commandsVerdict(turn, job) };
}

/**
 * The command at work was interrupted, which proves nothing: it is run once more, in a directory of its own.
 * @param most how often it is run again
 * @returns false when it was run again often enough
 */
export function commandAgain(turn: Turn, outcome: string, most: number): boolean {
  const { engine, job } = jobAtWork(turn, 'commands');
  const [command, ...rest] = job.queue;
  if (command === undefined || (command.again ?? 0) >= most) return false;
  const log = `${commandDirectory(job, command)}/command.log`;
  const block = settleCommand(turn, job, command, { exit: null, outcome, log });
  engine.job = { ...job, queue: [{ ...command, again: (command.again ?? 0) + 1 }, ...rest] };
  pendRunning(turn, block, engine.job);
  return true;
}

/** What a person can do where commands are not let listen. */
const LOOPBACK =
  'the sandbox forbids listening on a port, which is no fault of the work: allow the loopback interface, or run the polls of dev-cli outside the sandbox, then reopen the run';

function commandsVerdict(turn: Turn, { todo, stage }: CommandsJob): Verdict {
  const engine = engineOf(turn);
  const evidence = engine.evidence[todo ?? ''] ?? [];
  const judged = todo === null || stage === 'verify' ? evidence : evidence.filter(({ id }) => id === stage);
  const red = judged.filter(({ ok }) => !ok);
  const told = red.map(({ id, argv, outcome }) => wholeLine(`${id} ${commandLine(argv)}: ${outcome}`));
  const unrunnable = red.findIndex((one) => one.unrunnable === true);
  const advice = red[unrunnable]?.forbidden === 'listen' ? `${LOOPBACK}; ` : '';
  const environment = unrunnable < 0 ? null : `${advice}${told[unrunnable] ?? ''}`;
  if (todo !== null) return triaged(turn, todo, { failed: told, environment });
  if (red.length === 0) return { kind: 'pass' };
  const why = `red on the final tree: ${advice}${told.join('; ')}`;
  if (environment !== null) return { kind: 'halt', why };
  return fixesOrOpen(turn, commandFixes(engine, red, acceptancesOf(turn, red)), told, why);
}

/** The acceptances behind evidence of the final verification, as the plan has them. */
function acceptancesOf(turn: Turn, red: readonly Evidence[]) {
  return red.flatMap(({ id, todo }) =>
    todo === undefined ? [] : bodyOf(turn, todo).acceptance.filter((item) => isCommand(item) && item.id === id),
  );
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
function pendRunning(turn: Turn, block: string, job: EngineJob): void {
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
  const expects = expectation(command);
  const started = { key, actionId, block, argv, shell: false, cwd, timeout, ...expects, directory, startedAt: turn.at };
  state.commands[actionId] = started;
  record(turn, 'command-started', { key, block, actionId, argv, shell: false, todoId, id });
}

/** Where the job's first log is written. */
function logDirectory(job: EngineJob, directory: string): string {
  const steps = job.kind === 'pull-request' && job.stage === 'stateComplete';
  return steps ? `${directory}/${REQUEST_STEPS[0]}` : directory;
}

/** The command at work has ended, and that it did is recorded. Gives the block. */
function settleCommand(
  turn: Turn,
  job: CommandsJob,
  command: QueuedCommand,
  { exit, outcome, log, reused }: Pick<Evidence, 'exit' | 'outcome' | 'log' | 'reused'>,
): string {
  const block = settleRunning(turn);
  record(turn, 'command-finished', {
    key: commandKey(turn, job, command),
    block,
    argv: command.argv,
    exit,
    outcome,
    log,
    todoId: command.todo,
    id: command.id,
    ...(reused === true ? { reused: true } : {}),
  });
  return block;
}
