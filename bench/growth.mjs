// How long a call takes in a large project, compared with the same call in a small one.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createProject } from '../tests/support/project.mjs';
import { growJournal } from './journal.mjs';
import { answer, ratio, Samples, shuffled, timedCall } from './measure.mjs';
import { lanes, NAME } from './plans.mjs';

/** Numbers of runs in the two projects; all runs but the last have ended. */
const RUNS = [1, 200];
const TODOS = [10, 1000];
const ENTRIES = [10_000, 100_000];

/** Measures `next` and `list` in a project with many runs. */
export function manyRuns({ rounds }) {
  return compare({
    title: 'Questions beside 200 runs, against the same call beside none',
    sizes: RUNS,
    begin: (runs) => {
      const project = createProject();
      for (let n = 1; n <= runs; n++) {
        answer(project, ['init', `run-${n}`, '--recipe', 'specify-quick-autopilot', '--goal', 'Add a route', '--new']);
        if (n < runs) answer(project, ['abort', `run-${n}`, '--reason', 'enough']);
      }
      return project;
    },
    calls: { next: { words: ['next'], goal: 1.5 }, list: { words: ['list'], goal: 1.5 } },
    rounds,
  });
}

/** Measures the start of an execution of many todos. */
export function manyTodos({ rounds }) {
  const place = ({ root, home }) => ({ now: join(root, '.dev'), before: join(home, 'before') });
  return compare({
    title: 'init --execute with 1,000 todos, against the same call with 10',
    sizes: TODOS,
    begin: (todos) => {
      const project = createProject();
      answer(project, ['plan', 'generate', NAME, '--data', '-'], JSON.stringify(lanes(todos)));
      const { now, before } = place(project);
      cpSync(now, before, { recursive: true });
      return project;
    },
    before: (project) => {
      const { now, before } = place(project);
      rmSync(now, { recursive: true });
      cpSync(before, now, { recursive: true });
    },
    calls: { 'init --execute': { words: ['init', NAME, '--execute'], goal: 2 } },
    rounds,
  });
}

/**
 * Measures commands that read a whole journal. With ten times the entries they may take ten times as long, but no more.
 */
export function longJournals({ rounds }) {
  return compare({
    title: 'A journal of 100,000 entries, against the same call with 10,000',
    sizes: ENTRIES,
    begin: (entries) => {
      const project = createProject();
      answer(project, ['init', NAME, '--recipe', 'specify-standard-autopilot', '--goal', 'Add a route']);
      growJournal(join(project.root, '.dev/specs', NAME), entries);
      return project;
    },
    calls: {
      'history --json': { words: ['history', NAME, '--json'], goal: 10 },
      'replay --check': { words: ['replay', NAME, '--check'], goal: 10 },
    },
    rounds,
  });
}

/**
 * Builds a section that shows each call in the large project as a multiple of the same call in the small one.
 * @param {{ sizes: [number, number], begin: Function, before?: Function, calls: Record<string, { words: string[], goal:
 * number }> }} what
 */
function compare({ title, sizes, begin, before = () => {}, calls, rounds }) {
  const projects = sizes.map(begin);
  try {
    const samples = new Samples();
    for (let round = 0; round < rounds; round++) {
      shuffled(
        projects.flatMap((project, index) =>
          Object.entries(calls).map(([call, { words }]) => () => {
            before(project);
            samples.add(`${call} ${index}`, timedCall(project, words));
          }),
        ),
      );
    }
    const row = ([call, { goal }]) => ratio(call, goal, samples.median(`${call} 1`), samples.median(`${call} 0`));
    return { title, rows: Object.entries(calls).map(row) };
  } finally {
    for (const project of projects) project.remove();
  }
}
