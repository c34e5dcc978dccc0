import { BLOCK_KINDS } from './block-kinds.js';
import type { Effect } from './events.js';
import type { EmittedAction, GuardConfig, TransitionConfig } from './machine-config.js';
import { type BlockState, type FinalState, getStateKey } from './position.js';
import type { ProgramBlock, ProgramChoice } from './program.js';

/** The id of the machine; every target begins with it. */
export const MACHINE_ID = 'program';

/**
 * The choices of the gate at a loop's bound (protocol.md §3): accept the result as it is, renew the bound, or halt.
 */
export const BOUND_CHOICES = ['continue', 'more', 'stop'] as const;

/** A block, with the access to other blocks that its transitions need. */
export interface BlockNode {
  block: ProgramBlock;
  /** The block after it; null for the last. */
  next: ProgramBlock | null;
  /** Returns a block by its id. */
  find: (id: string) => ProgramBlock;
}

/** Builds the transitions that enter a block, or skip it if its condition is false. */
export function buildEntry({ block, next }: BlockNode): TransitionConfig[] {
  const enter: TransitionConfig = {
    target: targetInside(block, 'active'),
    actions: [{ type: 'enter', params: { block: block.id } }, buildStart(block, 'enter')],
  };
  if (block.when === undefined) return [enter];
  return [
    {
      ...leaveBlock(block, 'skipped', getNextTarget(next)),
      guard: { type: 'unmet', params: { when: block.when, of: block.id } },
    },
    enter,
  ];
}

/** Builds the transition to the next block, or to the end of the run. */
export function buildDone({ block, next }: BlockNode): TransitionConfig {
  return leaveBlock(block, 'done', getNextTarget(next));
}

/** Builds the transition that halts the run regardless of `onError`. */
export function buildHalt({ block }: BlockNode): TransitionConfig {
  return leaveBlock(block, 'failed', targetInside(block, 'halted'));
}

/** Builds the transitions of `onError`, for a failure and for a loop that reaches its bound. */
export function buildFailure(place: BlockNode): TransitionConfig[] {
  const { block, next } = place;
  switch (block.onError.kind) {
    case 'halt':
      return [buildHalt(place)];
    case 'continue':
      return [leaveBlock(block, 'failed', getNextTarget(next))];
    case 'retry':
      return [
        {
          target: targetInside(block, 'active'),
          guard: { type: 'retriesLeft', params: { block: block.id, max: block.onError.max } },
          actions: [{ type: 'retry', params: { block: block.id } }, buildStart(block, 'retry')],
        },
        buildHalt(place),
      ];
  }
}

/**
 * Builds a choice's transition. If the choice leads back, the block is first recorded as done, and then becomes stale
 * together with the other blocks that are done again.
 */
export function buildChoice(place: BlockNode, { id: choice, target }: ProgramChoice): TransitionConfig {
  const { block, find } = place;
  const guard: GuardConfig = { type: 'chose', params: { choice } };
  switch (target.kind) {
    case 'next':
      return { ...buildDone(place), guard };
    case 'halt':
      return { ...leaveBlock(block, 'done', targetInside(block, 'halted')), guard };
    case 'goto': {
      const back = goBack(block, find(target.block));
      return {
        target: back.target,
        guard: { type: 'choseBack', params: { choice, block: block.id, max: getBound(block) } },
        actions: [buildSettle(block, 'done'), { type: 'jump', params: { block: block.id } }, ...back.actions],
      };
    }
  }
}

/**
 * Builds the transitions after a round that did not pass: to the next round, or at the bound to a gate or `onError`.
 */
export function buildFailedRound(place: BlockNode): TransitionConfig[] {
  const { block } = place;
  const again = buildNextRound(place);
  const within: TransitionConfig = {
    ...again,
    guard: { type: 'roundsLeft', params: { block: block.id, max: getBound(block) } },
  };
  if (!block.asksUser) return [within, ...buildFailure(place)];
  return [
    {
      ...again,
      guard: { type: 'filled', params: {} },
      actions: [{ type: 'forgive', params: { block: block.id } }, ...again.actions],
    },
    within,
    { target: targetInside(block, 'bound'), actions: [buildIssue(block, 'bound')] },
  ];
}

