import { toWholeLine } from '../../documents/foreign.js';
import type { ResolvedBlock } from '../../recipe/resolved.js';
import { isSkipped, isWithout } from '../../run/facts.js';
import type { Transaction } from '../../run/transaction.js';
import { isLeftOut } from '../left-out.js';
import { fillPath } from './values.js';

/**
 * Fills the placeholders of paths that a block or its agents should read. Leaves out documents that only skipped blocks
 * and agents would have written (recipes.md, Instructions).
 * @throws DevCliError like `fillPath`
 */
export function listReadable(tx: Transaction, paths: readonly string[], block: string): string[] {
  const filled = paths.map((path) => fillPath(tx, path, block));
  if (filled.length === 0 || !tx.captured.recipe.blocks.some((one) => isPassedOver(tx, one))) return filled;
  return filled.filter((path) => !isLeftOut(tx, path));
}

function isPassedOver({ state }: Transaction, block: ResolvedBlock): boolean {
  if (isSkipped(state, block)) return true;
  return 'agents' in block && block.agents.some(({ id, when }) => when !== undefined && isWithout(state, block, id));
}

/**
 * Explains why a document that should be read is missing; empty when it exists. `said` renders the reason that its
 * writer gave.
 */
export function explainAbsence(tx: Transaction, path: string, said: (reason: string) => string = toWholeLine): string {
  if (tx.files.facts(path).kind === 'file') return '';
  const writer = Object.entries(tx.state.agents).find(([, agent]) => agent.output === path);
  if (writer === undefined) return ' (missing)';
  const [id, agent] = writer;
  const reason = agent.status === 'failed' ? `: ${said(agent.reason ?? 'no reason given')}` : '';
  return ` (missing: ${id} ${agent.status === 'failed' ? 'failed' : 'did not run'}${reason})`;
}
