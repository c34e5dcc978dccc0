import { DevCliError } from '../base/errors.js';
import type { ResolvedBlock, SubagentBlock } from '../recipe/resolved.js';
import { type PendingBlock, recordAcknowledged } from '../run/pending-action.js';
import { getBlock, type Transaction } from '../run/transaction.js';
import type { Acknowledged } from './acknowledgement.js';
import { listOutdatedApprovals } from './approvals.js';
import { digestInput } from './evidence.js';
import { listChangedInputs } from './subagent/input-digests.js';
import { fillPlaceholders } from './values.js';

/**
 * Warns of what changed since it was built on or decided on.
 * @throws DevCliError `INPUT_CHANGED`
 */
export function warnChanges(tx: Transaction): void {
  warnChangedInputs(tx);
  warnOutdatedApprovals(tx);
}

/**
 * Compares the documents that finished blocks were built on with what they were (recipes.md, Staleness). A change by
 * somebody else is a warning once, or a refusal where the block says so. DRAFT.md is everybody's, so only a block with
 * `stale: block` looks at it.
 * @throws DevCliError `INPUT_CHANGED`
 */
function warnChangedInputs(tx: Transaction): void {
  for (const [id, inputs] of Object.entries(tx.state.inputHashes)) {
    const block = getBlock(tx, id);
    for (const [path, recorded] of Object.entries(inputs)) {
      const now = digestInput(tx.files, path);
      if (now === recorded) continue;
      if (block.stale === 'block') {
        throw new DevCliError('INPUT_CHANGED', `${path} changed since "${id}" built on it.`, {
          details: [{ target: path, problem: now === null ? 'removed' : 'changed' }],
          fix: { command: 'step invalidate', input: { name: tx.state.name, step: id } },
        });
      }
      tx.warnings.push(`${path} changed since "${id}" built on it`);
      inputs[path] = now;
    }
  }
}

/** Tells which gates were decided on an artifact that has changed since. Told every time: it goes on being true. */
function warnOutdatedApprovals(tx: Transaction): void {
  for (const { block, choice, path } of listOutdatedApprovals(tx)) {
    tx.warnings.push(`${path} changed since "${block}" was answered with "${choice}"`);
  }
}

/**
 * Refuses a review that is about something else than what lies there now. The step is done again, with what is there.
 * @throws DevCliError `INPUT_CHANGED`
 */
export function refuseOutdated(
  tx: Transaction,
  { block, state }: PendingBlock<SubagentBlock>,
  without: string[],
): void {
  const changed = listChangedInputs(tx, block, state, without);
  if (changed.length === 0) return;
  throw new DevCliError(
    'INPUT_CHANGED',
    `${changed.join(', ')} changed after "${block.id}" was handed out; a verdict on what was there before does not count.`,
    {
      details: changed.map((path) => ({ target: path, problem: 'changed since the action was issued' })),
      fix: { command: 'step invalidate', input: { name: tx.state.name, step: block.id } },
    },
  );
}

/**
 * Records what a block that is done was built on: what its agents were handed, and what lies there now. To be called before the run goes on: a choice that leads back retracts
 * the block, and its inputs with it.
 */
export function recordInputs(tx: Transaction, { block, state }: PendingBlock): void {
  const paths = listInputs(tx, block).filter((path) => path !== 'DRAFT.md' || block.stale === 'block');
  if (paths.length === 0) return;
  const now = Object.fromEntries(paths.map((path) => [path, digestInput(tx.files, path)]));
  const handed = Object.entries(state.handed ?? {}).filter(([path]) => path in now);
  tx.state.inputHashes[block.id] = { ...now, ...Object.fromEntries(handed) };
}

function listInputs(tx: Transaction, block: ResolvedBlock): string[] {
  if (!('read' in block)) return [];
  const agents = 'agents' in block ? block.agents.flatMap((agent) => agent.readsFrom) : [];
  return [...new Set([...block.read, ...block.consult, ...agents])].map((path) => fillPlaceholders(tx, path, block.id));
}

/** The action is done: recorded with its evidence, and what its block was built on, before the run goes on. */
export function completeAction(
  tx: Transaction,
  pending: PendingBlock,
  evidence: Parameters<typeof recordAcknowledged>[2],
  summary?: string,
): Acknowledged {
  recordInputs(tx, pending);
  recordAcknowledged(tx, pending, evidence, summary);
  return { result: { kind: 'completed', block: pending.block.id }, event: { type: 'DONE' } };
}
