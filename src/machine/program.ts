/**
 * A recipe as the machine sees it: plain data, all defaults filled in, no text for the agent.
 * Made by recipe/compile, kept in recipe.json (recipes.md §5).
 */

export type BlockKind =
  | 'cli'
  | 'llm'
  | 'llm-loop'
  | 'llm+cli'
  | 'subagent'
  | 'subagent-loop'
  | 'wait-for-user'
  /** The one block of an engine recipe: a machine of its own (engine.md, Shape). */
  | 'engine';

/** What happens after a failure (recipes.md, Failure). */
export type OnError = { kind: 'halt' } | { kind: 'continue' } | { kind: 'retry'; max: number };

/** Where a choice leads. `goto` names an earlier block; going there is an invalidate. */
export type ChoiceTarget = { kind: 'next' } | { kind: 'halt' } | { kind: 'goto'; block: string };

export interface ProgramChoice {
  id: string;
  target: ChoiceTarget;
}

export interface ProgramBlock {
  id: string;
  kind: BlockKind;
  /** The first block, when it stands for what `init` did: done at the start, never run, never gone back to. */
  standsForInit?: boolean;
  /** Source text of the CEL condition; the block is skipped when it is false. */
  when?: string;
  /** Loops, and blocks with a backward `goto` (required there): how many rounds (or jumps back) before the bound. */
  maxRounds?: number;
  /** Loops: the earlier block to go back to before the next round. */
  revise?: string;
  /** At the bound a block that asks the user becomes a gate instead of failing. */
  asksUser: boolean;
  choices: ProgramChoice[];
  onError: OnError;
}

/** A sequential recipe, in order. The first block may be the one that stands for `init`. */
export interface Program {
  blocks: ProgramBlock[];
}
