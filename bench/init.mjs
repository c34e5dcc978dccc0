// How long it takes to begin a run.
import { createProject } from '../tests/support/project.mjs';
import { answer, ratio, Samples, shuffled, timedCall, timedFloor } from './measure.mjs';
import { lanes } from './plans.mjs';

const GOAL = 5.5;

/** Measures how planning begins in a new project, with and without a repository, and how an execution begins. */
export function init({ rounds }) {
  const samples = new Samples();
  const inProject = (options, work) => {
    const project = createProject(options);
    try {
      work(project);
    } finally {
      project.remove();
    }
  };
  const planning = [
    'init',
    'add-auth',
    '--recipe',
    'specify-standard-interactive',
    '--goal',
    'Add JWT auth to the API',
  ];
  for (let round = 0; round < rounds; round++) {
    shuffled([
      () => inProject({}, (project) => samples.add('planning', timedCall(project, planning))),
      () => inProject({ git: false }, (project) => samples.add('no repository', timedCall(project, planning))),
      () =>
        inProject({}, (project) => {
          answer(project, ['plan', 'generate', 'add-auth', '--data', '-'], JSON.stringify(lanes(8)));
          samples.add('execution', timedCall(project, ['init', 'add-auth', '--execute']));
        }),
      () => inProject({}, (project) => samples.add('floor', timedFloor(project))),
    ]);
  }
  const floor = samples.median('floor');
  return {
    title: 'init in a fresh project, against node -e 0',
    rows: [
      ratio('planning', GOAL, samples.median('planning'), floor),
      ratio('planning, where no repository is', '', samples.median('no repository'), floor),
      ratio('execution of a plan of eight todos', '', samples.median('execution'), floor),
    ],
  };
}
