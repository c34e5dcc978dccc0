import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { PlanAcceptance, PlanContent, PlanTodo } from '../../../src/plan/model/schema.js';
import { renderPlan } from '../../../src/plan/page/render.js';
import type { RunEngine } from '../../../src/run/engine.js';
import { aCommand, aPlan, aTodo } from '../../core/plan/fixture.js';
import type { Action } from '../../support/agent.mjs';
import {
  type CallOptions,
  devCli,
  nextOf,
  type Result,
  runDir,
  runPrinted,
  stateOf,
  writeProjectFile,
  writeRecipe,
} from '../../support/cli.js';
import type { Project } from '../../support/project.mjs';

/** Executions of small plans through the binary, with an agent that follows its instructions. */

export const RUN = 'work';

export interface Task {
  actionId: string;
  todoId: string | null;
  substep: string;
  attempt: number;
  why?: string;
  promptFile: string;
  output: string;
  ack: string;
}
export type Dispatch = Action & { tasks: Task[]; running?: Task[]; commands?: unknown[] };

/** A recipe without code review and final verification, so that a test makes only the calls that it is about. */
export const SHORT = (retries: number): string =>
  `name: short
type: engine
skill: execute
config:
  depth: standard
  policies: { max_retries: ${retries}, code_review_enabled: false, final_verify_enabled: false }
`;

/** Creates a todo whose worker makes `made/<id>.txt` and which is judged by these commands. */
export function making(id: string, commands: string[][] = [['true']], change: Partial<PlanTodo> = {}): PlanTodo {
  const acceptance: PlanAcceptance[] = commands.map((run, index) => aCommand(`ac-${index + 1}`, run));
  return aTodo(id, { files: [`made/${id}*`], acceptance, ...change });
}

export function planOf(...todos: PlanTodo[]): PlanContent {
  return aPlan({ todos });
}

export interface Beginning {
  retries?: number;
  /** The recipe to use instead of `short`. */
  recipe?: string;
  flags?: string[];
  options?: CallOptions;
}

/** Writes the plan and begins its execution, in autopilot unless a flag says otherwise. */
export function begin(project: Project, plan: PlanContent, beginning: Beginning = {}): Dispatch {
  const { retries = 1, recipe, flags = ['--autopilot'], options } = beginning;
  const name = recipe ?? writeRecipe(project, 'short', SHORT(retries));
  generate(project, plan);
  const begun = devCli(project, ['init', RUN, '--recipe', name, ...flags], options);
  expect(begun.code, begun.stdout).toBe(0);
  return nextOf(begun.json) as Dispatch;
}

/** Writes plan-content.json directly, as `plan generate` would. */
export function generate(project: Project, plan: PlanContent): void {
  writeProjectFile(project, `.dev/specs/${RUN}/plan-content.json`, JSON.stringify(plan));
  writeProjectFile(project, `.dev/specs/${RUN}/PLAN.md`, renderPlan(plan));
}

export const worker = (change: object = {}): object => ({
  status: 'DONE',
  outputs: {},
  filesChanged: [],
  learnings: [],
  issues: [],
  summary: 'Did it.',
  ...change,
});

/** Returns a todo's task, whether the dispatch hands it out or lists it as running. */
export function taskOf(dispatch: Dispatch, todo = 'todo-1'): Task {
  const task = [...(dispatch.tasks ?? []), ...(dispatch.running ?? [])].find(({ todoId }) => todoId === todo);
  if (task === undefined) throw new Error(`no task about ${todo} in ${JSON.stringify(dispatch)}`);
  return task;
}

/** Writes the result of a task. */
export function hand(project: Project, task: Task, result: object | string = worker()): string {
  const path = join(project.root, task.output);
  writeFileSync(path, typeof result === 'string' ? result : JSON.stringify(result));
  return path;
}

/** Does every task of a dispatch, then acknowledges the dispatch. */
export function doAll(project: Project, dispatch: Dispatch, options: CallOptions = {}): Result {
  for (const task of dispatch.tasks) {
    const made = task.substep === 'worker' ? [`made/${task.todoId}.txt`] : [];
    for (const path of made) writeProjectFile(project, path, `${task.attempt}\n`);
    hand(project, task, worker({ filesChanged: made }));
  }
  return runPrinted(project, dispatch.ack ?? '', options);
}

/** Does dispatches, and waits for running commands, until an action of another kind is pending. */
export function goOn(project: Project, first: Action, options: CallOptions = {}): Action {
  let action = first;
  for (let calls = 0; calls < 40; calls += 1) {
    if (action.action === 'engine-dispatch') {
      const { code, stdout, json } = doAll(project, action as Dispatch, options);
      expect(code, stdout).toBe(0);
      action = nextOf(json);
    } else if (action.action === 'running') action = waited(project, options);
    else return action;
  }
  throw new Error(`no end: ${JSON.stringify(action)}`);
}

/** Returns the pending action once dev-cli's own work has ended. */
export function waited(project: Project, options: CallOptions = {}): Action {
  const { code, stdout, json } = devCli(project, ['next', RUN, '--wait', '20'], options);
  expect(code, stdout).toBe(0);
  return json as unknown as Action;
}

export function engineOf(project: Project): RunEngine {
  return (stateOf(project, RUN) as unknown as { engine: RunEngine }).engine;
}

export function document(project: Project, path: string): string {
  return readFileSync(join(runDir(project, RUN), path), 'utf8');
}

export function git(project: Project, ...args: string[]): string {
  return execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8', stdio: 'pipe' });
}

/** Returns the todos that the commits name in their trailers, newest first. */
export function committed(project: Project): string[] {
  const bodies = git(project, 'log', '--format=%B').split('\n');
  return bodies.flatMap((line) => /^Dev-Cli-Task: [^/]+\/(.+)$/.exec(line)?.[1] ?? []);
}

/** Returns the paths of the newest commit. */
export function lastCommit(project: Project): string[] {
  const names = git(project, 'show', '--no-renames', '--name-only', '--format=', '-z', 'HEAD');
  return names.split('\0').filter((name) => name !== '');
}

/** Returns the changes outside `.dev` as git reports them. */
export function status(project: Project): string {
  return git(project, 'status', '--porcelain', '-z', '--untracked-files=all', '--', ':(exclude).dev');
}
