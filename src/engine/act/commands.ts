import { canonicalJson } from '../../base/json.js';
import { type CommandAcceptance, DEFAULT_TIMEOUT, isCommand } from '../../documents/plan-commands.js';
import type { PlanTodo } from '../../documents/plan-schema.js';
import type { EngineJob, QueuedCommand } from '../../run/engine.js';
import type { Turn } from '../../run/turn.js';
import { engineOf, wholePlan } from './plan.js';
import { substituted, unknownIn } from './values.js';

/** The acceptance commands of a plan that are to be run. */

export type CommandsJob = Extract<EngineJob, { kind: 'commands' }>;

/** The commands of a todo as they are run, with the values of other todos filled in. */
export function todoCommands(turn: Turn, todo: PlanTodo): QueuedCommand[] {
  return todo.acceptance.filter(isCommand).map((item) => queued(turn, todo.id, item));
}

/**
 * All commands of the plan on the final tree, each argument vector once (engine.md, Stages); but for those of todos
 * that were done before this run and build on a value that is not known any more.
 */
export function allCommands(turn: Turn): QueuedCommand[] {
  const known = new Map<string, QueuedCommand>();
  for (const todo of wholePlan(turn).todos) {
    for (const item of todo.acceptance.filter(isCommand)) {
      if (unknownIn(engineOf(turn).outputs, item.run).length > 0) continue;
      const command = queued(turn, todo.id, item);
      const { id: _, todo: _todo, ...what } = command;
      if (!known.has(canonicalJson(what))) known.set(canonicalJson(what), command);
    }
  }
  return [...known.values()];
}

/** The commands that allCommands leaves out, each with what is not known. */
export function unknowable(turn: Turn): { todo: string; id: string; unknown: string[] }[] {
  const { outputs } = engineOf(turn);
  return wholePlan(turn).todos.flatMap((todo) =>
    todo.acceptance
      .filter(isCommand)
      .map(({ id, run }) => ({ todo: todo.id, id, unknown: unknownIn(outputs, run) }))
      .filter(({ unknown }) => unknown.length > 0),
  );
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

/** What is wanted of a command, by which its result is known again; nothing where it is just exit 0. */
export function expectation({ exitCode, stdoutContains }: QueuedCommand): { expects?: string } {
  if (exitCode === 0 && stdoutContains === undefined) return {};
  return { expects: canonicalJson({ exitCode, ...(stdoutContains === undefined ? {} : { stdoutContains }) }) };
}

/** Where one command of a job has its log and its records, relative to the run's directory. */
export function commandDirectory(job: CommandsJob, { id, todo, again }: QueuedCommand): string {
  const place = `actions/${job.actionId}/${job.todo === null && todo !== null ? `${todo}-${id}` : id}`;
  return again === undefined ? place : `${place}/again-${again}`;
}

/** Ties the started and the finished entry of a command together. */
export function commandKey(turn: Turn, job: CommandsJob, command: QueuedCommand): string {
  return `${turn.state.runId}:${commandDirectory(job, command).slice('actions/'.length)}`;
}
