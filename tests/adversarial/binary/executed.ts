import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../../src/store/store.js';
import { devCli, journalOf, writeProjectFile, writeRecipe } from '../../support/cli.js';
import type { Project } from '../../support/project.mjs';
import {
  committed,
  type Dispatch,
  engineOf,
  generate,
  git,
  hand,
  making,
  planOf,
  RUN,
  SHORT,
  status,
  worker,
} from './executing.js';
import { replays } from './victims.js';

/**
 * A small execution that tests disturb, and the checks at its end: nothing may be lost or done twice. The user has a
 * staged change of their own.
 */

/** The command that judges a todo; it records which todo it has judged. */
const JUDGE = 'sleep 0.05; echo "$1" >>../effects; test -e "made/$1.txt"\n';
const MINE = 'A  mine.txt\0';

/** Prepares a plan with `todos` todos that may be handed out together, and one that waits for all of them. */
export function prepareExecution(project: Project, { todos = 1 } = {}): string[] {
  const ids = Array.from({ length: todos }, (_, index) => `todo-${index + 1}`);
  const last = `todo-${todos + 1}`;
  const judged = (id: string) => [['sh', 'judge.sh', id]];
  writeProjectFile(project, 'judge.sh', JUDGE);
  git(project, 'add', '.');
  git(project, 'commit', '--quiet', '--message', 'a judge');
  writeProjectFile(project, 'mine.txt', 'mine');
  git(project, 'add', 'mine.txt');
  writeRecipe(project, 'short', SHORT(1));
  generate(project, planOf(...ids.map((id) => making(id, judged(id))), making(last, judged(last), { dependsOn: ids })));
  return [...ids, last];
}

export const BEGIN = ['init', RUN, '--recipe', 'short', '--autopilot'];

/** Does the work of a dispatch's workers. Repeating it changes nothing. */
export function workOn(project: Project, { tasks, running = [] }: Dispatch): void {
  for (const task of [...tasks, ...running]) {
    const made = `made/${task.todoId}.txt`;
    writeProjectFile(project, made, 'made\n');
    if (!existsSync(join(project.root, task.output))) hand(project, task, worker({ filesChanged: [made] }));
  }
}

export interface Disturbance {
  /** Whether runners were killed, too. If so, it is no fault if commands ran twice or todos were committed together. */
  runners: boolean;
}

/** Returns the problems after these todos were executed. */
export function faultsOfExecution(project: Project, todos: string[], { runners }: Disturbance): string[] {
  const entries = journalOf(project, RUN) as unknown as Entry[];
  const engine = engineOf(project);
  const of = (type: string): string[] =>
    entries.flatMap((entry) => {
      const { actionId, todoId, key } = entry.data as { actionId?: string; todoId?: string; key?: string };
      return entry.type === type ? [key ?? actionId ?? todoId ?? ''] : [];
    });
  const twice = ['task-done', 'todo-settled', 'command-started', 'command-finished', 'wrapped-up'].flatMap((type) => {
    const seen = of(type);
    return seen.filter((one, at) => seen.indexOf(one) !== at).map((one) => `${type} twice: ${one}`);
  });
  const effects = readFileSync(join(project.root, '../effects'), 'utf8').trim().split('\n').sort();
  const commits = committed(project).sort();
  const made = [...todos].sort();
  return [
    ...twice,
    ...todos.filter((id) => engine.todos[id]?.status !== 'done').map((id) => `${id} is not done`),
    ...todos.filter((id) => engine.todos[id]?.attempt !== 1).map((id) => `${id} was attempted again`),
    ...differs('commits', runners ? commits.filter((id) => id !== 'residual') : commits, made, { atMost: runners }),
    ...differs('effects', runners ? [...new Set(effects)] : effects, made),
    ...differs('finished', of('command-finished').sort(), of('command-started').sort()),
    ...differs('the tree', [status(project)], [MINE]),
    ...(replays(project, RUN) ? [] : ['the journal does not replay']),
    ...(existsSync(join(project.root, '.git/index.lock')) ? ['the index is locked'] : []),
  ];
}

/** @param options.atMost allows items of `wanted` to be missing, because they were committed together with others */
function differs(what: string, found: string[], wanted: string[], { atMost = false } = {}): string[] {
  const twice = found.filter((one, at) => found.indexOf(one) !== at);
  const same = atMost
    ? twice.length === 0 && found.every((one) => wanted.includes(one))
    : JSON.stringify(found) === JSON.stringify(wanted);
  return same ? [] : [`${what}: ${found.join(' ')} instead of ${wanted.join(' ')}`];
}

/** Returns the pending action, as `next` prints it. */
export function pending(project: Project): Dispatch {
  return devCli(project, ['next', RUN, '--wait', '20']).json as unknown as Dispatch;
}
