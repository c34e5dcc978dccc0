import { DevCliError } from '../base/errors.js';
import { advanceEngine } from '../effects/advance.js';
import { decided, gateAt, gateKey, planCommandsDigest } from '../effects/engine/gates.js';
import { record, type Turn } from '../effects/turn.js';
import { chosenOf, decidedBy, keepNote } from './acknowledge-choice.js';
import { type AckInput, type AckResult, type Pending, settleAction } from './acknowledgement.js';

/** A decision at a gate of an execution: its commands, a criterion, a worker's question, a gate of the recipe (engine.md). */
export function acknowledgeGate(turn: Turn, pending: Pending, input: AckInput): AckResult {
  const { block, action } = pending;
  const at = gateAt(turn);
  if (at === null) throw new DevCliError('INTERNAL', 'The engine waits at no gate.');
  const { chosen, note } = chosenOf(turn, pending, input);
  keepNote(turn, pending, note);
  const key = gateKey(at);
  const digest = at.todo === null ? planCommandsDigest(turn) : undefined;
  const said = note === undefined ? {} : { note };
  const about = digest === undefined ? {} : { digest };
  turn.state.gates[key] = { choice: chosen.id, ...about, ...said, by: decidedBy(turn, pending), seq: 0 };
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
  advanceEngine(turn, [{ type: 'OUTCOME', ...at, verdict }]);
  return { kind: 'completed', block: key };
}
