import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { createTimelineBuilder, type Timeline } from '../../../src/views/timeline.js';
import type { TimelineRow } from '../../../src/views/timeline-rows.js';
import { begin, doAll, goOn, making, planOf, RUN, waited } from '../../adversarial/binary/executing.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, runDir } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { readEntries } from '../../support/entries.js';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

// view.md, One model: the timeline of a run in which people have intervened.

const terminal = findTerminal();

useProject({ sample: null });

/** Types the command and `yes` into a terminal. */
function typed(command: string): void {
  if (terminal === null) throw new Error(NO_TERMINAL);
  const { exit, output } = terminal(`dev-cli ${command}`, { cwd: project.root, env: project.env, answers: ['yes'] });
  expect(exit, output).toBe(0);
}

function timelineOf(name = RUN): Timeline {
  const read = (file: string) => readFileSync(join(runDir(project, name), file));
  const entries = readEntries(read('events.jsonl'));
  const captured = JSON.parse(read('recipe.json').toString('utf8'));
  const now = Date.parse(entries.at(-1)?.at ?? '');
  const builder = createTimelineBuilder();
  for (const entry of entries) builder.take(entry);
  const built = builder.build({ captured, now, facts: () => ({ kind: 'missing' }) });
  if (built === null) throw new Error('no run');
  const [first, last] = [entries[0]?.at ?? '', entries.at(-1)?.at ?? ''];
  const { agent, commands, you, idle } = built.split;
  expect(agent + commands + you + idle).toBe(Date.parse(last) - Date.parse(first));
  return built;
}

const rowOf = ({ rows }: Timeline, id: string): TimelineRow | undefined => rows.find((row) => row.id === id);

/** Lists how each agent's work on a todo ended. */
const workers = (timeline: Timeline, id: string) =>
  rowOf(timeline, id)
    ?.segments.filter(({ who }) => who === 'agent')
    .map(({ to, ok }) => (to === null ? 'out' : ok === null ? 'void' : ok ? 'ok' : 'bad'));

const next = () => devCli(project, ['next', RUN]).json as unknown as Action;

describe.skipIf(terminal === null)('the timeline', () => {
  it('of a run that is held, goes on, has work taken back and its plan changed, and of its fork', () => {
    doAll(project, begin(project, planOf(making('todo-1'), making('todo-2', [['true']], { dependsOn: ['todo-1'] }))));
    waited(project);
    const forkAt = readEntries(readFileSync(join(runDir(project, RUN), 'events.jsonl'))).length;
    expect(workers(timelineOf(), 'todo-2')).toEqual(['out']);

    // A hold does not stop a worker that has already been given its task.
    typed(`hold ${RUN}`);
    typed(`release ${RUN}`);
    expect(workers(timelineOf(), 'todo-2')).toEqual(['out']);

    // The commit of todo-1 is reverted, todo-2, which depends on it, is withdrawn, and both have to be done again.
    expect(rowOf(timelineOf(), 'todo-1')?.commit).toMatch(/^[0-9a-f]{40}$/);
    typed(`step undo ${RUN} --todo todo-1`);
    const undone = timelineOf();
    expect(workers(undone, 'todo-1')).toEqual(['ok', 'out']);
    expect(rowOf(undone, 'todo-1')).toMatchObject({ state: 'running', attempts: 2, commit: null });
    expect(workers(undone, 'todo-2')).toEqual(['void']);
    expect(rowOf(undone, 'todo-2')?.state).toBe('stale');

    // The plan changes during the execution: the new todo gets a row, and the new title of todo-2 appears in its row.
    const file = join(runDir(project, RUN), 'plan-content.json');
    const plan = JSON.parse(readFileSync(file, 'utf8')) as PlanContent;
    const todos = plan.todos.map((todo) => (todo.id === 'todo-2' ? { ...todo, title: 'Another title' } : todo));
    const third = making('todo-3', [['true']], { dependsOn: ['todo-2'] });
    expect(rowOf(timelineOf(), 'todo-3')).toBeUndefined();
    writeFileSync(file, JSON.stringify({ ...plan, todos: [...todos, third] }, null, 2));
    typed(`plan apply ${RUN}`);
    const changed = timelineOf();
    expect(rowOf(changed, 'todo-2')?.title).toBe('Another title');
    expect(rowOf(changed, 'todo-3')).toMatchObject({ state: 'pending', wave: 2, after: ['todo-2'], segments: [] });

    expect(goOn(project, next())).toMatchObject({ done: true, outcome: 'completed' });
    const ended = timelineOf();
    expect(ended.rows.filter(({ kind }) => kind === 'todo').map(({ state }) => state)).toEqual([
      'done',
      'done',
      'done',
    ]);
    expect(workers(ended, 'todo-1')).toEqual(['ok', 'ok']);
    expect(workers(ended, 'todo-2')).toEqual(['void', 'ok']);

    // A fork shows the work done before it as done, but its times are only those of the fork itself.
    expect(devCli(project, ['fork', RUN, '--at', String(forkAt), '--as', 'again']).code).toBe(0);
    const fork = timelineOf('again');
    expect(fork.runs.at(-1)?.forkedFrom).toMatchObject({ name: RUN, seq: forkAt });
    expect(rowOf(fork, 'todo-1')).toMatchObject({ state: 'done', segments: [], commit: expect.any(String) });
    expect(workers(fork, 'todo-2')).toEqual(['out']);
  });
});
