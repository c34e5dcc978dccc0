import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanContent } from '../../src/documents/plan-schema.js';
import { aCommand, aPlan, aTodo } from '../core/documents/plan-fixture.js';
import { devCli, runDir, writeProjectFile } from './cli.js';
import { simpleCrew } from './crew.mjs';
import type { Project } from './project.mjs';

/** Plans that cost next to nothing to carry out, and what came of them. */

/** The run that every story has. */
export const RUN = 'add-jwt-auth';

/**
 * 1 → 2,3: the first hands a value on; the second is judged by a command that is red at the first attempt of SMALL_CREW; the
 * third is of high risk, judged by an agent and by a person.
 */
export function smallPlan(): PlanContent {
  const made = (id: string) => `made/${id}.txt`;
  return aPlan({
    todos: [
      aTodo('todo-1', {
        outputs: [{ name: 'word', description: 'what the second writes' }],
        files: [made('todo-1')],
        acceptance: [aCommand('ac-1', ['test', '-f', made('todo-1')])],
      }),
      aTodo('todo-2', {
        dependsOn: ['todo-1'],
        files: [made('todo-2')],
        acceptance: [aCommand('ac-1', ['grep', '-q', '${todo-1.outputs.word} 2', made('todo-2')])],
      }),
      aTodo('todo-3', {
        dependsOn: ['todo-1'],
        risk: 'high',
        files: [made('todo-3')],
        acceptance: [
          { id: 'as-1', kind: 'assertion', text: 'Nothing but the file of the todo is there.' },
          { id: 'hu-1', kind: 'human', text: 'It reads well.' },
        ],
      }),
    ],
  });
}

/** Carries smallPlan out. */
export const SMALL_CREW = simpleCrew({}, { outputs: { word: 'attempt' } });

/** Puts a plan into the project, as `plan generate` on a name without a run does. */
export function generatePlan(project: Project, plan: object = smallPlan(), name = RUN): void {
  const file = writeProjectFile(project, '.dev/plan.json', JSON.stringify(plan));
  const generated = devCli(project, ['plan', 'generate', name, '--data', '@.dev/plan.json']);
  if (generated.code !== 0) throw new Error(generated.stdout);
  rmSync(file);
}

export function git(project: Project, ...args: string[]): string {
  return execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8' }).trim();
}

/** The commits of an execution by the todo in their trailer, oldest first, each with the paths it changed. */
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
