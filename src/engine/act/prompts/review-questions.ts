import type { ReviewResult } from '../../../documents/results.js';
import type { PlanTodo } from '../../../plan/model/schema.js';
import type { Transaction } from '../../../run/transaction.js';
import { readWholePlan, requireEngine } from '../plan/plan.js';
import { listAssertions, listReviewedTodos } from '../results/judges.js';
import { renderRulesOfTodos } from '../results/must-nots.js';
import { getCriterionId, listReviewedRequirements } from '../results/requirements.js';
import { renderPlanText } from './parts.js';

/**
 * The questions that the code review answers besides reviewing the diff: criteria and must-nots that nobody has judged,
 * and requirements that are not proved yet.
 */

/** A question, and the todo that needs work if the answer is no. */
interface Question {
  id: string;
  text: string;
  todo: string;
}

/** All questions that the review has to answer, in plan order. */
export interface ReviewQuestions {
  criteria: Question[];
  /** The todos' must-nots without paths, each with its todo; must-nots of the whole plan are not included. */
  rules: string[];
  requirements: Question[];
}

/** Lists the questions to the code review; empty if verifiers have judged everything. */
export function listReviewQuestions(tx: Transaction): ReviewQuestions {
  const todos = listReviewedTodos(tx);
  return {
    criteria: todos.flatMap((todo) =>
      listAssertions(todo).map(({ id, text }) => ({
        id: getCriterionId(todo.id, id),
        text: renderPlanText(tx, text),
        todo: todo.id,
      })),
    ),
    rules: renderRulesOfTodos(tx, todos),
    requirements: listReviewedRequirements(tx).map(({ requirement: { id, text }, proofs }) => ({
      id,
      text,
      todo: proofs.at(-1)?.todo ?? '',
    })),
  };
}

/** Turns each question that was answered with no into an issue of the review, for a file of the question's todo. */
export function listAnsweredIssues(tx: Transaction, result: ReviewResult): ReviewResult['issues'][number][] {
  const { criteria, requirements } = listReviewQuestions(tx);
  const { todos } = requireEngine(tx);
  const bodies = new Map<string, PlanTodo>(readWholePlan(tx).todos.map((todo) => [todo.id, todo]));
  const toIssue = (what: string, asked: Question | undefined, why: string) => {
    const file = todos[asked?.todo ?? '']?.listed?.[0] ?? bodies.get(asked?.todo ?? '')?.files[0] ?? '.';
    return {
      file,
      line: null,
      severity: 'major' as const,
      description: `${what} does not hold: ${asked?.text ?? ''}: ${why}`,
    };
  };
  return [
    ...(result.criteria ?? [])
      .filter(({ pass }) => !pass)
      .map(({ id, evidence }) =>
        toIssue(
          id,
          criteria.find((one) => one.id === id),
          evidence,
        ),
      ),
    ...(result.requirements ?? [])
      .filter(({ met }) => !met)
      .map(({ id, why }) =>
        toIssue(
          id,
          requirements.find((one) => one.id === id),
          why,
        ),
      ),
  ];
}
