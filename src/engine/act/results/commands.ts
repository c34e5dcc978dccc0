import { omitUndefined } from '../../../base/defined.js';
import { canonicalJson } from '../../../base/json.js';
import { type CommandAcceptance, DEFAULT_TIMEOUT, isCommand } from '../../../plan/model/commands.js';
import type { PlanTodo } from '../../../plan/model/schema.js';
import type { EngineJob, QueuedCommand } from '../../../run/engine.js';
import type { Transaction } from '../../../run/transaction.js';
import { readWholePlan, requireEngine } from '../plan/plan.js';
import { listUnknownIn, substituteReferences } from '../values.js';

/** The acceptance commands of a plan, in the form in which they are run. */

/** The engine's job of running commands, one after another. */
export type CommandsJob = Extract<EngineJob, { kind: 'commands' }>;

/** Lists the commands of a todo, with references to other todos' outputs filled in. */
export function listTodoCommands(tx: Transaction, todo: PlanTodo): QueuedCommand[] {
  return todo.acceptance.filter(isCommand).map((item) => buildQueuedCommand(tx, todo.id, item));
}

/**
 * Lists the commands to run on the final tree: all commands of the plan, each once (engine.md, Stages), except commands
 * that need a value that no worker reported (`listUnresolvableCommands`).
 */
export function listFinalCommands(tx: Transaction): QueuedCommand[] {
  const known = new Map<string, QueuedCommand>();
  for (const todo of readWholePlan(tx).todos) {
    for (const item of todo.acceptance.filter(isCommand)) {
      if (listUnknownIn(requireEngine(tx).todos, item.run).length > 0) continue;
      const command = buildQueuedCommand(tx, todo.id, item);
      const what = digestCommand(command);
      if (!known.has(what)) known.set(what, command);
    }
  }
  return [...known.values()];
}

/**
 * Creates a function that finds, for an acceptance of a todo, the identical command among those of the final
 * verification. The result of that command proves the acceptance too.
 */
export function createFinalCommandFinder(
  tx: Transaction,
): (todo: string, item: CommandAcceptance) => Pick<QueuedCommand, 'todo' | 'id'> | undefined {
  const known = new Map(listFinalCommands(tx).map((command) => [digestCommand(command), command]));
  return (todo, item) => known.get(digestCommand(buildQueuedCommand(tx, todo, item)));
}

/** Identifies a command by what it runs, regardless of which acceptance it comes from. */
function digestCommand({ id: _, todo: _todo, ...what }: QueuedCommand): string {
  return canonicalJson(what);
}

/** Lists the commands that `listFinalCommands` leaves out, each with its references that have no value. */
export function listUnresolvableCommands(tx: Transaction): { todo: string; id: string; unknown: string[] }[] {
  const { todos } = requireEngine(tx);
  return readWholePlan(tx).todos.flatMap((todo) =>
    todo.acceptance
      .filter(isCommand)
      .map(({ id, run }) => ({ todo: todo.id, id, unknown: listUnknownIn(todos, run) }))
      .filter(({ unknown }) => unknown.length > 0),
  );
}

function buildQueuedCommand(
  tx: Transaction,
  todo: string,
  { id, run, cwd = '.', timeout, expect }: CommandAcceptance,
): QueuedCommand {
  const { todos } = requireEngine(tx);
  return {
    id,
    todo,
    argv: run.map((word) => substituteReferences(todos, word)),
    cwd,
    timeout: timeout ?? DEFAULT_TIMEOUT,
    exitCode: copyExitCodes(expect?.exitCode ?? 0),
    ...omitUndefined({ stdoutContains: expect?.stdoutContains, stdoutLacks: expect?.stdoutLacks }),
  };
}

function copyExitCodes(codes: number | readonly number[]): number | number[] {
  return typeof codes === 'number' ? codes : [...codes];
}

/** Renders what is expected of a command, as part of the key of its result; empty if it only has to exit with 0. */
export function renderExpectation({ exitCode, stdoutContains, stdoutLacks }: QueuedCommand): { expects?: string } {
  if (exitCode === 0 && stdoutContains === undefined && stdoutLacks === undefined) return {};
  return { expects: canonicalJson({ exitCode, ...omitUndefined({ stdoutContains, stdoutLacks }) }) };
}

/** Returns the directory of a command's log and records, relative to the run's directory. */
export function getCommandDirectory(job: CommandsJob, { id, todo, again }: QueuedCommand): string {
  const place = `actions/${job.actionId}/${job.todo === null && todo !== null ? `${todo}-${id}` : id}`;
  return again === undefined ? place : `${place}/again-${again}`;
}

/** Returns the key that a command's `command-started` and `command-finished` entries share. */
export function getCommandKey(tx: Transaction, job: CommandsJob, command: QueuedCommand): string {
  return `${tx.state.runId}:${getCommandDirectory(job, command).slice('actions/'.length)}`;
}
