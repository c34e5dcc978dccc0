// What a todo's commit costs compared with git alone, in a small and in a large repository.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, ratio, run, Samples, shuffled, timed, timedCall, timedFloor } from './measure.mjs';
import { execution, put, repository, WAVE } from './plans.mjs';

const GOALS = { 20: 3, 20000: 1.6 };
const GOAL_PROCESSES = 6;

/**
 * Measures how long it takes to collect the results of four judges, both when four todos are then committed and when
 * there is nothing to commit. One commit costs a quarter of the difference.
 */
export function commits({ rounds }) {
  return {
    title: 'Commits of todos, against `git add -N` and `git commit --only` in such a repository',
    rows: Object.keys(GOALS).flatMap((files) => rowsOf(Number(files), rounds)),
  };
}

function rowsOf(tree, rounds) {
  // Two more waves than rounds: the first only warms up, and in the last one git processes are counted.
  const todos = WAVE * (rounds + 2);
  const [committing, idle] = [true, false].map((writes) => execution({ todos, tree, writes }));
  const bare = repository(tree);
  try {
    const samples = new Samples();
    for (let round = 0; round <= rounds; round++) {
      const add = (kind, milliseconds) => round > 0 && samples.add(kind, milliseconds);
      shuffled([
        () => oneWave(committing, (kind, words) => add(`${kind} with`, timedCall(committing.project, words))),
        () => oneWave(idle, (kind, words) => add(`${kind} without`, timedCall(idle.project, words))),
        () => add('git', bareCommit(bare, `src/bare-${round}.txt`)),
        () => add('floor', timedFloor(bare)),
      ]);
    }
    const floor = samples.median('floor');
    const row = (what, kind) => ratio(`${tree} files: ${what}`, '', samples.median(kind), floor);
    const ofTodo = (samples.median('judges with') - samples.median('judges without')) / WAVE;
    return [
      row('workers collected', 'workers with'),
      row('judges collected, four commits', 'judges with'),
      row('judges collected, nothing to commit', 'judges without'),
      row('git alone, one commit', 'git'),
      ratio(`${tree} files: a todo's commit against git alone`, GOALS[tree], ofTodo, samples.median('git')),
      [`${tree} files: git processes, of four commits by four`, GOAL_PROCESSES, gitProcesses(committing) / WAVE],
    ];
  } finally {
    for (const { remove } of [committing.project, idle.project, bare]) remove();
  }
}

/** Hands in the results of four workers, then of their judges. */
function oneWave({ prepared }, collect) {
  collect('workers', prepared());
  collect('judges', prepared());
}

/** Measures the milliseconds that git alone takes to commit one new file. */
function bareCommit(project, path) {
  put(project, path, 'made\n');
  const added = timed(project, 'git', ['add', '-N', '--', path]);
  return added + timed(project, 'git', ['commit', '--quiet', '--only', '--message', 'Made', '--', path]);
}

/**
 * Counts the git processes that run while four judges' results are collected, including processes that git itself
 * starts.
 */
function gitProcesses({ project, prepared }) {
  const events = join(project.home, 'git-events');
  answer(project, prepared());
  const words = prepared();
  run(project, 'git', ['config', '--global', 'trace2.eventTarget', events]);
  answer(project, words);
  run(project, 'git', ['config', '--global', '--unset', 'trace2.eventTarget']);
  return readFileSync(events, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"event":"start"')).length;
}
