// Long-lived runs compared with fresh ones.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject } from '../tests/support/project.mjs';
import { growJournal } from './journal.mjs';
import { answer, ratio, Samples, shuffled, timedCall } from './measure.mjs';

const NAME = 'add-auth';

/** Functions that turn a fresh run into a long-lived one. */
const LIVES = {
  fresh: () => {},
  'a draft of 1 MB': (directory) => {
    const path = join(directory, 'DRAFT.md');
    const text = 'A line of a long draft.\n'.repeat(44_000);
    writeFileSync(path, readFileSync(path, 'utf8').replace('## ', `${text}\n## `));
  },
  '100,000 entries': (directory) => growJournal(directory, 100_000),
};

/** Measures `next` and a choice in a run with a draft of 1 MB, and in one with a journal of 100,000 entries. */
export function longLives({ rounds }) {
  const projects = Object.values(LIVES).map(begin);
  try {
    const samples = new Samples();
    const acknowledge = projects.map(acknowledging);
    for (let round = 0; round < rounds; round++) {
      shuffled(
        Object.keys(LIVES).flatMap((life, index) => [
          () => samples.add(`next, ${life}`, timedCall(projects[index], ['next', NAME])),
          () => samples.add(`a choice, ${life}`, acknowledge[index]()),
        ]),
      );
    }
    const row = (call, life, goal) => {
      const what = `${call}, ${life}`;
      return ratio(what, goal, samples.median(what), samples.median(`${call}, fresh`));
    };
    const [, ...long] = Object.keys(LIVES);
    return {
      title: 'A long life against the same call on a fresh run',
      rows: long.flatMap((life) => [row('next', life, 2), row('a choice', life, '')]),
    };
  } finally {
    for (const project of projects) project.remove();
  }
}

/** Returns a function that times the acknowledgement of the run's first action, then resets the run to that action. */
function acknowledging(project) {
  let { actionId } = JSON.parse(answer(project, ['next', NAME]));
  return () => {
    const taken = timedCall(project, ['step', 'complete', NAME, '--action', actionId, '--choice', 'Feature']);
    actionId = JSON.parse(answer(project, ['step', 'invalidate', NAME, '--step', 'classify-intent'])).next.actionId;
    return taken;
  };
}

function begin(grow) {
  const project = createProject();
  answer(project, ['init', NAME, '--recipe', 'specify-standard-autopilot', '--goal', 'Add JWT auth to the API']);
  grow(join(project.root, '.dev/specs', NAME));
  return project;
}
