import type { Effect } from '../machine/events.js';
import type { AgentFacingBlock } from '../recipe/resolved.js';
import type { PendingAction } from '../run/action.js';
import type { PendingBlock } from '../run/pending-action.js';
import type { PathFacts, PendingState } from '../run/state.js';
import type { Transaction } from '../run/transaction.js';
import type { AckInput, Acknowledged, ChangedSources } from './acknowledgement.js';

/** Which action is asked for, and why. */
interface IssueRequest {
  /** The id it will have. */
  actionId: string;
  cause: Extract<Effect, { type: 'issue' }>['cause'];
}

/** An action, and what its acknowledgement is measured against. */
export interface IssuedAction extends Pick<PendingState, 'handed' | 'sections'> {
  action: PendingAction;
  /** What stands at each promised path now; an output must differ from it. */
  before?: Record<string, PathFacts>;
}

/** All that one type of block is, where an agent or a person is asked (docs/architecture.md, A type of block). */
export interface BlockType<B extends AgentFacingBlock> {
  /** Builds its action and writes its prompt files; null where there is nothing to do. */
  ask(tx: Transaction, block: B, asking: IssueRequest): IssuedAction | null;
  /** Options of `step complete` that its action does not take. */
  readonly refuses: readonly ('data' | 'result' | 'without')[];
  /**
   * Checks the evidence, stores what came, and says what the machine is to take.
   * @throws DevCliError where nothing of it can be taken
   */
  acknowledge(tx: Transaction, pending: PendingBlock<B>, input: AckInput, sources: ChangedSources): Acknowledged;
  /** What else a failure means, after `step fail` was recorded. */
  fail?(tx: Transaction, block: B, reason: string): void;
  /** What the block does all the same where it asks nobody. */
  pass?(tx: Transaction, block: B): void;
  /** What of its result no longer counts once it is to be done again. */
  retract?(tx: Transaction, block: B): void;
}
