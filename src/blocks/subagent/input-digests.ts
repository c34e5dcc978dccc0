import type { ResolvedAgent, SubagentBlock } from '../../recipe/resolved.js';
import type { PendingState } from '../../run/state.js';
import type { Transaction } from '../../run/transaction.js';
import { digestInput } from '../evidence.js';
import { needsVerdict } from '../prompt.js';
import { fillPath } from '../values.js';

/**
 * Digests of what these agents are handed to read. What an agent that has delivered before was handed is kept: its result
 * is about that.
 * @param earlier the action of the same block before a retry
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
 * What an agent of the block that gives a verdict was handed and what is no longer the same: its verdict is about
 * something else. DRAFT.md is everybody's, so only a block with `stale: block` looks at it.
 * @param without agents whose verdict is not waited for
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
  return [...new Set(agents.flatMap(({ readsFrom }) => readsFrom))].map((path) => fillPath(tx, path, block.id));
}
