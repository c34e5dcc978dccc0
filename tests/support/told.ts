import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { PlanContent } from '../../src/plan/model/schema.js';
import type { Action } from './agent.mjs';
import { type Document, devCli, nextOf, runDir, runPrinted, writeProjectFile } from './cli.js';
import { generatePlan } from './executing.js';
import type { Project } from './project.mjs';
import { findTerminal } from './terminal.mjs';

/** Executions carried out by hand, task by task, for tests of the reports about them. */

interface Task {
  actionId: string;
  todoId: string | null;
  substep: string;
  attempt: number;
  promptFile: string;
  output: string;
  ack: string;
}
export type Dispatch = Action & { tasks: Task[]; running: Task[] };

/** Begins to carry out a plan; returns the first action. */
export function begin(project: Project, plan: PlanContent, flags: readonly string[], name = 'work'): Dispatch {
  generatePlan(project, plan, name);
  return again(project, flags, name);
}

/** Begins to carry out the rest of the existing plan. */
export function again(project: Project, flags: readonly string[], name = 'work'): Dispatch {
  const what = flags.includes('--recipe') ? [] : ['--execute'];
  const begun = devCli(project, ['init', name, ...what, ...flags]);
  expect(begun.code, begun.stdout).toBe(0);
  return nextOf(begun.json) as Dispatch;
}

/** Hands in a result for a todo's task (null: for a task of the whole run) and acknowledges it; returns the answer. */
export function deliver(project: Project, { tasks }: Dispatch, todo: string | null, result: object): Document {
  const task = tasks.find(({ todoId }) => todoId === todo);
  if (task === undefined) throw new Error(`no task of ${todo}`);
  writeFileSync(join(project.root, task.output), JSON.stringify(result));
  const taken = runPrinted(project, task.ack);
  expect(taken.code, taken.stdout).toBe(0);
  return taken.json;
}

/** Does the same as `deliver`, and returns the next action. */
export function followed(...delivered: Parameters<typeof deliver>): Dispatch {
  return nextOf(deliver(...delivered)) as Dispatch;
}

/** Writes the given files, and builds the result of a worker that has changed them. */
export function worked(project: Project, files: Record<string, string>, change: object = {}): object {
  for (const [path, text] of Object.entries(files)) writeProjectFile(project, path, text);
  return {
    status: 'DONE',
    outputs: {},
    filesChanged: Object.keys(files),
    learnings: [],
    issues: [],
    summary: 'Did it.',
    ...change,
  };
}

/** Builds a verifier's result. */
export function judged(status: 'VERIFIED' | 'FAILED', criteria: object[], summary: string): object {
  const rest = { mustNotDoViolations: [], sideEffects: [], environmentError: null, suggestedAdaptation: null };
  return { status, criteria, ...rest, summary };
}

/** Answers the pending gate as a person at a terminal, and returns the next action. */
export function answered(project: Project, choice: string, note?: string, name = 'work'): Dispatch {
  const terminal = findTerminal();
  if (terminal === null) throw new Error('no terminal');
  const answers = note === undefined ? [choice] : [choice, note];
  const result = terminal(`dev-cli approve ${name}`, { cwd: project.root, env: project.env, answers });
  expect(result.exit, result.output).toBe(0);
  const next = devCli(project, ['next', name, '--wait', '20']);
  expect(next.code, next.stdout).toBe(0);
  return next.json as unknown as Dispatch;
}

/** Reads a document of the run. */
export function told(project: Project, path: string, name = 'work'): string {
  return readFileSync(join(runDir(project, name), path), 'utf8');
}

/** Returns the lines of one part of summary.md or report.md, without their dashes; empty if the part is missing. */
export function part(text: string, title: string): string[] {
  const [, body = ''] = new RegExp(`^## ${title}\\n\\n([\\s\\S]*?)(?=\\n## |$(?![\\s\\S]))`, 'm').exec(text) ?? [];
  return body
    .trim()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('<'))
    .map((line) => line.replace(/^- /, ''));
}

/** Removes a file of the run, as a person or another program might. */
export function lose(project: Project, path: string, name = 'work'): void {
  rmSync(join(runDir(project, name), path));
}
