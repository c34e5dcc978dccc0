import { maskSecrets } from '../../documents/foreign.js';
import { listUncovered } from '../check/coverage.js';
import type { PlanContent } from '../model/schema.js';
import { renderProse } from './prose.js';
import { type PlanSetting, showRequest } from './setting.js';

/** A plan and the request that it answers (documents.md, Requirements). */

/** Words of the request that PLAN.md names at most. */
const NAMED = 20;

/**
 * Lists the words of the request that no requirement quotes, and no must-not repeats; none for a plan that states no
 * requirements.
 * @param goal of the run; without one, the plan's own `originalRequest` is the request
 */
export function listUncoveredWords(plan: PlanContent, goal: string | null): string[] {
  const request = goal || plan.context.originalRequest;
  const quotes = (plan.requirements ?? []).map(({ quote }) => quote);
  return request === undefined || quotes.length === 0
    ? []
    : listUncovered(request, [...quotes, ...listForbidden(plan)]);
}

/** What nobody may do, without the point at the end: what the request forbids, in its words. */
function listForbidden({ objectives, todos }: PlanContent): string[] {
  const rules = [...objectives.mustNotDo, ...todos.flatMap(({ mustNotDo }) => mustNotDo)];
  return rules.map((rule) => (typeof rule === 'string' ? rule : rule.text).replace(/[\s.!。！]+$/u, ''));
}

/** Prepares what PLAN.md shows besides the plan. */
export function createPlanSetting(plan: PlanContent, name: string, goal: string | null): PlanSetting {
  const uncovered = listUncoveredWords(plan, goal);
  const lines = uncovered.slice(0, NAMED).map((text) => `- ${renderProse(maskSecrets(text))}`);
  const more = uncovered.length - lines.length;
  const request = showRequest(goal ?? '');
  return {
    name,
    ...(request === '' ? {} : { request }),
    ...(lines.length === 0 ? {} : { uncovered: more > 0 ? [...lines, `- and ${more} more`] : lines }),
  };
}
