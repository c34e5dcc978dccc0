import type { Effect } from './events.js';
import type { EmittedAction, GuardConfig, TransitionConfig } from './machine-config.js';
import { type BlockState, type FinalState, getStateKey } from './position.js';
import type { ProgramBlock, ProgramChoice } from './program.js';

/** The id of the machine; targets are written from it. */
export const MACHINE_ID = 'program';

/** What the gate at the bound of a loop offers (protocol.md §3): as it is, the same bound once more, halt. */
export const BOUND_CHOICES = ['continue', 'more', 'stop'] as const;

/** A block and what lies around it. */
export interface BlockNode {
  block: ProgramBlock;
  /** The block after it; null for the last. */
  next: ProgramBlock | null;
  /** The block of that id. */
  find: (id: string) => ProgramBlock;
}

/** Into the block: past it when its condition is false. */
export function buildEntry({ block, next }: BlockNode): TransitionConfig[] {
  const enter: TransitionConfig = {
    target: targetInside(block, 'active'),
    actions: [{ type: 'enter', params: { block: block.id } }, buildStart(block, 'enter')],
  };
  if (block.when === undefined) return [enter];
  return [
    { ...leaveBlock(block, 'skipped', targetNext(next)), guard: { type: 'unmet', params: { when: block.when } } },
    enter,
  ];
}

/** On to the next block, or to the end of the run. */
export function buildDone({ block, next }: BlockNode): TransitionConfig {
  return leaveBlock(block, 'done', targetNext(next));
}

/** Halts whatever `onError` says. */
export function buildHalt({ block }: BlockNode): TransitionConfig {
  return leaveBlock(block, 'failed', targetInside(block, 'halted'));
}

/** What `onError` says, after a failure and at the bound of a loop. */
export function buildFailure(place: BlockNode): TransitionConfig[] {
  const { block, next } = place;
  switch (block.onError.kind) {
    case 'halt':
      return [buildHalt(place)];
    case 'continue':
      return [leaveBlock(block, 'failed', targetNext(next))];
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

/** A choice of an `llm` or a gate. One that leads back counts as made, and is then undone with all after its target. */
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

/** A round that did not pass: the next one, or what happens at the bound. */
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

/** The choices of the gate at the bound. */
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
    // Not `done`: what the loop was to reach was not reached, and nobody said that it would do as it is.
    { ...buildHalt(place), guard: { type: 'chose', params: { choice: stop } } },
  ];
}

/** To a block reached before, whose condition is not asked again; everything from it on is redone. */
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

/** Back to an earlier block. The bound of the block that leads back is not granted anew, or it would never be met. */
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

/** defects.ts refuses a program that leaves out a bound where one is needed. */
function getBound(block: ProgramBlock): number {
  return block.maxRounds as number;
}

/** The target that enters a block, or completes the run when there is none. */
export function targetNext(next: ProgramBlock | null): string {
  return next === null ? targetFinal('completed') : `#${MACHINE_ID}.${getStateKey(next.id)}`;
}

function targetInside(block: ProgramBlock, state: BlockState): string {
  return `#${MACHINE_ID}.${getStateKey(block.id)}.${state}`;
}

/** The target that ends the run for good. */
export function targetFinal(state: FinalState): string {
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
  if (block.kind === 'cli') return { type: 'execute', params: { block: block.id, cause } };
  return block.kind === 'engine' ? { type: 'engine', params: { block: block.id, cause } } : buildIssue(block, cause);
}
