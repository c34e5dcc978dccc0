// Executions of plans of many todos: what one call costs as the plan grows (engine.md, last section; house.md, Speed).
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { planContent } from '../tests/support/content.mjs';
import { createProject } from '../tests/support/project.mjs';
import { answer, call, median } from './call.mjs';

const SIZES = [10, 1_000, 10_000];
const GOALS = { 1000: 1.5, 10000: 3 };
/** A wave with 10,000 todos writes megabytes: enough for a median, few enough to wait for. */
const ROUNDS = 5;
const NAME = 'many';

/** One question and one acknowledged wave, with 1,000 and 10,000 todos against 10. */
export function manyTodos() {
  const executions = SIZES.map(begun);
  try {
    const taken = executions.map(() => ({ next: [], acknowledged: [] }));
    for (let round = 0; round < ROUNDS; round++) {
      executions.forEach((execution, index) => {
        taken[index].next.push(call(execution.project, 'next', NAME));
        taken[index].acknowledged.push(acknowledged(execution));
      });
    }
    const [few, ...many] = taken.map(({ next, acknowledged }) => ({
      next: median(next),
      acknowledged: median(acknowledged),
    }));
    const rows = many.flatMap((times, index) => {
      const size = SIZES[index + 1];
      return [
        row(`next, ${size} todos`, GOALS[size], times.next, few.next),
        row(`step complete of a wave, ${size} todos`, GOALS[size], times.acknowledged, few.acknowledged),
      ];
    });
    return { title: 'A call of an execution against the same with 10 todos', rows };
  } finally {
    for (const { project } of executions) project.remove();
  }
}

function row(what, goal, taken, floor) {
  const more = { unit: '×', floor: `floor ${floor.toFixed(1)} ms` };
  return [`${what}  (${taken.toFixed(1)} ms)`, goal, taken / floor, more];
}

/** An execution whose first wave is out and has delivered. */
function begun(size) {
  const project = createProject();
  writeFileSync(join(project.root, 'plan.json'), JSON.stringify(planOf(size)));
  answer(project, ['plan', 'generate', NAME, '--data', '@plan.json']);
  rmSync(join(project.root, 'plan.json'));
  const { next } = JSON.parse(answer(project, ['init', NAME, '--recipe', 'execute-quick', '--autopilot']));
  const result = { status: 'DONE', outputs: {}, filesChanged: [], learnings: [], issues: [], summary: 'Did it.' };
  for (const { output } of next.tasks) writeFileSync(join(project.root, output), JSON.stringify(result));
  cpSync(join(project.root, '.dev'), join(project.home, 'before'), { recursive: true, preserveTimestamps: true });
  return { project, ack: next.ack.split(' ').slice(1) };
}

/** Acknowledges the first wave; before each measured call the run is put back to where that wave is out. */
function acknowledged({ project, ack }) {
  const home = join(project.root, '.dev');
  rmSync(home, { recursive: true });
  cpSync(join(project.home, 'before'), home, { recursive: true, preserveTimestamps: true });
  return call(project, ...ack);
}

/** Todos that do not wait for each other and touch one file each. */
function planOf(size) {
  const plan = planContent(0);
  const [like] = plan.todos;
  plan.todos = Array.from({ length: size }, (_, index) => ({
    ...like,
    id: `todo-${index + 1}`,
    title: `Write note ${index + 1}`,
    inputs: [],
    outputs: [],
    dependsOn: [],
    files: [`notes/${index + 1}.txt`],
    steps: [`Write notes/${index + 1}.txt.`],
    mustNotDo: [],
    references: [],
    acceptance: [{ id: 'ac-1', kind: 'assertion', text: 'The note is there.' }],
  }));
  return plan;
}
