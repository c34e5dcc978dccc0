import { sha256 } from '../base/sha256.js';
import { untickBoxes } from '../plan/page/boxes.js';
import { sortByRecipe } from '../recipe/declared.js';
import { PLAN } from '../run/paths.js';
import { getBlock, type Standing } from '../run/transaction.js';
import { fillPlaceholders } from './values/values.js';

/** A gate whose artifact has changed since the decision. */
export interface OutdatedApproval {
  block: string;
  choice: string;
  /** The artifact, relative to the run's directory. */
  path: string;
}

/**
 * Lists the decisions whose artifact has changed since (recipes.md, Gates). Boxes ticked in PLAN.md are no change, and
 * neither is an artifact that a finished run has cleaned up.
 */
export function listOutdatedApprovals(run: Standing): OutdatedApproval[] {
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
