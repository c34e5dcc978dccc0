import type { PlanRule } from './schema.js';

/** Returns the text of a must-not, with or without paths. */
export function getRuleText(rule: PlanRule): string {
  return typeof rule === 'string' ? rule : rule.text;
}
