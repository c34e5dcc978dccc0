// Times every acknowledgement in whole runs.
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { StandIn } from '../tests/support/agent.mjs';
import { simpleCrew } from '../tests/support/crew.mjs';
import { inShell } from '../tests/support/line.mjs';
import { createProject } from '../tests/support/project.mjs';
import { drive, drivePlanning } from './driven.mjs';
import { answer, ratio, Samples, shuffled, timed, timedFloor } from './measure.mjs';
import { lanes, NOTHING_WRITTEN } from './plans.mjs';

const [MAJOR = 0] = process.versions.node.split('.').map(Number);
const GOAL = { plan: 3.7, choice: MAJOR >= 22 ? 2.6 : 3, execution: 4.2 };

/** Script that appends 4 KiB to a file durably, as the least that an acknowledgement must do. */
const ONE_LINE = `
const fs = require('node:fs');
const file = fs.openSync(process.argv[1], 'a');
fs.writeSync(file, Buffer.alloc(4096, 'x'));
fs.fsyncSync(file);
`;

/** Todos in the measured execution: two waves. */
const TODOS = 8;

/** Measures the acknowledgements of a planning run, and of executions that commit nothing. */
export function acknowledgements({ rounds }) {
  const [planning, inRepository, elsewhere, floors] = [new Samples(), new Samples(), new Samples(), new Samples()];
  for (let round = 0; round < rounds; round++) {
    shuffled([
      () => timedPlanning(planning, floors),
      () => timedExecution(inRepository, floors, true),
      () => timedExecution(elsewhere, floors, false),
    ]);
  }
  const floor = floors.median('node');
  const row = (what, goal, samples, kinds = samples.kinds()) => ratio(what, goal, samples.mean(kinds), floor);
  const kinds = planning.kinds();
  const choices = kinds.filter((kind) => kind.endsWith('--choice'));
  return {
    title: 'Acknowledgements, the mean over whole runs, against node -e 0',
    rows: [
      row(`planning: its ${kinds.length} acknowledgements`, GOAL.plan, planning),
      ...kinds.map((kind) => row(`  ${kind}`, '', planning, [kind])),
      row('a choice', GOAL.choice, planning, choices),
      row(`execution without commit: its ${inRepository.kinds().length}`, GOAL.execution, inRepository),
      ...inRepository.kinds().map((kind) => row(`  ${kind}`, '', inRepository, [kind])),
      row('execution where no repository is', '', elsewhere),
      row('node that appends a line, with fsync', '', floors, ['line']),
    ],
  };
}

function timedPlanning(samples, floors) {
  let at = '';
  let takenByTerminal = 0;
  const after = ({ words, typed, milliseconds }) => {
    if (typed) samples.add(`${at}, by a person at a terminal`, milliseconds - takenByTerminal);
    else if (words[0] === 'step') samples.add(words.includes('--choice') ? `${at} --choice` : at, milliseconds);
  };
  const before = (action, project) => {
    at = action.block;
    timedFloors(project, floors);
    if (action.human === 'required') takenByTerminal = terminalAlone(project);
  };
  drivePlanning({ before, after });
}

function timedExecution(samples, floors, git) {
  const project = createProject({ git });
  try {
    const name = 'in-lanes';
    answer(project, ['plan', 'generate', name, '--data', '-'], JSON.stringify(lanes(TODOS)));
    let at = '';
    const crew = simpleCrew({ worker: () => ({ files: {}, result: NOTHING_WRITTEN }) });
    const before = ({ tasks = [], actionId }) => {
      const substeps = new Set(tasks.map(({ substep }) => substep));
      at = `${actionId}, results of ${tasks.length} × ${[...substeps].join(', ')}`;
      timedFloors(project, floors);
    };
    const after = ({ words, milliseconds }) => {
      if (words[0] === 'step') samples.add(at, milliseconds);
    };
    const agent = new StandIn({ project, name, crew, scenario: { before } });
    drive(after, agent, () => agent.execute('--execute'));
  } finally {
    project.remove();
  }
}

function timedFloors(project, floors) {
  shuffled([
    () => floors.add('node', timedFloor(project)),
    () => floors.add('line', timed(project, process.execPath, ['-e', ONE_LINE, join(project.home, 'line')])),
  ]);
}

/** Measures the milliseconds that script(1) and the simulated typing take, without the program run in the terminal. */
function terminalAlone(project) {
  const around = { cwd: project.root, env: project.env, typed: ['x'] };
  const from = performance.now();
  inShell(`${process.execPath} -e 0`, around);
  return performance.now() - from - timedFloor(project);
}
