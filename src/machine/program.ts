import type { BlockKind } from './block-kinds.js';

/**
 * A sequential recipe as the machine needs it: plain data with all defaults filled in, without the text for the agent.
 * recipe/resolve/program.ts builds it, and recipe.json stores it (recipes.md §5).
 */

/** What happens after a failure (recipes.md, Failure). */
export type OnError = { kind: 'halt' } | { kind: 'continue' } | { kind: 'retry'; max: number };

/** Where a choice leads. `goto` names an earlier block; it and all blocks after it are done again. */
export type ChoiceTarget = { kind: 'next' } | { kind: 'halt' } | { kind: 'goto'; block: string };

/** A choice of a block. */
export interface ProgramChoice {
  id: string;
  target: ChoiceTarget;
}

/** A block of a recipe. */
export interface ProgramBlock {
  id: string;
  kind: BlockKind;
  /**
   * Whether the block, always the first, stands for the work of `init`: it is done from the start, and no jump leads
   * back to it.
   */
  standsForInit?: boolean;
  /** CEL condition; if false, the block is skipped. */
  when?: string;
  /** Maximum number of a loop's rounds, or of jumps back by choices; required if the block has either. */
  maxRounds?: number;
  /** The earlier block to which the run returns when a round of this loop did not pass, or when this command failed. */
  revise?: string;
  /** Whether the block asks the user, in which case it becomes a gate at its bound instead of failing. */
  asksUser: boolean;
  choices: ProgramChoice[];
  onError: OnError;
}

/** A sequential recipe. */
export interface Program {
  /** The blocks, in order. */
  blocks: ProgramBlock[];
}
