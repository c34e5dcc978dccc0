// The questions that an agent, its hooks and people ask most.
import { drivePlanning } from './driven.mjs';
import { ratio, Samples, shuffled, timedCall, timedFloor } from './measure.mjs';

const NAME = 'add-jwt-auth';
const QUESTIONS = {
  next: { words: ['next', NAME], goal: 1.5 },
  'status --json': { words: ['status', NAME, '--json'], goal: 1.5 },
  manifest: { words: ['manifest', NAME], goal: 1.6 },
};

/** Measures each question before every action of whole planning runs. */
export function questions({ rounds }) {
  const samples = new Samples();
  const before = (_action, project) => {
    shuffled([
      () => samples.add('floor', timedFloor(project)),
      ...Object.entries(QUESTIONS).map(
        ([kind, { words }]) =>
          () =>
            samples.add(kind, timedCall(project, words)),
      ),
    ]);
  };
  // Each run has nine actions, so this gives at least as many samples of each kind as other sections have.
  for (let run = 0; run < Math.ceil(rounds / 4); run++) drivePlanning({ before });
  const floor = samples.median('floor');
  return {
    title: 'Questions, at every action of a planning run, against node -e 0',
    rows: Object.entries(QUESTIONS).map(([kind, { goal }]) => ratio(kind, goal, samples.median(kind), floor)),
  };
}
