import type { SubagentBlock } from './resolved.js';

/** Whether an output has to state a verdict, OKAY or REJECT (documents/report.ts): one below `reviews/`, or where a loop asks for it. */
export function needsVerdict({ exitWhen }: Pick<SubagentBlock, 'exitWhen'>, output: string): boolean {
  return output.startsWith('reviews/') || (exitWhen ?? '').includes('verdict');
}
