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
 * What a plan's reviewer is given when it judges the plan again: its own review and what has changed since, in place of the whole
 * plan (documents.md, Documents by role).
 */

/** How many characters of the review before are shown; a review is told to take 2 kB. */
const REVIEW_SHOWN = 12_000;

/**
 * Renders the part of the prompt that shows the review before and what has changed since.
 * @param last the last verdict of the agent in this block
 * @returns null where the plan as it was reviewed is not known, or so much has changed that reading it anew is less
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
    '## Since the review before',
    'You have judged this plan. Judge now what has changed: is each blocking point repaired or disproved, and does a change break anything? Look up the rest only where a change bears on it.',
    renderForeignBlock(review, { label: `your review of round ${last.round}${verdict}`, cap: REVIEW_SHOWN }),
    renderForeignBlock(changes.trimEnd() || 'nothing', { label: 'what has changed in the plan since' }),
  ].join('\n\n');
}

/** The plan as it stood when the block last delivered its verdict, from the journal. */
function findReviewed({ past }: Transaction, block: string): PlanContent | null {
  let current: string | null = null;
  let reviewed: string | null = null;
  past.scan(({ type, data, files }) => {
    if ((type === 'acknowledged' || type === 'round') && data['block'] === block) reviewed = current;
    current = files.find(({ path }) => path === PLAN_CONTENT)?.after ?? current;
  });
  return reviewed === null ? null : parsePlan(past.contents([reviewed]).get(reviewed)?.toString());
}
