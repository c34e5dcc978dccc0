import type { Invocation } from '../base/invocation.js';
import type { JsonObject } from '../base/json.js';
import type { SectionId } from '../documents/sections.js';
import type { BlockKind, OnError, Program } from '../machine/program.js';

/**
 * A recipe with every default filled in and every string parsed: what `recipe show` prints, what `init` captures into
 * recipe.json, what the engine reads. Templates (`{name}`, `{goal}`, `{round}`, …) are still unfilled.
 */
export interface ResolvedRecipe {
  name: string;
  type: 'sequential';
  language: 1;
  description: string;
  skill: string;
  /** What the recipe states; the rest is filled by flags at init (recipes.md §1). */
  mode: Record<string, string>;
  vars: JsonObject;
  preferences: Record<string, PreferenceSpec>;
  draft: { required: SectionId[]; stated: boolean };
  guardWrites: string[] | null;
  cleanup: string[];
  /** True when any template or condition of the recipe uses the goal. */
  usesGoal: boolean;
  /** True when any block reads or writes DRAFT.md; then `init` creates it. */
  usesDraft: boolean;
  blocks: ResolvedBlock[];
  program: Program;
}

export interface PreferenceSpec {
  type: 'bool' | 'string' | 'int';
  default?: boolean | string | number;
  description: string;
  /** Closed list of values, for built-in ones. */
  values?: (string | boolean)[];
}

/** A `dev-cli …` command of a recipe, parsed by the registry; values still hold templates. */
export type OwnCommand = Invocation & { source: string };

/** An external command: an argument vector, or one shell line when the recipe says `shell: true`. */
export interface ExternalCommand {
  argv: string[];
  shell: boolean;
  /** Seconds. */
  timeout: number;
  /** Relative to the work tree. */
  cwd: string;
  source: string;
}

export type BlockCommand = { kind: 'own'; command: OwnCommand } | { kind: 'external'; command: ExternalCommand };

export interface ResolvedChoice {
  id: string;
  label: string;
  goto: string;
  reasonRequired: boolean;
}

export interface ResolvedAgent {
  id: string;
  type: string;
  /** One sentence of emphasis from the recipe. */
  promptHint?: string;
  /** The task: inline, or read from `promptFile` at capture. */
  prompt?: string;
  /** Where `prompt` was read from, as the recipe names it. */
  promptFile?: string;
  promptVariant?: string;
  /** Relative to the run's directory; absent: the agent reports through `--result` (self-reported). */
  output?: string;
  readsFrom: string[];
  when?: string;
}

interface CommonBlock {
  id: string;
  kind: BlockKind;
  when?: string;
  onError: OnError;
  stale: 'warn' | 'block';
}

export interface AskingBlock extends CommonBlock {
  /** At most 600 characters after filling; never empty. */
  instruction: string;
  /** The whole instruction file, captured; written to actions/<id>/prompt.md and named in `read`. */
  instructionText?: string;
  /** Where it was read from, as the recipe names it. */
  instructionFile?: string;
  read: string[];
  consult: string[];
  asks: 'user' | null;
}

export interface CliBlock extends CommonBlock {
  kind: 'cli';
  command: BlockCommand;
  /** The block stands for what `init` did: done at creation, never run. */
  standsForInit: boolean;
}
export interface LlmBlock extends AskingBlock {
  kind: 'llm';
  choices: ResolvedChoice[];
  save?: OwnCommand;
  /** Draft sections this block writes. */
  sections: SectionId[];
  maxRounds?: number;
}
export interface LlmLoopBlock extends AskingBlock {
  kind: 'llm-loop';
  save?: OwnCommand;
  sections: SectionId[];
  exitCheck?: OwnCommand;
  exitWhen?: string;
  maxRounds: number;
  revise?: string;
}
export interface LlmCliBlock extends AskingBlock {
  kind: 'llm+cli';
  /** Relative to the run's directory. */
  write: string;
  /** `plan-content`, or a path beside the recipe; absent: any JSON. */
  schema?: string;
  /** The schema that the path led to, captured. */
  schemaText?: string;
  command?: BlockCommand;
}
export interface SubagentBlock extends AskingBlock {
  kind: 'subagent' | 'subagent-loop';
  agents: ResolvedAgent[];
  parallel: boolean;
  onComplete?: OwnCommand;
  exitCheck?: OwnCommand;
  exitWhen?: string;
  maxRounds: number;
  revise?: string;
}
export interface GateBlock extends AskingBlock {
  kind: 'wait-for-user';
  message: string;
  choices: ResolvedChoice[];
  human: boolean;
  artifact?: string;
  maxRounds: number;
}
export type ResolvedBlock = CliBlock | LlmBlock | LlmLoopBlock | LlmCliBlock | SubagentBlock | GateBlock;

/** An agent definition as captured (from agents/, .dev/agents, .claude/agents, …). */
export interface CapturedAgent {
  type: string;
  /** Where it was found; relative to the root, or `dev-cli:agents/x.md` for a shipped one. */
  source: string;
  description: string;
  /** First sentence of the body: who the agent is. */
  role: string;
  body: string;
}

/** recipe.json: all a run needs of its recipe, whatever happens to the files (recipes.md §5). */
export interface CapturedRecipe {
  compiler: number;
  /** SHA-256 over all captured sources. */
  digest: string;
  /** Path as the user knows it, for "changed since" reports; null for a shipped one. */
  sources: { path: string; shipped: boolean; sha256: string; text: string }[];
  recipe: ResolvedRecipe;
  agents: Record<string, CapturedAgent>;
}
