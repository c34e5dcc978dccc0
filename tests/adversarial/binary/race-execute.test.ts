import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Entry } from '../../../src/store/store.js';
import { type Document, devCli, runDir } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { numberFrom } from '../../support/seeded.js';
import { BEGIN, faultsOfExecution, pending, prepareExecution, workOn } from './executed.js';
import { type Dispatch, RUN, type Task } from './executing.js';
import { call } from './victims.js';

// Several processes collect the same results at once, some one by one, some all together. Every answer must be one that
// some sequential order of the calls would give. Exactly one process takes each result; each todo is committed once.

const RACES = numberFrom('DEV_CLI_TEST_EXECUTION_RACES', 1);
const TODOS = 3;
const COLLECTORS = 3;

let project: Project;
beforeEach(() => {
  project = createProject({ sample: null });
});
afterEach(() => project.remove());

/** One answer, and the task that the call was about; null for all tasks. */
interface Told {
  asked: string | null;
  code: number | null;
  json: Document;
}

/** Returns the tasks that each commit took, in journal order. */
function takenByCommit(): string[][] {
  const commits: string[][] = [[]];
  for (const line of readFileSync(join(runDir(project, RUN), 'events.jsonl'), 'utf8')
    .trim()
    .split('\n')) {
    const { type, data, more } = JSON.parse(line) as Entry;
    if (type === 'task-done') commits.at(-1)?.push((data as { actionId: string }).actionId);
    if (more !== true) commits.push([]);
  }
  return commits.filter((taken) => taken.length > 0);
}

/** Returns the tasks that the call took, according to its answer. */
function takenBy({ asked, json }: Told): string[] {
  if (json.duplicate === true) return [];
  if (asked !== null) return [asked];
  return ((json.collected ?? []) as { actionId: string; ok: boolean }[]).flatMap(({ actionId, ok }) =>
    ok ? [actionId] : [],
  );
}

/**
 * Returns the answers that no order of the calls explains. Each answer must match a git commit of its own; the answer
 * to a repeated call must match the commit of the first call.
 */
function unexplained(told: readonly Told[], commits: readonly string[][]): string[] {
  const left = commits.map((commit) => [...commit].sort().join());
  const faults = told.flatMap((one) => {
    const shown = `${one.asked ?? 'all'}: exit ${one.code} ${JSON.stringify(one.json).slice(0, 300)}`;
    const taken = takenBy(one).sort().join();
    if (one.code !== 0 || (taken === '' && one.json.duplicate !== true)) return [`nothing explains ${shown}`];
    const at = left.indexOf(taken);
    if (taken !== '' && at < 0) return [`no commit took ${taken}: ${shown}`];
    if (taken !== '') left.splice(at, 1);
    return [];
  });
  return [...faults, ...left.map((commit) => `nobody was told of ${commit}`)];
}

describe('results of a wave', () => {
  it(`are taken once, whoever asks for them, ${RACES} times (DEV_CLI_TEST_EXECUTION_RACES)`, {
    timeout: 600_000,
  }, async () => {
    for (let race = 0; race < RACES; race += 1) {
      if (race > 0) {
        project.remove();
        project = createProject({ sample: null });
      }
      const todos = prepareExecution(project, { todos: TODOS });
      devCli(project, BEGIN);
      const told: Told[] = [];
      for (let action = pending(project); action.done !== true; action = pending(project)) {
        if (action.action === 'engine-dispatch') told.push(...(await takenAtOnce(action)));
      }
      expect(unexplained(told, takenByCommit())).toEqual([]);
      expect(faultsOfExecution(project, todos, { runners: false })).toEqual([]);
    }
  });

  async function takenAtOnce(action: Dispatch): Promise<Told[]> {
    workOn(project, action);
    const asked = [...action.tasks.map(({ actionId }: Task) => actionId), ...Array<null>(COLLECTORS).fill(null)];
    return Promise.all(
      asked.map(async (id): Promise<Told> => {
        const args = ['step', 'complete', RUN, '--action', id ?? action.actionId];
        const { code, json } = await call(project, id === null ? [...args, '--collect'] : args);
        return { asked: id, code, json: json ?? {} };
      }),
    );
  }

  it('told by an answer that nothing explains', () => {
    const taken = (asked: string | null, json: object): Told => ({ asked, code: 0, json: json as Document });
    const both = taken(null, {
      collected: [
        { actionId: 'a1', ok: true },
        { actionId: 'a2', ok: true },
      ],
    });
    expect(unexplained([both, taken('a1', { duplicate: true })], [['a1', 'a2']])).toEqual([]);
    expect(unexplained([both, taken('a1', { completed: 'todo-1/worker' })], [['a1', 'a2']]).join()).toContain(
      'no commit took a1',
    );
    expect(unexplained([taken('a1', { duplicate: true })], [['a1']]).join()).toContain('nobody was told of a1');
    expect(unexplained([taken(null, {})], []).join()).toContain('nothing explains all');
  });
});
