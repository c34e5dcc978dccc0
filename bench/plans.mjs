// Executions of plans of any size in repositories of any size, whose agents report that everything went well.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { planInLanes } from '../tests/support/crew.mjs';
import { createProject } from '../tests/support/project.mjs';
import { answer, run } from './measure.mjs';

export const NAME = 'big';

/** How many todos are dispatched at the same time: one from each lane. */
export const WAVE = 4;

/**
 * Builds a plan in four lanes: each todo waits for the previous one in its lane, so four can be dispatched together.
 * @param {number} todos
 */
export function lanes(todos) {
  const plan = planInLanes(todos);
  const rename = (todo, index) => ({
    ...todo,
    title: `${todo.title} of the whole and what belongs to it`,
    files: [`src/part-${index + 1}/**`],
  });
  return { ...plan, todos: plan.todos.map(rename) };
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

/** The result of a worker that wrote nothing. */
export const NOTHING_WRITTEN = { ...WORKER, learnings: [] };

/**
 * Begins a run that executes a plan in lanes.
 * @param {object} options
 * @param {number} options.todos
 * @param {number | null} [options.tree] how many files its repository has; null for no repository
 * @param {boolean} [options.writes] whether each worker writes a file, which is then committed
 */
export function execution({ todos, tree = null, writes = false }) {
  const project = tree === null ? createProject({ sample: null, git: false }) : repository(tree);
  answer(project, ['plan', 'generate', NAME, '--data', '-'], JSON.stringify(lanes(todos)));
  answer(project, ['init', NAME, '--recipe', 'execute-standard']);
  /** Writes the results of all dispatched tasks; returns the arguments of the acknowledgement that collects them. */
  const prepared = () => {
    const { actionId, tasks, running = [] } = JSON.parse(answer(project, ['next', NAME]));
    for (const { substep, todoId, output } of [...tasks, ...running]) {
      const path = `src/${todoId.replace('todo', 'part')}/made.txt`;
      const isWriting = writes && substep === 'worker';
      if (isWriting) put(project, path, `${todoId}\n`);
      const worker = { ...WORKER, filesChanged: isWriting ? [path] : [] };
      put(project, output, JSON.stringify(substep === 'worker' ? worker : VERIFIED));
    }
    return ['step', 'complete', NAME, '--action', actionId, '--collect'];
  };
  return { project, directory: join(project.root, '.dev/specs', NAME), prepared };
}

/**
 * Creates a project whose repository tracks `files` files. Their objects are packed, as in a clone; otherwise git would
 * start packing them during the first measured commit.
 * @param {number} files
 */
export function repository(files) {
  const project = createProject({ sample: null });
  for (let n = 1; n < files; n++) put(project, `files/${Math.floor(n / 100)}/file-${n}.txt`, `File ${n}.\n`);
  run(project, 'git', ['add', '--all']);
  run(project, 'git', ['-c', 'gc.auto=0', 'commit', '--quiet', '--message', 'Files']);
  run(project, 'git', ['gc', '--quiet']);
  return project;
}

/** Writes a file in the project, creating its directories. */
export function put({ root }, path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
