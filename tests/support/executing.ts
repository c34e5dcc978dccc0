import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { devCli, runDir, writeProjectFile } from './cli.js';
import type { Project } from './project.mjs';
import { smallPlan } from './small.mjs';

/** Helpers for tests of executions: the plan they carry out, and the commits they make. */

/** The name of the run in every story. */
export const RUN = 'add-jwt-auth';

/** Creates the plan in the project with `plan generate`, for a name that has no run. */
export function generatePlan(project: Project, plan: object = smallPlan(), name = RUN): void {
  const file = writeProjectFile(project, '.dev/plan.json', JSON.stringify(plan));
  const generated = devCli(project, ['plan', 'generate', name, '--data', '@.dev/plan.json']);
  if (generated.code !== 0) throw new Error(generated.stdout);
  rmSync(file);
}

export function git(project: Project, ...args: string[]): string {
  return execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8' }).trim();
}

/** Lists an execution's commits, oldest first, each with the todo in its trailer and the paths it changed. */
export function commitsOf(project: Project): { todo: string; subject: string; paths: string[] }[] {
  const format = '%x00%s%x01%(trailers:key=Dev-Cli-Task,valueonly,separator=%x2c)%x01';
  return git(project, 'log', '--reverse', '--name-only', `--format=${format}`)
    .split('\0')
    .slice(1)
    .map((commit) => {
      const [subject = '', key = '', paths = ''] = commit.split('\x01');
      return { todo: key.split('/')[1] ?? '', subject, paths: paths.trim().split('\n') };
    })
    .filter(({ todo }) => todo !== '');
}

export function reportOf(project: Project, name = RUN): string {
  return readFileSync(join(runDir(project, name), 'report.md'), 'utf8');
}
