import type { PlanAcceptance, PlanContent, PlanTodo } from '../../../src/plan/model/schema.js';
import { bareTodo } from '../../support/small.mjs';

/** Returns a small, valid plan, with the members of `change` replaced. */
export function aPlan(change: Partial<PlanContent> = {}): PlanContent {
  return {
    context: { originalRequest: 'Add JWT auth', interviewSummary: 'Header only', researchFindings: 'src/app.js:12' },
    objectives: {
      core: 'Requests carry a token',
      deliverables: ['src/auth.js'],
      definitionOfDone: ['tests'],
      mustNotDo: [],
    },
    todos: [aTodo('todo-1'), aTodo('todo-2', { dependsOn: ['todo-1'] }), aTodo('todo-3', { dependsOn: ['todo-1'] })],
    ...change,
  };
}

export function aTodo(id: string, change: Partial<PlanTodo> = {}): PlanTodo {
  return bareTodo(id, { files: [`src/${id}/**`], acceptance: [aCommand('ac-1')], ...change });
}

export function aCommand(id: string, run: string[] = ['npm', 'test']): PlanAcceptance {
  return { id, kind: 'command', run };
}
