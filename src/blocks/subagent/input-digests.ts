import { needsVerdict } from '../../recipe/declared.js';
import type { ResolvedAgent, SubagentBlock } from '../../recipe/resolved.js';
import type { PendingState } from '../../run/state.js';
import type { Transaction } from '../../run/transaction.js';
import { digestInput } from '../evidence.js';
import { listReadable } from '../values/readable.js';

/**
 * Computes the digests of the documents that the agents are given to read. Agents that delivered before a retry keep
 * their digests, because their results are based on the contents at that time.
 * @param earlier the block's action before the retry; null when this is no retry
 */
export function digestInputs(
  tx: Transaction,
  block: SubagentBlock,
  agents: ResolvedAgent[],
  earlier: PendingState | null,
): Record<string, string | null> {
  const delivered = block.agents.filter((agent) => !agents.includes(agent));
  const before = earlier?.handed ?? {};
  const kept = listInputs(tx, block, delivered).flatMap((path) => {
    const digest = before[path];
    return digest === undefined ? [] : [[path, digest] as const];
  });
  const now = listInputs(tx, block, agents).map((path) => [path, digestInput(tx.files, path)] as const);
  return Object.fromEntries([...now, ...kept]);
}

/**
 * Lists the inputs that changed after they were given to an agent that has to judge them, since its verdict is about
 * the old contents. DRAFT.md, which every block may change, counts only with `stale: block`.
 * @param without ids of agents that were given up
 */
export function listChangedInputs(
  tx: Transaction,
  block: SubagentBlock,
  { handed = {} }: PendingState,
  without: string[],
): string[] {
  const judges = block.agents.filter(({ id, output }) => {
    const status = tx.state.agents[id]?.status;
    if (output === undefined || without.includes(id)) return false;
    return (status === 'pending' || status === 'done') && needsVerdict(block, output);
  });
  return listInputs(tx, block, judges).filter((path) => {
    const before = handed[path];
    const watched = path !== 'DRAFT.md' || block.stale === 'block';
    return watched && before !== undefined && before !== digestInput(tx.files, path);
  });
}

function listInputs(tx: Transaction, block: SubagentBlock, agents: ResolvedAgent[]): string[] {
  return listReadable(tx, [...new Set(agents.flatMap(({ readsFrom }) => readsFrom))], block.id);
}
