import type { Turn } from '../../turn.js';

/** What git can tell in full is not repeated here. */
export function changed({ state }: Turn): string[] {
  const head = state.baseline?.head;
  return head == null ? [] : [`\`git diff --stat ${head.slice(0, 12)}\` lists them`];
}
