import type { BlockKind } from './block-kinds.js';

/**
 * A sequential recipe as the machine needs it: plain data with all defaults filled in, without texts for the agent.
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
   * Whether the block (always the first) stands for what `init` did: it is done from the start, never runs, and is
   * never revisited.
   */
  standsForInit?: boolean;
  /** CEL condition; the block is skipped when it is false. */
  when?: string;
  /** Bound of a loop's rounds, or of jumps back by choices; required for both. */
  maxRounds?: number;
  /** For loops, and for commands that fail: the earlier block to go back to before the next round. */
  revise?: string;
  /** Whether the block asks the user: at its bound it then becomes a gate instead of failing. */
  asksUser: boolean;
  choices: ProgramChoice[];
  onError: OnError;
}

/** A sequential recipe. */
export interface Program {
  /** The blocks, in order. */
  blocks: ProgramBlock[];
}
