import { DevCliError } from '../../base/errors.js';
import { sha256 } from '../../base/sha256.js';
import { untickBoxes } from '../../plan/page/boxes.js';
import { sortByRecipe } from '../../recipe/declared.js';
import type { ResolvedBlock, SubagentBlock } from '../../recipe/resolved.js';
import { PLAN } from '../../run/paths.js';
import { type PendingBlock, recordAcknowledged } from '../../run/pending-action.js';
import { getBlock, type ReadTransaction, type Transaction } from '../../run/transaction.js';
import type { Acknowledged } from '../acknowledgement.js';
import { digestInput } from '../evidence.js';
import { listChangedInputs } from '../subagent/input-digests.js';
import { listReadable } from './readable.js';
import { fillPlaceholders } from './values.js';

/**
 * Warns of documents that changed after a finished block had used them, or after a gate about them had been answered.
 * @throws DevCliError `INPUT_CHANGED` when the block refuses such changes (`stale: block`)
 */
export function warnChanges(tx: Transaction): void {
  warnChangedInputs(tx);
  warnOutdatedApprovals(tx);
}

/**
 * Compares the inputs of finished blocks with their recorded digests (recipes.md, Staleness). Each change causes one
 * warning, or a refusal if the block has `stale: block`.
 * @throws DevCliError `INPUT_CHANGED`
 */
function warnChangedInputs(tx: Transaction): void {
  const { inputHashes } = tx.state;
  for (const [id, inputs] of Object.entries(inputHashes)) {
    const block = getBlock(tx, id);
    for (const [path, recorded] of Object.entries(inputs)) {
      const now = digestInput(tx.files, path);
      if (now === recorded) continue;
      if (block.stale === 'block') {
        throw new DevCliError('INPUT_CHANGED', `${path} changed after "${id}" was built on it.`, {
          details: [{ target: path, problem: now === null ? 'removed' : 'changed' }],
          fix: { command: 'step invalidate', input: { name: tx.state.name, step: id } },
        });
      }
      tx.warnings.push(`${path} changed after "${id}" was built on it`);
      inputHashes[id] = { ...inputHashes[id], [path]: now };
    }
  }
}

/** Warns of gates whose artifact has changed since the decision. Every call repeats this, because it remains true. */
function warnOutdatedApprovals(tx: Transaction): void {
  for (const { block, choice, path } of listOutdatedApprovals(tx)) {
    tx.warnings.push(`${path} changed since "${block}" was answered with "${choice}"`);
  }
}

/**
 * Refuses reviews of documents that have changed since they were handed out. The step has to be done again with the new
 * versions.
 * @param without agents that were given up, whose reviews do not matter
 * @throws DevCliError `INPUT_CHANGED`
 */
export function refuseOutdated(
  tx: Transaction,
  { block, action }: PendingBlock<SubagentBlock>,
  without: string[],
): void {
  const changed = listChangedInputs(tx, block, action, without);
  if (changed.length === 0) return;
  throw new DevCliError(
    'INPUT_CHANGED',
    `${changed.join(', ')} changed after "${block.id}" was handed out; a verdict on the earlier version does not count.`,
    {
      details: changed.map((path) => ({ target: path, problem: 'changed since the action was issued' })),
      fix: { command: 'step invalidate', input: { name: tx.state.name, step: block.id } },
    },
  );
}

/**
 * Records the digests of a finished block's inputs: as of the dispatch for documents that its agents were given, as of
 * now for the rest. DRAFT.md, which every block may change, counts only with `stale: block`. Must be called before the
 * run advances, because a choice that leads back retracts the block together with its inputs.
 */
export function recordInputs(tx: Transaction, { block, action }: PendingBlock): void {
  const paths = listInputs(tx, block).filter((path) => path !== 'DRAFT.md' || block.stale === 'block');
  if (paths.length === 0) return;
  const now = Object.fromEntries(paths.map((path) => [path, digestInput(tx.files, path)]));
  const handed = Object.entries(action.handed ?? {}).filter(([path]) => path in now);
  tx.state.inputHashes[block.id] = { ...now, ...Object.fromEntries(handed) };
}

function listInputs(tx: Transaction, block: ResolvedBlock): string[] {
  if (!('read' in block)) return [];
  const agents = 'agents' in block ? block.agents.flatMap((agent) => agent.readsFrom) : [];
  return listReadable(tx, [...new Set([...block.read, ...block.consult, ...agents])], block.id);
}

/** Completes the action: records its evidence and its block's inputs, and returns the machine's event. */
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

/** A gate whose artifact has changed since the decision. */
export interface OutdatedApproval {
  block: string;
  choice: string;
  /** The artifact, relative to the run's directory. */
  path: string;
}

/**
 * Lists the decisions whose artifact has changed since (recipes.md, Gates). Neither ticked boxes in PLAN.md nor an
 * artifact that a finished run has cleaned up counts as a change.
 */
export function listOutdatedApprovals(run: ReadTransaction): OutdatedApproval[] {
  return sortByRecipe(run.captured.recipe, run.state.gates).flatMap(([id, gate]) => {
    const block = getBlock(run, id);
    if (!('artifact' in block) || block.artifact === undefined) return [];
    if (gate.digest === undefined || gate.stale === true) return [];
    const path = fillPlaceholders(run, block.artifact, id);
    const text = run.files.text(path);
    if (text === null && run.state.status !== 'live') return [];
    const same = run.files.digest(path) === gate.digest;
    const onlyTicked = text !== null && path === PLAN && sha256(untickBoxes(text)) === gate.digest;
    return same || onlyTicked ? [] : [{ block: id, choice: gate.choice, path }];
  });
}
