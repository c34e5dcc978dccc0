import { canonicalJson } from '../../base/json.js';
import { sha256 } from '../../base/sha256.js';
import type { PlanAcceptance, PlanContent, PlanTodo } from '../../documents/plan-schema.js';
import type { EngineJob } from '../../run/engine.js';
import type { Turn } from '../turn.js';
import { engineOf, wholePlan } from './plan.js';
import { substituted, unknownIn } from './values.js';

/** The acceptance commands of a plan: their list, which somebody approves, and what of it is to be run. */

export type CommandAcceptance = Extract<PlanAcceptance, { kind: 'command' }>;
export type CommandsJob = Extract<EngineJob, { kind: 'commands' }>;
export type QueuedCommand = CommandsJob['queue'][number];

/** Seconds a command may take when the plan does not say. */
const DEFAULT_TIMEOUT = 300;

export function isCommand(item: PlanAcceptance): item is CommandAcceptance {
  return item.kind === 'command';
}

/** All of a command that an approval is about (engine.md, First). */
export interface PlannedCommand {
  run: string[];
  cwd: string;
  /** Seconds. */
  timeout: number;
  /** What it is judged by, the usual exit code filled in. */
  expect: NonNullable<CommandAcceptance['expect']>;
}

/** Every command of a plan, each once. */
export function commandList({ todos }: Pick<PlanContent, 'todos'>): PlannedCommand[] {
  const known = new Map<string, PlannedCommand>();
  for (const todo of todos) {
    for (const { run, cwd = '.', timeout = DEFAULT_TIMEOUT, expect } of todo.acceptance.filter(isCommand)) {
      const command = { run, cwd, timeout, expect: { exitCode: 0, ...expect } };
      known.set(canonicalJson(command), command);
    }
  }
  return [...known.values()];
}

/** By which an approval of a list of commands is known again. The order of the plan does not matter. */
export function commandsDigest(commands: readonly PlannedCommand[]): string {
  return digestOf(commands.map((command) => canonicalJson(command)));
}

/** The same as releases up to 0.1.0 made it, of the argument vectors and where they run alone. */
export function bareCommandsDigest(commands: readonly PlannedCommand[]): string {
  return digestOf([...new Set(commands.map(({ run, cwd }) => canonicalJson({ run, cwd })))]);
}

function digestOf(lines: string[]): string {
  return sha256(canonicalJson(lines.sort()));
}

/** The commands of a todo as they are run, with the values of other todos filled in. */
export function todoCommands(turn: Turn, todo: PlanTodo): QueuedCommand[] {
  return todo.acceptance.filter(isCommand).map((item) => queued(turn, todo.id, item));
}

/**
 * All commands of the plan on the final tree, each argument vector once (engine.md, final-verify); but for those of todos
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
