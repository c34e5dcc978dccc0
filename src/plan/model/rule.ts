import type { PlanRule } from './schema.js';

/** Returns the text of what must not be done, whether paths stand with it or not. */
export function getRuleText(rule: PlanRule): string {
  return typeof rule === 'string' ? rule : rule.text;
}
