import { sha256 } from '../base/sha256.js';
import { untickBoxes } from '../documents/plan-boxes.js';
import { sortByRecipe } from '../recipe/declared.js';
import { PLAN } from '../run/paths.js';
import type { RecipeState } from '../run/recipe-state.js';
import type { RunState } from '../run/state.js';
import { getBlock, type Standing } from '../run/transaction.js';
import { fillPlaceholders } from './values.js';

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
  return sortByRecipe(run.captured.recipe, run.current.gates).flatMap(([id, gate]) => {
    const block = getBlock(run, id);
    if (block.kind !== 'wait-for-user' || block.artifact === undefined) return [];
    if (gate.digest === undefined || gate.stale === true) return [];
    const path = fillPlaceholders(run, block.artifact, id);
    const text = run.files.text(path);
    if (text === null && run.state.status !== 'live') return [];
    const same = run.files.digest(path) === gate.digest;
    const onlyTicked = text !== null && path === PLAN && sha256(untickBoxes(text)) === gate.digest;
    return same || onlyTicked ? [] : [{ block: id, choice: gate.choice, path }];
  });
}

/** Leading characters of a digest that are shown. */
const DIGEST_SHOWN = 12;

/** Names whoever answered a gate, in words. */
export function describeDecider(by: string | null): string {
  if (by === 'human') return 'a person';
  return by === 'agent' ? 'the agent' : (by ?? 'nobody');
}

/** Renders the beginning of a digest, to identify what a decision was about; empty without a digest. */
export function renderDigest(digest: string | null | undefined): string {
  return digest == null ? '' : `, on ${digest.slice(0, DIGEST_SHOWN)}`;
}

/** Says who approved the plan of an execution, and who its commands, each with the digest; or that nobody did. */
export function describeApprovals(
  current: Pick<RecipeState, 'engine' | 'gates' | 'mode'>,
  preferences: RunState['preferences'],
): { plan: string; commands: string } {
  return { plan: describePlanApproval(current), commands: describeCommandsApproval(current, preferences) };
}

function describePlanApproval({ engine, gates }: Pick<RecipeState, 'engine' | 'gates'>): string {
  const approved = engine?.planApproved;
  if (approved === undefined) return 'by nobody: no gate asked about it';
  if (approved !== null) return `by ${describeDecider(approved.by)} (${approved.gate})${renderDigest(approved.digest)}`;
  const refused = gates['approvePlan'];
  return refused === undefined || refused.choice === 'approve'
    ? 'by nobody yet'
    : `not approved: ${refused.choice}, by ${describeDecider(refused.by)}${renderDigest(refused.plan)}`;
}

function describeCommandsApproval(
  { engine, gates, mode }: Pick<RecipeState, 'engine' | 'gates' | 'mode'>,
  preferences: RunState['preferences'],
): string {
  if (engine === null) return 'by nobody';
  const { commandsApproved: approved, stage } = engine;
  if (approved !== null) return `by ${describeDecider(approved.by)}${renderDigest(approved.digest)}`;
  const refused = gates['approveCommands'];
  if (refused?.choice === 'stop')
    return `not approved: stop, by ${describeDecider(refused.by)}${renderDigest(refused.digest)}`;
  if (stage === 'approvePlan' || stage === 'approveCommands' || engine.planApproved === null) return 'by nobody yet';
  if (mode['interaction'] === 'autopilot') return 'by nobody: autopilot';
  return preferences['approve_commands'] === 'auto'
    ? 'by nobody: approve_commands is auto'
    : 'by nobody: there are none';
}
