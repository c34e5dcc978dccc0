import type { Shade } from '../base/spans.js';
import type { StepState } from '../run/recipe-state.js';

/** The state of a block, phase, todo, stage or run, as views show it. */
export type SignName = StepState['status'] | 'waiting' | 'held';

/** How views show each state: as a sign or a word, and a colour, which never stands for the state on its own. */
export const SIGNS: Readonly<Record<SignName, { sign: string; word: string; as: Shade }>> = {
  done: { sign: '✓', word: 'done', as: 'good' },
  running: { sign: '◐', word: 'at work', as: 'busy' },
  waiting: { sign: '●', word: 'waits for you', as: 'you' },
  failed: { sign: '✗', word: 'failed', as: 'bad' },
  stale: { sign: '○', word: 'to be redone', as: 'busy' },
  pending: { sign: '·', word: 'to come', as: 'quiet' },
  skipped: { sign: '–', word: 'skipped', as: 'quiet' },
  held: { sign: '‖', word: 'held', as: 'strong' },
};
