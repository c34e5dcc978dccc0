import { simpleCrew } from './crew.mjs';

/** A plan that costs almost nothing to carry out, and a crew for it. */

/**
 * Builds a plan 1 → 2,3. The first todo passes a value to the second, which is judged by a command that fails at
 * SMALL_CREW's first attempt; the third has high risk and is judged by an agent and by a person.
 * @returns {import('../../src/plan/model/schema.js').PlanContent}
 */
export function smallPlan() {
  return {
    context: { originalRequest: 'Add JWT auth', interviewSummary: 'Header only', researchFindings: 'src/app.js:12' },
    objectives: {
      core: 'Requests carry a token',
      deliverables: ['src/auth.js'],
      definitionOfDone: ['tests'],
      mustNotDo: [],
    },
    todos: [
      bareTodo('todo-1', {
        outputs: [{ name: 'word', description: 'what the second writes' }],
        acceptance: [{ id: 'ac-1', kind: 'command', run: ['test', '-f', 'made/todo-1.txt'] }],
      }),
      bareTodo('todo-2', {
        dependsOn: ['todo-1'],
        acceptance: [
          { id: 'ac-1', kind: 'command', run: ['grep', '-q', '${todo-1.outputs.word} 2', 'made/todo-2.txt'] },
        ],
      }),
      bareTodo('todo-3', {
        dependsOn: ['todo-1'],
        risk: 'high',
        acceptance: [
          { id: 'as-1', kind: 'assertion', text: 'Nothing but the file of the todo is there.' },
          { id: 'hu-1', kind: 'human', text: 'It reads well.' },
        ],
      }),
    ],
  };
}

/** The crew that carries out `smallPlan`. */
export const SMALL_CREW = simpleCrew({}, { outputs: { word: 'attempt' } });

/**
 * Builds a minimal todo; `change` overrides its members.
 * @param {string} id
 * @param {Partial<import('../../src/plan/model/schema.js').PlanTodo>} change
 * @returns {import('../../src/plan/model/schema.js').PlanTodo}
 */
export function bareTodo(id, change) {
  return {
    id,
    title: `Title of ${id}`,
    type: 'work',
    risk: 'low',
    dependsOn: [],
    inputs: [],
    outputs: [],
    files: [`made/${id}.txt`],
    steps: ['Do it'],
    mustNotDo: [],
    references: [],
    acceptance: [],
    ...change,
  };
}
