import { omitUndefined } from '../base/defined.js';
import { DevCliError, type ErrorParts } from '../base/errors.js';
import type { Invocation } from '../base/invocation.js';
import type { ResolvedBlock } from '../recipe/resolved.js';
import type { Action, GateAction, PendingAction, ShownAction } from './action.js';
import { toAction } from './bare-action.js';
import type { EntryData } from './entries.js';
import { buildHeldAction } from './held-action.js';
import { parseDisplayPath } from './paths.js';
import type { PathFacts, PendingState, RunState } from './state.js';
import { getBlock, getRound, recordEntry, recordStepSummary, type Transaction } from './transaction.js';

/** Finds the pending action and its block; null if the run waits for nothing or has ended. */
export function findPending(tx: Transaction): PendingBlock | null {
  const action = tx.state.pendingAction;
  if (action === null || action.action === 'done') return null;
  return { action, block: getBlock(tx, action.block), choices: findChoices(action) };
}

/** Returns the action that a run hands out now: the pending one or, while the run is held, the `held` action. */
export function getShownAction(state: RunState): ShownAction | null {
  if (state.held !== undefined && state.status === 'live') return buildHeldAction(state);
  return state.pendingAction === null ? null : toAction(state.pendingAction);
}

/** Returns where an error happened: the run, and its pending action with the ack (protocol.md, Errors). */
export function getErrorLocation({ state }: Transaction): Pick<ErrorParts, 'run' | 'pending'> {
  const action = state.pendingAction;
  if (action === null || action.action === 'done') return { run: state.name };
  return { run: state.name, pending: { actionId: action.actionId, ...omitUndefined({ ack: findAck(action) }) } };
}

/** Builds the error for an action that is neither pending nor acknowledged. */
export function staleActionError({ state }: Transaction, message: string): DevCliError {
  return new DevCliError('STALE_ACTION', message, { fix: { command: 'next', input: { name: state.name } } });
}

/**
 * Makes an action the pending one and records it.
 * @param before the facts of the file at each promised path
 * @param more other data against which the acknowledgement is checked
 */
export function setPendingAction(
  tx: Transaction,
  action: PendingAction,
  before: Record<string, PathFacts>,
  cause: string,
  more: Pick<PendingState, 'handed' | 'sections'> = {},
): void {
  tx.state.pendingAction = { ...action, issuedAt: tx.at, issuedSeq: 0, cause, before, ...more, acknowledged: false };
  const data = 'data' in action ? action.data : undefined;
  const written = data === undefined ? [] : [parseDisplayPath(tx.place, tx.state.name, data.write)];
  for (const path of [...Object.keys(before), ...written]) tx.files.makeRoom(path);
  tx.state.status = 'live';
  tx.state.outcome = null;
  const step = tx.state.steps[action.block];
  tx.state.steps[action.block] = { ...step, status: 'running', at: tx.at, round: getRound(tx, action.block) };
  recordEntry(tx, 'issued', {
    actionId: action.actionId,
    block: action.block,
    action: action.action,
    cause,
    round: getRound(tx, action.block),
  });
  tx.because.length = 0;
}

/** Returns the ack of an action; undefined if it has none, for example because each choice has its own. */
export function findAck(action: Action): Invocation | undefined {
  return 'ack' in action ? action.ack : undefined;
}

/** Returns the choices that an action offers; undefined if it offers none. */
export function findChoices(action: Action): NonNullable<GateAction['choices']> | undefined {
  return 'choices' in action ? action.choices : undefined;
}

/** The pending action with its block. */
export interface PendingBlock<B extends ResolvedBlock = ResolvedBlock> {
  block: B;
  action: Exclude<PendingState, { action: 'done' }>;
  /** The choices that the action offers; undefined if it offers none. */
  choices: ReturnType<typeof findChoices>;
}

/**
 * Records that the pending action was acknowledged. From now on, the same acknowledgement counts as a duplicate. The
 * last refusal because of changed sources is forgotten, so a person's answer to it no longer applies.
 * @param summary the step's new summary; if absent, the present summary stays
 */
export function recordAcknowledged(
  tx: Transaction,
  pending: PendingBlock,
  evidence: Omit<EntryData<'acknowledged'>, 'runId' | 'actionId' | 'block'>,
  summary?: string,
): void {
  const block = pending.block.id;
  if (summary !== undefined) recordStepSummary(tx, block, summary);
  recordEntry(tx, 'acknowledged', { actionId: pending.action.actionId, block, ...evidence });
  markAcknowledged(tx, pending);
}

/** Marks an action as acknowledged without an entry `acknowledged`, because another entry records its end. */
export function markAcknowledged(tx: Transaction, pending: PendingBlock): void {
  tx.state.acknowledged[pending.action.actionId] = { block: pending.block.id };
  tx.state.sourcesRefused = null;
  // In between, the agent may have changed files that the digest of the work tree does not cover, such as the run's
  // documents. So no result of an earlier command may be reused.
  if (tx.state.engine === null) tx.state.commandResults = {};
}
