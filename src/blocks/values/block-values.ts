// door: conditions

import { isRecord } from '../../base/json.js';
import type { ReadTransaction } from '../../run/transaction.js';

/** The results of a block, for conditions and placeholders (recipes.md, Values between blocks). */
export interface BlockValues {
  /** The status of its step, as in the state. */
  status: string;
  choice: string | null;
  /** Exit code of a `cli` block's command. */
  exit: number | null;
  /** The data that its agent handed in. */
  data: unknown;
  /** Rounds begun. */
  rounds: number;
}

/**
 * Collects the values of every block of the current recipe. A block's choice, exit code and data are null if it has
 * none, or if it has to be done again.
 */
export function readBlockValues({ state, captured }: ReadTransaction): Record<string, BlockValues> {
  const { steps, gates, machine, data = {} } = state;
  return Object.fromEntries(
    captured.recipe.blocks.map(({ id }) => {
      const gate = gates[id];
      return [
        id,
        {
          status: steps[id]?.status ?? 'pending',
          choice: gate === undefined || gate.stale === true ? null : gate.choice,
          exit: steps[id]?.exit ?? null,
          data: data[id] ?? null,
          rounds: machine.counters[id]?.round ?? 0,
        },
      ];
    }),
  );
}

/**
 * Returns the value that a placeholder names, null when it is unset.
 * @param path the text after `blocks.`: the block, a member, and keys of its data
 */
export function readBlockValue(tx: ReadTransaction, path: string): unknown {
  let value: unknown = readBlockValues(tx);
  for (const key of path.split('.')) {
    if (!isRecord(value) && !Array.isArray(value)) return null;
    value = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : null;
  }
  return value ?? null;
}
