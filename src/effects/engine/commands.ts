import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import type { PlanAcceptance, PlanContent, PlanTodo } from '../../documents/plan-schema.js';
import type { EngineJob } from '../../run/engine.js';
import type { Turn } from '../turn.js';
import { engineOf, wholePlan } from './plan.js';
import { substituted } from './values.js';

/** The acceptance commands of a plan: their list, which somebody approves, and what of it is to be run. */

export type CommandAcceptance = Extract<PlanAcceptance, { kind: 'command' }>;
export type CommandsJob = Extract<EngineJob, { kind: 'commands' }>;
export type QueuedCommand = CommandsJob['queue'][number];

/** Seconds a command may take when the plan does not say. */
const DEFAULT_TIMEOUT = 300;

export function isCommand(item: PlanAcceptance): item is CommandAcceptance {
  return item.kind === 'command';
}

/** Every command of a plan, each once, as the argument vector and where it runs. */
export function commandList({ todos }: Pick<PlanContent, 'todos'>): { run: string[]; cwd: string }[] {
  const known = new Map<string, { run: string[]; cwd: string }>();
  for (const todo of todos) {
    for (const { run, cwd = '.' } of todo.acceptance.filter(isCommand)) {
      known.set(canonicalJson([run, cwd]), { run, cwd });
    }
  }
  return [...known.values()];
}

/** By which an approval of a list of commands is known again. The order of the plan does not matter. */
export function commandsDigest(commands: { run: string[]; cwd: string }[]): string {
  return sha256(canonicalJson(commands.map((command) => canonicalJson(command)).sort()));
}

/** The commands of a todo as they are run, with the values of other todos filled in. */
export function todoCommands(turn: Turn, todo: PlanTodo): QueuedCommand[] {
  return todo.acceptance.filter(isCommand).map((item) => queued(turn, todo.id, item));
}

/** All commands of the plan on the final tree, each argument vector once (engine.md, final-verify). */
export function allCommands(turn: Turn): QueuedCommand[] {
  const known = new Map<string, QueuedCommand>();
  for (const todo of wholePlan(turn).todos) {
    for (const item of todo.acceptance.filter(isCommand)) {
      const command = queued(turn, todo.id, item);
      const { id: _, todo: _todo, ...what } = command;
      if (!known.has(canonicalJson(what))) known.set(canonicalJson(what), command);
    }
  }
  return [...known.values()];
}

function queued(turn: Turn, todo: string, { id, run, cwd = '.', timeout, expect }: CommandAcceptance): QueuedCommand {
  const { outputs } = engineOf(turn);
  return {
    id,
    todo,
    argv: run.map((word) => substituted(outputs, word)),
    cwd,
    timeout: timeout ?? DEFAULT_TIMEOUT,
    exitCode: expect?.exitCode ?? 0,
    ...(expect?.stdoutContains === undefined ? {} : { stdoutContains: expect.stdoutContains }),
  };
}

/** Where one command of a job has its log and its records, relative to the run's directory. */
export function commandDirectory(job: CommandsJob, { id, todo }: QueuedCommand): string {
  return `actions/${job.actionId}/${job.todo === null && todo !== null ? `${todo}-${id}` : id}`;
}

/** Ties the started and the finished entry of a command together. */
export function commandKey(turn: Turn, job: CommandsJob, command: QueuedCommand): string {
  return `${turn.state.runId}:${commandDirectory(job, command).slice('actions/'.length)}`;
}
