import { sha256 } from '../base/sha256.js';
import { unticked } from '../documents/plan-boxes.js';
import { PLAN } from '../run/paths.js';
import { blockOf, type Turn } from '../run/turn.js';
import { inRecipeOrder } from './recipe-order.js';
import { filled } from './values.js';

/** A gate whose artifact is no longer what was decided on. */
export interface ChangedApproval {
  block: string;
  choice: string;
  /** The artifact, relative to the run's directory. */
  path: string;
}

/**
 * The decisions that were about another content than the one that stands there now (recipes.md §2, `artifact`). A box
 * that dev-cli ticks in PLAN.md changes nothing of what was decided; what a finished run has cleaned up is no change.
 */
export function changedApprovals(turn: Turn): ChangedApproval[] {
  return inRecipeOrder(turn.captured.recipe, turn.state.gates).flatMap(([id, gate]) => {
    const block = blockOf(turn, id);
    if (block.kind !== 'wait-for-user' || block.artifact === undefined) return [];
    if (gate.digest === undefined || gate.stale === true) return [];
    const path = filled(turn, block.artifact, id);
    const text = turn.files.text(path);
    if (text === null && turn.state.status !== 'live') return [];
    const same = turn.files.digest(path) === gate.digest;
    const onlyTicked = text !== null && path === PLAN && sha256(unticked(text)) === gate.digest;
    return same || onlyTicked ? [] : [{ block: id, choice: gate.choice, path }];
  });
}
