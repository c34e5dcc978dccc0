// door: seldom

import { omitUndefined } from '../base/defined.js';
import type { AgentFacingBlock, ExternalCommand, LlmLoopBlock } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import { findPending } from '../run/pending-action.js';
import type { PendingState } from '../run/state.js';
import { getRound, recordEntry, recordFault, type Transaction } from '../run/transaction.js';
import type { Acknowledged } from './acknowledgement.js';
import { type ActionBase, listOpenSections } from './action-parts.js';
import { listSectionsWrittenSince } from './evidence.js';
import { startCommand } from './external.js';
import { warnOfExhaustedRounds } from './own-command.js';
import { recordCommandFailure } from './red.js';
import { evaluateConditionInRun } from './values/condition.js';
import { recordInputs } from './values/inputs.js';

/** The external command that judges the rounds of a loop (recipes.md, Loops). */

/**
 * Starts the exit check of a round that was handed in. The run waits for the check, and then judges the round.
 * @param cause why the check runs, for the journal
 * @param sections digests of the sections that the round may fill, from when its action was issued
 * @returns `checking`, or the round as failed if the command cannot be built from the values that this run has
 */
export function beginExitCheck(
  tx: Transaction,
  block: LlmLoopBlock,
  command: ExternalCommand,
  cause: string,
  sections: PendingState['sections'],
): Acknowledged {
  const fault = startCommand(tx, block.id, command, cause, omitUndefined({ sections }));
  if (fault === null) return { result: { kind: 'checking' } };
  tx.state.lastAction += 1;
  const actionId = `a${tx.state.lastAction}`;
  const log = `actions/${actionId}/command.log`;
  tx.ran.push({ block: block.id, ok: false, summary: fault });
  tx.files.write(log, `${fault}\n`);
  recordCommandFailure(tx, block.id, { outcome: fault, exit: null, log });
  return failRound(tx, block, { actionId, log, summary: fault, fault, sections });
}

/** How an exit check ended. */
interface EndedCheck {
  actionId: string;
  ok: boolean;
  /** The log with its output, relative to the run's directory. */
  log: string;
  summary: string;
  /** Why the round did not pass, as recorded in the state and the journal. */
  fault: string;
}

/** Judges the round by its finished exit check and by `exitWhen`. */
export function concludeExitCheck(tx: Transaction, block: LlmLoopBlock, ended: EndedCheck): Acknowledged {
  const pending = findPending(tx);
  const passed = ended.ok && (block.exitWhen === undefined || evaluateConditionInRun(tx, block.exitWhen, block.id));
  if (!passed) return failRound(tx, block, { ...ended, sections: pending?.action.sections });
  if (pending !== null) recordInputs(tx, pending);
  return { result: { kind: 'completed', block: block.id }, event: { type: 'DONE' } };
}

function failRound(
  tx: Transaction,
  block: LlmLoopBlock,
  { actionId, log, summary, fault, sections }: Omit<EndedCheck, 'ok'> & { sections: PendingState['sections'] },
): Acknowledged {
  tx.because.push(log);
  const n = getRound(tx, block.id);
  const missing = listOpenSections(tx, block);
  const saved = listSectionsWrittenSince(tx, block, omitUndefined({ sections }));
  recordEntry(tx, 'round', { actionId, block: block.id, round: n, saved: [], missing });
  recordFault(tx, block.id, 'ROUND_NOT_PASSED', fault);
  warnOfExhaustedRounds(tx, block, summary);
  return {
    result: { kind: 'round', round: { n, passed: false, saved, missing } },
    event: { type: 'ROUND', filled: saved.length > 0 },
  };
}

/** Builds the gate at which the user decides about a loop that has used up its rounds (protocol.md §3). */
export function buildBoundGate(tx: Transaction, block: AgentFacingBlock, shared: ActionBase): PendingAction {
  const missing = 'sections' in block ? listOpenSections(tx, block) : [];
  const open = missing.length === 0 ? 'It has not passed yet.' : `Still empty: ${missing.join(', ')}.`;
  return {
    ...shared.base,
    instruction: 'The rounds for this step are used up. Tell the user what is still open and let the user choose.',
    action: 'wait-for-user',
    asks: 'user',
    message: `"${block.id}" has used all its rounds. ${open} Continue as it is, allow more rounds, or stop?`,
    choices: [
      { id: 'continue', label: 'Continue with what there is', ack: shared.acknowledge({ choice: 'continue' }) },
      { id: 'more', label: 'Allow the same number of rounds again', ack: shared.acknowledge({ choice: 'more' }) },
      { id: 'stop', label: 'Stop the run here', ack: shared.acknowledge({ choice: 'stop' }) },
    ],
  };
}
