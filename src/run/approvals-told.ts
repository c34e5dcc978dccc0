import type { ExecutionView } from './execution-view.js';
import type { RunState } from './state.js';

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
export function approvalsTold(
  state: Pick<RunState, 'engine' | 'gates' | 'mode' | 'preferences'>,
): ExecutionView['approvals'] {
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
