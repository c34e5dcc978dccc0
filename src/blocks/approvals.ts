import { sha256 } from '../base/sha256.js';
import { unticked } from '../documents/plan-boxes.js';
import { PLAN } from '../run/paths.js';
import type { RunState } from '../run/state.js';
import { blockOf, type Standing } from '../run/turn.js';
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
 * The decisions that were about another content than the one that stands there now (recipes.md, Gates). A box
 * that dev-cli ticks in PLAN.md changes nothing of what was decided; what a finished run has cleaned up is no change.
 */
export function changedApprovals(run: Standing): ChangedApproval[] {
  return inRecipeOrder(run.captured.recipe, run.state.gates).flatMap(([id, gate]) => {
    const block = blockOf(run, id);
    if (block.kind !== 'wait-for-user' || block.artifact === undefined) return [];
    if (gate.digest === undefined || gate.stale === true) return [];
    const path = filled(run, block.artifact, id);
    const text = run.files.text(path);
    if (text === null && run.state.status !== 'live') return [];
    const same = run.files.digest(path) === gate.digest;
    const onlyTicked = text !== null && path === PLAN && sha256(unticked(text)) === gate.digest;
    return same || onlyTicked ? [] : [{ block: id, choice: gate.choice, path }];
  });
}

/** Characters of a digest that are shown. */
const DIGEST_SHOWN = 12;

/** Who answered a gate, in words. */
export function whoSaid(by: string | null): string {
  if (by === 'human') return 'a person';
  return by === 'agent' ? 'the agent' : (by ?? 'nobody');
}

/** What a decision was about, known again by the beginning of its digest. */
export function onDigest(digest: string | null | undefined): string {
  return digest == null ? '' : `, on ${digest.slice(0, DIGEST_SHOWN)}`;
}

/** Who approved the plan that an execution carries out, and its commands, each on which digest; or that nobody did. */
export function approvalsTold(state: Pick<RunState, 'engine' | 'gates' | 'mode' | 'preferences'>): {
  plan: string;
  commands: string;
} {
  return { plan: planTold(state), commands: commandsTold(state) };
}

function planTold({ engine, gates }: Pick<RunState, 'engine' | 'gates'>): string {
  const approved = engine?.planApproved;
  if (approved === undefined) return 'by nobody: no gate asked about it';
  if (approved !== null) return `by ${whoSaid(approved.by)} (${approved.gate})${onDigest(approved.digest)}`;
  const refused = gates['approvePlan'];
  return refused === undefined || refused.choice === 'approve'
    ? 'by nobody yet'
    : `not approved: ${refused.choice}, by ${whoSaid(refused.by)}${onDigest(refused.plan)}`;
}

function commandsTold({ engine, gates, mode, preferences }: Parameters<typeof approvalsTold>[0]): string {
  if (engine === null) return 'by nobody';
  const { commandsApproved: approved, stage } = engine;
  if (approved !== null) return `by ${whoSaid(approved.by)}${onDigest(approved.digest)}`;
  const refused = gates['approveCommands'];
  if (refused?.choice === 'stop') return `not approved: stop, by ${whoSaid(refused.by)}${onDigest(refused.digest)}`;
  if (stage === 'approvePlan' || stage === 'approveCommands' || engine.planApproved === null) return 'by nobody yet';
  if (mode['interaction'] === 'autopilot') return 'by nobody: autopilot';
  return preferences['approve_commands'] === 'auto'
    ? 'by nobody: approve_commands is auto'
    : 'by nobody: there are none';
}
