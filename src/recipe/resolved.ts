import type { Invocation } from '../base/invocation.js';
import type { JsonObject } from '../base/json.js';
import type { SectionId } from '../documents/sections.js';
import type { EngineProgram, StageActor } from '../machine/engine-program.js';
import type { BlockKind, OnError, Program } from '../machine/program.js';
import type { ErrorPolicy } from '../machine/workflow-program.js';

/**
 * A recipe with every default filled in and every string parsed: what `recipe show` prints, what `init` captures into
 * recipe.json, what the engine reads. Templates (`{name}`, `{goal}`, `{round}`, …) are still unfilled.
 */
export interface ResolvedRecipe {
  name: string;
  type: 'sequential' | 'engine';
  language: 1;
  description: string;
  skill: string;
  /** What the recipe states; the rest is filled by flags at init (recipes.md §1). */
  mode: Record<string, string>;
  vars: JsonObject;
  preferences: Record<string, PreferenceSpec>;
  /** What has to be there before a run of it begins. Absent also in what earlier versions captured. */
  needs?: Need[];
  draft: { required: SectionId[]; stated: boolean };
  /** Null where the recipe states no `guard`; declared.ts knows what its skill then says. */
  guardWrites: string[] | null;
  /** This and the next four as stated; declared.ts knows what holds where they are absent. */
  guardSources?: 'kept' | 'free';
  inherits?: string[];
  artifacts?: string[];
  closing?: string;
  begins?: 'planning' | 'execution';
  cleanup: string[];
  /** True when any template or condition of the recipe uses the goal. */
  usesGoal: boolean;
  /** True when any block reads or writes DRAFT.md; then `init` creates it. */
  usesDraft: boolean;
  blocks: ResolvedBlock[];
  program: Program;
  /** Engine recipes only. */
  engine?: ResolvedEngine;
}

/** What a recipe can need of the machine and the repository (recipes.md §1; recipes.md §4). */
export type Need = 'remote' | 'gh';

/** What an engine recipe adds: the stages of a todo and of the end, and who acts in each (engine.md, Shape). */
export interface ResolvedEngine {
  program: EngineProgram;
  /** By stage id (`worker`, `wrapUp`, `codeReview`, `securityScan`, …); for `stateBegin` too when it is enabled. */
  handlers: Record<string, ResolvedHandler>;
}

export interface ResolvedHandler {
  /** As the recipe writes it: `wrap_up`, `security_scan`. */
  key: string;
  /** The registry's handler, or null for one of the recipe's own. */
  shipped: string | null;
  actor: StageActor;
  /** subagent: the role. */
  agent?: string;
  /** subagent: the task's rules, read from `promptFile` at capture. */
  prompt?: string;
  promptFile?: string;
  /** cli, own handlers: the external command. */
  command?: ExternalCommand;
  /** human: the question; templates unfilled. */
  message?: string;
  when?: string;
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

export interface InstructedBlock extends CommonBlock {
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
export interface LlmBlock extends InstructedBlock {
  kind: 'llm';
  choices: ResolvedChoice[];
  save?: OwnCommand;
  /** Draft sections this block writes. */
  sections: SectionId[];
  maxRounds?: number;
}
export interface LlmLoopBlock extends InstructedBlock {
  kind: 'llm-loop';
  save?: OwnCommand;
  sections: SectionId[];
  exitCheck?: OwnCommand;
  exitWhen?: string;
  maxRounds: number;
  revise?: string;
}
export interface LlmCliBlock extends InstructedBlock {
  kind: 'llm+cli';
  /** Relative to the run's directory. */
  write: string;
  /** `plan-content`, or a path beside the recipe; absent: any JSON. */
  schema?: string;
  /** The schema that the path led to, captured. */
  schemaText?: string;
  command?: BlockCommand;
}
export interface SubagentBlock extends InstructedBlock {
  kind: 'subagent' | 'subagent-loop';
  agents: ResolvedAgent[];
  parallel: boolean;
  onComplete?: OwnCommand;
  exitCheck?: OwnCommand;
  exitWhen?: string;
  maxRounds: number;
  revise?: string;
}
export interface GateBlock extends InstructedBlock {
  kind: 'wait-for-user';
  message: string;
  choices: ResolvedChoice[];
  human: boolean;
  /** As stated; `isPlanGate` of declared.ts knows when it goes without saying. */
  approves?: 'plan';
  artifact?: string;
  maxRounds: number;
}
/** The one block of an engine recipe; what it does stands under `engine` of the recipe. */
interface EngineBlock extends CommonBlock {
  kind: 'engine';
}
export type ResolvedBlock = CliBlock | LlmBlock | LlmLoopBlock | LlmCliBlock | SubagentBlock | GateBlock | EngineBlock;
/** A block that hands the agent or a person an action of its own. */
export type AgentFacingBlock = Exclude<ResolvedBlock, CliBlock | EngineBlock>;

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

export interface ResolvedPhase {
  name: string;
  /** Which of the captured sources is its recipe. */
  source: string;
  recipe: ResolvedRecipe;
  when?: string;
}

/** A meta recipe with every default filled in: its phases with their recipes, whole (recipes.md §4). */
export interface ResolvedWorkflow {
  name: string;
  type: 'meta';
  language: 1;
  description: string;
  /** What the workflow states for phases that leave it open; from `init` on, with the flags, whole. */
  mode: Record<string, string>;
  /** Its own, for `when`; one that a phase declares too replaces that phase's default. */
  vars: JsonObject;
  /** Those of all phases and those that a `when` reads. */
  preferences: Record<string, PreferenceSpec>;
  /** What the whole workflow needs; a phase's own needs stand in its recipe. */
  needs?: Need[];
  /** This and the next two as stated (declared.ts). */
  artifacts?: string[];
  closing?: string;
  begins?: 'planning' | 'execution';
  errorPolicy: ErrorPolicy;
  /** At least one. */
  phases: ResolvedPhase[];
}

/** recipe.json: all a run needs of its recipe, whatever happens to the files (recipes.md §5). */
export interface CapturedRecipe {
  compiler: number;
  /** SHA-256 over all captured sources. */
  digest: string;
  /** Path as the user knows it, for "changed since" reports; null for a shipped one. */
  sources: { path: string; shipped: boolean; sha256: string; text: string }[];
  /** Of a workflow: that of the first phase, and in a run that of the phase at work. */
  recipe: ResolvedRecipe;
  agents: Record<string, CapturedAgent>;
  /** Of a run of several recipes; `agents` and `sources` are those of all phases. */
  workflow?: ResolvedWorkflow;
}