/** Builds the transitions for the choices of the gate at the bound. */
export function buildBoundChoice(place: BlockNode): TransitionConfig[] {
  const { block, next } = place;
  const [asItIs, more, stop] = BOUND_CHOICES;
  const again = buildNextRound(place);
  return [
    { ...buildDone(place), guard: { type: 'chose', params: { choice: asItIs } } },
    {
      ...again,
      guard: { type: 'chose', params: { choice: more } },
      actions: [{ type: 'grant', params: { from: block.id, before: next?.id ?? null } }, ...again.actions],
    },
    // The block counts as failed, because the loop did not reach its goal and nobody accepted its result.
    { ...buildHalt(place), guard: { type: 'chose', params: { choice: stop } } },
  ];
}

/**
 * Builds the INVALIDATE transition back to a block. The block and all blocks after it are done again; the block's
 * condition is not evaluated again.
 */
export function buildInvalidate(block: ProgramBlock): TransitionConfig {
  return {
    target: targetInside(block, 'active'),
    guard: { type: 'invalidates', params: { block: block.id } },
    actions: [
      { type: 'retract', params: { from: block.id } },
      { type: 'grant', params: { from: block.id, before: null } },
      { type: 'enter', params: { block: block.id } },
      buildStart(block, 'invalidate'),
    ],
  };
}

function buildNextRound({ block, find }: BlockNode): TransitionConfig {
  if (block.revise !== undefined) return goBack(block, find(block.revise));
  return {
    target: targetInside(block, 'active'),
    actions: [{ type: 'nextRound', params: { block: block.id } }, buildIssue(block, 'round')],
  };
}

/**
 * Builds the transition from `block` back to an earlier block. Does not renew the bound of `block`, which would
 * otherwise never be reached.
 */
function goBack(block: ProgramBlock, target: ProgramBlock): TransitionConfig {
  return {
    target: targetInside(target, 'active'),
    actions: [
      { type: 'retract', params: { from: target.id } },
      { type: 'grant', params: { from: target.id, before: block.id } },
      { type: 'enter', params: { block: target.id } },
      buildStart(target, 'revise'),
    ],
  };
}

/** Returns the bound of a block that needs one; defects.ts refuses programs without it. */
function getBound(block: ProgramBlock): number {
  return block.maxRounds as number;
}

/** Returns the target that enters the next block, or completes the run if there is none. */
export function getNextTarget(next: ProgramBlock | null): string {
  return next === null ? getFinalTarget('completed') : `#${MACHINE_ID}.${getStateKey(next.id)}`;
}

function targetInside(block: ProgramBlock, state: BlockState): string {
  return `#${MACHINE_ID}.${getStateKey(block.id)}.${state}`;
}

/** Returns the target that ends the run for good. */
export function getFinalTarget(state: FinalState): string {
  return `#${MACHINE_ID}.${state}`;
}

function leaveBlock(block: ProgramBlock, status: 'done' | 'skipped' | 'failed', target: string): TransitionConfig {
  return { target, actions: [buildSettle(block, status)] };
}

function buildSettle(block: ProgramBlock, status: 'done' | 'skipped' | 'failed'): EmittedAction {
  return { type: 'settle', params: { block: block.id, status } };
}

function buildIssue(block: ProgramBlock, cause: Extract<Effect, { type: 'issue' }>['cause']): EmittedAction {
  return { type: 'issue', params: { block: block.id, cause } };
}

function buildStart(block: ProgramBlock, cause: Extract<Effect, { type: 'execute' }>['cause']): EmittedAction {
  switch (BLOCK_KINDS[block.kind].by) {
    case 'cli':
      return { type: 'execute', params: { block: block.id, cause } };
    case 'engine':
      return { type: 'engine', params: { block: block.id, cause } };
    default:
      return buildIssue(block, cause);
  }
}
