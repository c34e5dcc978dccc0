import type { CounterAction } from './machine-config.js';
import type { Counters } from './position.js';

type AllCounters = Record<string, Counters>;

/**
 * The counters after one counter action; the given ones stay as they are.
 * @param order the ids of the program's blocks, in order
 */
export function applyCounter(counters: AllCounters, action: CounterAction, order: readonly string[]): AllCounters {
  switch (action.type) {
    case 'enter':
      return changed(counters, [action.params.block], (old) => ({ ...old, round: old.round + 1, retries: 0 }));
    case 'nextRound':
      return changed(counters, [action.params.block], (old) => ({ ...old, round: old.round + 1 }));
    case 'forgive':
      return changed(counters, [action.params.block], (old) => ({ ...old, roundBase: old.roundBase + 1 }));
    case 'retry':
      return changed(counters, [action.params.block], (old) => ({ ...old, retries: old.retries + 1 }));
    case 'jump':
      return changed(counters, [action.params.block], (old) => ({ ...old, jumps: old.jumps + 1 }));
    case 'grant': {
      const { from, before } = action.params;
      const granted = order.slice(order.indexOf(from), before === null ? order.length : order.indexOf(before));
      return changed(counters, granted, ({ round }) => ({ round, roundBase: round, retries: 0, jumps: 0 }));
    }
  }
}

function changed(counters: AllCounters, blocks: string[], change: (old: Counters) => Counters): AllCounters {
  return { ...counters, ...Object.fromEntries(blocks.map((id) => [id, change(counters[id] as Counters)])) };
}
