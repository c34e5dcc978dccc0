import { DevCliError } from '../../base/errors.js';
import type { AckInput, Pending } from '../../blocks/acknowledgement.js';
import {
  askedAboutAnother,
  changedSinceAsked,
  chosenOf,
  decidedBy,
  keepNote,
  requirePlan,
} from '../../blocks/choice.js';
import { APPROVE_PLAN } from '../../blocks/plan-gate.js';
import { settleAction } from '../../blocks/settle.js';
import { PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { record, type Turn } from '../../run/turn.js';
import type { Taken } from './collect.js';
import { decided, gateAt, gateKey, planCommandsDigest } from './gates.js';
import { addedBodies, engineOf } from './plan.js';

/** A decision at a gate of an execution: its commands, a criterion, a worker's question, a gate of the recipe (engine.md, Gates). */
export function acknowledgeGate(turn: Turn, pending: Pending, input: AckInput): Taken {
  const { block, action } = pending;
  const at = gateAt(turn);
  if (at === null) throw new DevCliError('INTERNAL', 'The engine waits at no gate.');
  const { chosen, note } = chosenOf(turn, pending, input);
  const about = decidedOn(turn, pending, at, chosen.id);
  keepNote(turn, pending, note);
  const key = gateKey(at);
  const said = note === undefined ? {} : { note };
  turn.state.gates[key] = { choice: chosen.id, ...about, ...said, by: decidedBy(turn, pending), at: turn.at, seq: 0 };
  record(turn, 'acknowledged', {
    actionId: action.actionId,
    block: block.id,
    choice: chosen.id,
    ...said,
    ...about,
    gate: key,
    ...(at.todo === null ? {} : { todoId: at.todo }),
  });
  settleAction(turn, pending);
  const verdict = decided(turn, at, chosen.id, note ?? '');
  return { result: { kind: 'completed', block: key }, events: [{ type: 'OUTCOME', ...at, verdict }] };
}

/**
 * The digests of what was decided on: the plan, or its commands.
 * @throws DevCliError `INPUT_CHANGED`, `PLAN_EDITED` when the plan is another than the one that was asked about
 */
function decidedOn(
  turn: Turn,
  pending: Pending,
  { todo, stage }: NonNullable<ReturnType<typeof gateAt>>,
  choice: string,
): { digest?: string | null; plan?: string | null } {
  if (todo !== null) return {};
  if (stage !== APPROVE_PLAN) return { digest: planCommandsDigest(turn) };
  if (choice === 'approve') {
    const changed = changedSinceAsked(turn, pending.state);
    if (changed !== null) throw askedAboutAnother(turn, pending, changed);
    requirePlan(turn, addedBodies(engineOf(turn)));
  }
  return { digest: turn.files.digest(PLAN), plan: turn.files.digest(PLAN_CONTENT) };
}
