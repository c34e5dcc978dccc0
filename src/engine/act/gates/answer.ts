// door: engine

import { omitUndefined } from '../../../base/defined.js';
import { DevCliError } from '../../../base/errors.js';
import type { AckInput } from '../../../blocks/acknowledgement.js';
import {
  buildChangedArtifactError,
  findChangedArtifact,
  getDecider,
  requireChoice,
  requirePlanAgreement,
  storeNote,
} from '../../../blocks/choice.js';
import { APPROVE_PLAN } from '../../../blocks/plan-gate.js';
import { APPLY_PLAN } from '../../../machine/engine-program.js';
import { PLAN, PLAN_CONTENT } from '../../../run/paths.js';
import { type PendingBlock, recordAcknowledged } from '../../../run/pending-action.js';
import type { Transaction } from '../../../run/transaction.js';
import { getGateKey } from '../../core/events.js';
import { listAddedTodos, requireEngine } from '../plan/plan.js';
import type { EngineAcknowledgement } from '../results/collect.js';
import { acknowledgeProposal } from './apply-gate.js';
import { applyDecision, digestPlanCommands, findCurrentGate } from './gates.js';

/**
 * Acknowledges the decision at a gate of an execution (engine.md, Gates).
 * @throws DevCliError the errors of `requireChoice`; `INPUT_CHANGED` or `PLAN_EDITED` if the plan has changed since the
 * question
 */
export function acknowledgeGate(tx: Transaction, pending: PendingBlock, input: AckInput): EngineAcknowledgement {
  const at = findCurrentGate(tx);
  if (at === null) throw new DevCliError('INTERNAL', 'The engine waits at no gate.');
  if (at.stage === APPLY_PLAN) return acknowledgeProposal(tx, pending, input);
  const { chosen, note } = requireChoice(tx, pending, input);
  const about = digestDecision(tx, pending, at, chosen.id);
  storeNote(tx, pending, note);
  const key = getGateKey(at);
  const choice = { choice: chosen.id, ...about, ...omitUndefined({ note }) };
  tx.state.gates[key] = { ...choice, by: getDecider(tx, pending), at: tx.at, seq: 0 };
  recordAcknowledged(tx, pending, { ...choice, gate: key, ...(at.todo === null ? {} : { todoId: at.todo }) });
  const verdict = applyDecision(tx, at, chosen.id, note ?? '');
  return { result: { kind: 'completed', block: key }, events: [{ type: 'OUTCOME', ...at, verdict }] };
}

/** Digests the subject of the decision: the plan, or its commands. */
function digestDecision(
  tx: Transaction,
  pending: PendingBlock,
  { todo, stage }: NonNullable<ReturnType<typeof findCurrentGate>>,
  choice: string,
): { digest?: string | null; plan?: string | null } {
  if (todo !== null) return {};
  if (stage !== APPROVE_PLAN) return { digest: digestPlanCommands(tx) };
  if (choice === 'approve') {
    const changed = findChangedArtifact(tx, pending.action);
    if (changed !== null) throw buildChangedArtifactError(tx, pending, changed);
    requirePlanAgreement(tx, listAddedTodos(requireEngine(tx)));
  }
  return { digest: tx.files.digest(PLAN), plan: tx.files.digest(PLAN_CONTENT) };
}
