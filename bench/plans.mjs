// Executions of large plans: what a call takes with 10, 1,000 and 10,000 todos (engine.md, Scale).
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, createProject } from '../tests/support/project.mjs';

const NAME = 'big';

/**
 * A plan in lanes: four todos can be out together, each waits for the one before it in its lane.
 * @param {number} todos
 */
function lanes(todos) {
  return {
    context: { originalRequest: 'Do it all', interviewSummary: 'Asked', researchFindings: 'Found' },
    objectives: { core: 'All is done', deliverables: ['src/'], definitionOfDone: ['it holds'], mustNotDo: [] },
    todos: Array.from({ length: todos }, (_, index) => ({
      id: `todo-${index + 1}`,
      title: `Write part ${index + 1} of the whole and what belongs to it`,
      type: 'work',
      risk: 'low',
      dependsOn: index < 4 ? [] : [`todo-${index - 3}`],
      inputs: [],
      outputs: [],
      files: [`src/part-${index + 1}/**`],
      steps: ['Write it.'],
      mustNotDo: [],
      references: [],
      acceptance: [{ id: 'as-1', kind: 'assertion', text: 'It is written.' }],
    })),
  };
}

const WORKER = {
  status: 'DONE',
  outputs: {},
  filesChanged: [],
  learnings: ['It is so.'],
  issues: [],
  summary: 'Written.',
};
const VERIFIED = {
  status: 'VERIFIED',
  criteria: [{ id: 'as-1', pass: true, evidence: 'seen' }],
  mustNotDoViolations: [],
  sideEffects: [],
  environmentError: null,
  suggestedAdaptation: null,
  summary: 'Holds.',
};

/**
 * A run that executes such a plan. There is no repository: what git takes is the same whatever the plan.
 * @param {number} todos
 */
export function execution(todos) {
  const project = createProject({ sample: null, git: false });
  const file = join(project.root, 'plan.json');
  writeFileSync(file, JSON.stringify(lanes(todos)));
  answer(project, ['plan', 'generate', NAME, '--data', '@plan.json']);
  answer(project, ['init', NAME, '--recipe', 'execute-standard']);
  const action = () => JSON.parse(answer(project, ['next', NAME]));
  /** Hands in what every task that is out was to bring; gives the words of the acknowledgement. */
  const prepared = () => {
    const { actionId, tasks, running } = action();
    for (const { substep, output } of [...tasks, ...running]) {
      const path = join(project.root, output);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, JSON.stringify(substep === 'worker' ? WORKER : VERIFIED));
    }
    return ['step', 'complete', NAME, '--action', actionId, '--collect'];
  };
  return { project, name: NAME, prepared };
}

function answer(project, args) {
  const child = spawnSync(process.execPath, [BINARY, ...args], {
    cwd: project.root,
    env: project.env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (child.status !== 0) throw new Error(`${args.join(' ')}: ${child.stdout}${child.stderr}`);
  return child.stdout;
}
