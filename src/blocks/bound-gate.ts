// door: seldom

import type { AgentFacingBlock } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import type { Transaction } from '../run/transaction.js';
import { type ActionBase, listOpenSections } from './action-parts.js';

/** Builds the gate at which the user decides about a loop that has used up its rounds (protocol.md §3). */
export function buildBoundGate(tx: Transaction, block: AgentFacingBlock, shared: ActionBase): PendingAction {
  const missing = 'sections' in block ? listOpenSections(tx, block) : [];
  const open = missing.length === 0 ? 'It did not pass yet.' : `Still empty: ${missing.join(', ')}.`;
  return {
    ...shared.base,
    instruction: 'The rounds for this step are used up. Tell the user what is still open and let the user choose.',
    action: 'wait-for-user',
    asks: 'user',
    message: `"${block.id}" has used all its rounds. ${open} Go on as it is, take more rounds, or stop?`,
    choices: [
      { id: 'continue', label: 'Go on with what is there', ack: shared.acknowledge({ choice: 'continue' }) },
      { id: 'more', label: 'The same number of rounds once more', ack: shared.acknowledge({ choice: 'more' }) },
      { id: 'stop', label: 'Stop the run here', ack: shared.acknowledge({ choice: 'stop' }) },
    ],
  };
}
