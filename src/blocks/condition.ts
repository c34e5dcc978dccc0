import { readDraft } from '../documents/draft.js';
import { SECTION_IDS } from '../documents/sections.js';
import { evaluateCondition } from '../recipe/conditions.js';
import { getCurrent } from '../run/current.js';
import { getRound, type Standing } from '../run/transaction.js';

/** Conditions over the values of a run (recipes.md, Conditions). Behind a door: few acknowledgements come to one. */

/**
 * Whether a condition of the recipe holds.
 * @param block the block whose round counts; null outside any block
 * @param more further values, such as the todo of a handler
 * @throws DevCliError `RECIPE_INVALID` as `evaluateCondition`
 */
export function holds(
  tx: Standing,
  condition: string,
  block: string | null,
  more: Readonly<Record<string, unknown>> = {},
): boolean {
  return evaluateCondition(condition, { ...buildScope(tx, block), ...more });
}

/** Builds what a condition sees; every declared name is there, null when unset. */
function buildScope(tx: Standing, block: string | null): Record<string, unknown> {
  const { state } = tx;
  const draftText = tx.files.text('DRAFT.md');
  const sections = draftText === null ? null : readDraft(draftText);
  return {
    mode: getCurrent(state).mode,
    vars: getCurrent(state).vars,
    goal: state.goal,
    preferences: state.preferences,
    round: getRound(tx, block),
    draft: Object.fromEntries(SECTION_IDS.map((id) => [id, sections?.[id] ?? { filled: false, text: '' }])),
    agents: Object.fromEntries(
      Object.entries(getCurrent(state).agents).map(([id, agent]) => [
        id,
        {
          status: agent.status,
          verdict: agent.verdict ?? null,
          summary: agent.summary ?? null,
          questions: agent.questions ?? null,
        },
      ]),
    ),
    result: getCurrent(state).result,
  };
}
