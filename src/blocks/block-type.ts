import type { Effect } from '../machine/events.js';
import type { AgentFacingBlock } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import type { PendingBlock } from '../run/pending-action.js';
import type { PathFacts, PendingState } from '../run/state.js';
import type { Transaction } from '../run/transaction.js';
import type { AckInput, Acknowledged } from './acknowledgement.js';

/** The request to build an action. */
interface IssueRequest {
  /** The id of the new action. */
  actionId: string;
  /** Why the block is issued. */
  cause: Extract<Effect, { type: 'issue' }>['cause'];
}

/**
 * An action, together with facts about files and sections as they were when it was issued. The acknowledgement compares
 * its evidence with them.
 */
export interface IssuedAction extends Pick<PendingState, 'handed' | 'sections'> {
  action: PendingAction;
  /** The file found at each promised path when the action was issued; the output must differ from it. */
  before?: Record<string, PathFacts>;
}

/** A type of block that asks an agent or a person (docs/architecture.md, A type of block). */
export interface BlockType<B extends AgentFacingBlock> {
  /** Builds the block's action and writes its prompt files; null when there is nothing to do. */
  ask(tx: Transaction, block: B, asking: IssueRequest): IssuedAction | null;
  /** Options of `step complete` that the block's action does not accept. */
  readonly refuses: readonly ('data' | 'result' | 'without')[];
  /**
   * Checks the evidence, stores what was delivered, and returns the event for the machine.
   * @throws DevCliError when none of the evidence is valid
   */
  acknowledge(tx: Transaction, pending: PendingBlock<B>, input: AckInput): Acknowledged;
  /** Does what the failure of a block of this type requires beyond the usual, after `step fail` has been recorded. */
  fail?(tx: Transaction, block: B, reason: string): void;
  /** Runs `onComplete` of a block for which `ask` found nobody to ask. */
  pass?(tx: Transaction, block: B): void;
  /** Invalidates the block's results before it is done again. */
  retract?(tx: Transaction, block: B): void;
}
