// door: moved

import { omitUndefined } from '../../../base/defined.js';
import { DevCliError } from '../../../base/errors.js';
import { sha256 } from '../../../base/sha256.js';
import type { AckInput } from '../../../blocks/acknowledgement.js';
import { findChangedArtifact, getDecider, requireChoice, storeNote } from '../../../blocks/choice.js';
import { APPLY_PLAN } from '../../../machine/engine-program.js';
import { renderCommandList, renderPlannedCommand } from '../../../plan/model/commands.js';
import { untickBoxes } from '../../../plan/page/boxes.js';
import type { GateAction } from '../../../run/action.js';
import { displayPath, PLAN, PLAN_CONTENT } from '../../../run/paths.js';
import { type PendingBlock, recordAcknowledged } from '../../../run/pending-action.js';
import { recordEntry, type Transaction } from '../../../run/transaction.js';
import type { EngineEvent } from '../../core/events.js';
import { recordTurningPoint } from '../notes.js';
import { type ReopeningCommand, renderChangesOnDisk, renderPlanEffects } from '../plan/difference-text.js';
import { requireEngine } from '../plan/plan.js';
import { adoptPlanOnDisk } from '../plan/take-up.js';
import { type JudgedPlan, judgePlan } from '../plan/verdicts.js';
import type { EngineAcknowledgement } from '../results/collect.js';

/** The question about a change to the plan that an agent proposes during an execution (living-plan.md, plan apply). */

type Question = Required<Pick<GateAction, 'message' | 'choices'>> & Pick<GateAction, 'read'>;

/**
 * Makes the engine ask a person about the plan on disk.
 * @returns the event for the engine
 */
export function proposePlanOnDisk(
  tx: Transaction,
  block: string,
  { verdicts }: JudgedPlan,
  reopen: readonly string[],
): EngineEvent {
  const changed = verdicts.filter(({ verdict }) => verdict !== 'same').map((one) => ({ ...one }));
  recordEntry(tx, 'plan-proposed', { block, verdicts: changed });
  return { type: 'PROPOSE', reopen };
}

/**
 * Builds the question about a proposed plan, from the files as they are now.
 * @returns null if there is nothing to decide: the change was reverted or cannot be applied
 */
export function buildApplyQuestion(tx: Transaction): Question | null {
  const judged = judgeProposal(tx);
  if (judged === null) return null;
  const { name } = tx.state;
  return {
    message: `The agent proposes to change the plan while it is carried out.\n\n${renderProposal(judged, name)}`,
    choices: [
      { id: 'approve', label: 'Continue with the plan as it now is in the files' },
      { id: 'reject', label: 'Keep the plan as it was; say why', reason: 'required' },
    ],
    read: [displayPath(tx.place, name, judged.disk.source ?? PLAN_CONTENT)],
  };
}

/** Digests the files that the decision is about. */
export function digestProposal({ files }: Transaction): Record<string, string | null> {
  return { [PLAN_CONTENT]: files.digest(PLAN_CONTENT), [PLAN]: files.digest(PLAN) };
}

/** Lists the commands that dev-cli may run if the proposal is approved, but may not run yet. */
export function listProposedCommands(tx: Transaction): string[] {
  return (judgeProposal(tx)?.newCommands ?? []).map(renderPlannedCommand);
}

