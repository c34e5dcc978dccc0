import { toWholeLine } from '../../../documents/foreign.js';
import type { PlanTodo } from '../../../plan/model/schema.js';
import type { Transaction } from '../../../run/transaction.js';
import { readPlanHead } from '../plan/plan.js';
import { renderBullets, renderPart, renderPlanText } from './parts.js';

/** Renders what a todo is for: the objective, the requirements that it serves, the decisions that concern it. */
export function renderPurpose(tx: Transaction, { serves = [] }: Pick<PlanTodo, 'serves'>): string {
  const { objectives, requirements = [], decisions = [] } = readPlanHead(tx);
  const served = requirements.filter(({ id }) => serves.includes(id));
  // A decision that names no requirement concerns every todo.
  const concerning = decisions.filter(
    (one) => one.serves === undefined || one.serves.some((id) => serves.includes(id)),
  );
  return renderPart('What it is for', [
    ...renderBullets([
      renderPlanText(tx, objectives.core),
      ...served.map(({ id, text, quote }) => `${id}: ${renderPlanText(tx, text)}${renderQuote(text, quote)}`),
      ...concerning.map(({ text, reason, by }) => {
        const why = reason === undefined ? '' : ` (${renderPlanText(tx, reason)})`;
        return `decided (${by}): ${renderPlanText(tx, text)}${why}`;
      }),
    ]),
  ]);
}

/** The words that a requirement comes from, where it does not repeat them. */
function renderQuote(text: string, quote: string): string {
  return text.includes(quote) ? '' : ` (in the words: "${toWholeLine(quote)}")`;
}
