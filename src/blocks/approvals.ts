import type { RunState } from '../run/state.js';

/** How many leading characters of a digest are shown. */
const DIGEST_SHOWN = 12;

/** Describes who answered a gate. */
export function describeDecider(by: string | null): string {
  if (by === 'human') return 'a person';
  return by === 'agent' ? 'the agent' : (by ?? 'nobody');
}

/** Renders the first characters of the digest that identifies what was decided on; an empty string without a digest. */
export function renderDigest(digest: string | null | undefined): string {
  return digest == null ? '' : `, on ${digest.slice(0, DIGEST_SHOWN)}`;
}

/**
 * Describes who, if anybody, approved an execution's plan and who approved its commands, each with the digest of what
 * was approved.
 */
export function describeApprovals(state: Pick<RunState, 'engine' | 'gates' | 'mode' | 'preferences'>): {
  plan: string;
  commands: string;
} {
  return { plan: describePlanApproval(state), commands: describeCommandsApproval(state) };
}

function describePlanApproval({ engine, gates }: Pick<RunState, 'engine' | 'gates'>): string {
  const approved = engine?.planApproved;
  if (approved === undefined) return 'by nobody: no gate asked about it';
  if (approved !== null) return `by ${describeDecider(approved.by)} (${approved.gate})${renderDigest(approved.digest)}`;
  const refused = gates['approvePlan'];
  return refused === undefined || refused.choice === 'approve'
    ? 'by nobody yet'
    : `not approved: ${refused.choice}, by ${describeDecider(refused.by)}${renderDigest(refused.plan)}`;
}

function describeCommandsApproval({
  engine,
  gates,
  mode,
  preferences,
}: Pick<RunState, 'engine' | 'gates' | 'mode' | 'preferences'>): string {
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