/** Renders what the plan would change: the differences, what happens to the todos, and the new commands. */
export function renderProposal(judged: JudgedPlan, run: string, command?: ReopeningCommand): string {
  const { newCommands } = judged;
  const commands = `dev-cli will run these commands, which are new:\n${renderCommandList(newCommands.map(renderPlannedCommand), `${PLAN_CONTENT} has them all`)}`;
  return [
    renderChangesOnDisk(judged, run),
    renderPlanEffects(judged, run, command),
    ...(newCommands.length === 0 ? [] : [commands]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/**
 * Acknowledges the decision about a proposed plan.
 * @throws DevCliError the errors of `requireChoice`; `INPUT_CHANGED` if the files have changed since the question; the
 * errors of `judgePlan`
 */
export function acknowledgeProposal(tx: Transaction, pending: PendingBlock, input: AckInput): EngineAcknowledgement {
  const { chosen, note } = requireChoice(tx, pending, input);
  const isTaken = chosen.id === 'approve';
  const judged = isTaken ? requireUnchanged(tx, pending) : null;
  storeNote(tx, pending, note);
  const choice = { choice: chosen.id, ...omitUndefined({ note }) };
  if (judged === null) {
    const event = rejectProposal(tx, note ?? '', getDecider(tx, pending));
    recordAcknowledged(tx, pending, { ...choice, gate: APPLY_PLAN });
    return { result: { kind: 'completed', block: APPLY_PLAN }, events: [event] };
  }
  const event = adoptPlanOnDisk(tx, pending.block.id, judged);
  const plan = { plan: tx.files.digest(PLAN_CONTENT) };
  if (requireEngine(tx).planApproved != null)
    tx.state.gates[APPLY_PLAN] = { ...choice, ...plan, by: getDecider(tx, pending), at: tx.at, seq: 0 };
  recordAcknowledged(tx, pending, { ...choice, ...plan, gate: APPLY_PLAN });
  return { result: { kind: 'completed', block: APPLY_PLAN }, events: [event] };
}

/**
 * Rejects the proposal. Earlier approvals and the files stay as they are.
 * @returns the event for the engine
 */
export function rejectProposal(tx: Transaction, note: string, by = 'human'): EngineEvent {
  const engine = requireEngine(tx);
  tx.state.gates[APPLY_PLAN] = { choice: 'reject', note, by, at: tx.at, seq: 0 };
  if (engine.planMarks !== undefined) engine.planMarks = { ...engine.planMarks, refused: digestPlanText(tx.files) };
  recordTurningPoint(tx, 'rejected', `a plan that the agent proposed: ${note}`);
  tx.warnings.push(`the plan was not applied; ${PLAN_CONTENT} or ${PLAN} still differs from it`);
  return { type: 'OUTCOME', todo: null, stage: APPLY_PLAN, verdict: { kind: 'skipped' } };
}

/** Returns whether a person has rejected the plan files in their present form. */
export function isPlanRejected(tx: Transaction): boolean {
  const refused = requireEngine(tx).planMarks?.refused;
  return refused !== undefined && refused === digestPlanText(tx.files);
}

/** Digests the text of both plan files, ignoring whether boxes are ticked. */
function digestPlanText(files: Transaction['files']): string {
  const shown = files.facts(PLAN).kind === 'file' ? files.text(PLAN) : null;
  return sha256(`${files.digest(PLAN_CONTENT)} ${untickBoxes(shown ?? '')}`);
}

function requireUnchanged(tx: Transaction, pending: PendingBlock): JudgedPlan {
  const changed = findChangedArtifact(tx, pending.action);
  if (changed === null) return judgePlan(tx, requireEngine(tx).proposed?.reopen ?? []);
  throw new DevCliError('INPUT_CHANGED', `${changed} changed after the question was asked.`, {
    details: [{ target: changed, problem: 'not as it was when the question was asked' }],
    fix: ['Propose it again in its present form: ', { command: 'plan apply', input: { name: tx.state.name } }],
  });
}

/** Judges the plan files against the plan being executed; null if they match it, or cannot be applied. */
function judgeProposal(tx: Transaction): JudgedPlan | null {
  try {
    const judged = judgePlan(tx, requireEngine(tx).proposed?.reopen ?? []);
    return judged.isMoved ? judged : null;
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code === 'INTERNAL' || error.code === 'STATE_CORRUPT') throw error;
    tx.warnings.push(`nobody is asked about the proposed plan: ${error.message}`);
    return null;
  }
}
