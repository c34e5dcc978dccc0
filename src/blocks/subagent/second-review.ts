// door: seldom

import { renderForeignBlock } from '../../documents/foreign.js';
import { comparePlans } from '../../plan/changes/compare.js';
import { renderPlanChanges } from '../../plan/changes/render.js';
import type { PlanContent } from '../../plan/model/schema.js';
import { PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { parsePlan, readPlan } from '../../run/plan/content.js';
import type { RecipeState } from '../../run/recipe-state.js';
import type { Transaction } from '../../run/transaction.js';

/**
 * What a plan's reviewer gets when it judges the plan again: its own review and the changes since, instead of the whole
 * plan (documents.md, Documents by role).
 */

/** How many characters of the previous review are shown; reviewers are told to write at most 2 kB. */
const REVIEW_SHOWN = 12_000;

/**
 * Renders the part of the prompt with the previous review and the changes since.
 * @param last the last verdict of the agent in this block
 * @returns null where the reviewed plan is unknown, or the changes are so large that reading the whole plan is less
 * work
 */
export function renderSinceReview(tx: Transaction, last: RecipeState['reviews'][number]): string | null {
  const before = findReviewed(tx, last.block);
  const now = readPlan(tx.files);
  if (before === null || now === null) return null;
  const changes = renderPlanChanges(comparePlans(before, now), { whole: true });
  if (changes.length > (tx.files.text(PLAN)?.length ?? 0) / 2) return null;
  const review = last.output === null ? last.summary : (tx.files.text(last.output) ?? last.summary);
  const verdict = last.verdict === null ? '' : `, ${last.verdict}`;
  return [
    '## Since the previous review',
    'You have judged this plan before. Now judge what has changed: is each blocking point fixed or disproved, and does a change break anything? Look up the rest only where a change affects it.',
    renderForeignBlock(review, { label: `your review of round ${last.round}${verdict}`, cap: REVIEW_SHOWN }),
    renderForeignBlock(changes.trimEnd() || 'nothing', { label: 'what has changed in the plan since' }),
  ].join('\n\n');
}

/** Finds, in the journal, the plan as it was when the block last delivered its verdict. */
function findReviewed({ past }: Transaction, block: string): PlanContent | null {
  let current: string | null = null;
  let reviewed: string | null = null;
  past.scan(({ type, data, files }) => {
    if ((type === 'acknowledged' || type === 'round') && data['block'] === block) reviewed = current;
    current = files.find(({ path }) => path === PLAN_CONTENT)?.after ?? current;
  });
  return reviewed === null ? null : parsePlan(past.contents([reviewed]).get(reviewed)?.toString());
}
