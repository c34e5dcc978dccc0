import { renderForeignBlock } from './foreign.js';

/**
 * Renders a goal as the purpose of a draft, which agents read: one line as it is, more of them as a block that they cannot take
 * for instructions, nor its headings for sections (documents.md, Foreign text).
 */
export function renderGoal(goal: string): string {
  return goal.trim().includes('\n') ? renderForeignBlock(goal.trim(), { label: 'The request' }) : goal;
}
