import type { Invocation } from '../base/invocation.js';
import type { JsonObject } from '../base/json.js';
import type { SectionId } from '../documents/sections.js';
import type { BlockKind } from '../machine/block-kinds.js';
import type { EngineProgram, StageActor } from '../machine/engine-program.js';
import type { OnError, Program } from '../machine/program.js';
import type { ErrorPolicy } from '../machine/workflow-program.js';

/**
 * A recipe with every default filled in and every string parsed, as `recipe show` prints it, `init` captures it and
 * runs use it. Templates (`{name}`, `{goal}`, `{round}`, …) are still unfilled.
 */
export interface ResolvedRecipe {
  name: string;
  type: 'sequential' | 'engine';
  language: 1;
  description: string;
  skill: string;
  /** The mode as stated; flags fill in the rest at `init` (recipes.md §1). */
  mode: Record<string, string>;
  vars: JsonObject;
  preferences: Record<string, PreferenceSpec>;
  /** What must be available before a run begins. */
  needs?: Need[];
  /** The sections that DRAFT.md must have; `stated`: listed by the recipe, not by default. */
  draft: { required: SectionId[]; stated: boolean };
  /** Null where the recipe states no `guard`; declared.ts has the default. */
  guardWrites: string[] | null;
  /** This and the next as stated, like `closing` and `begins`; declared.ts has their defaults. */
  guardSources?: 'kept' | 'free';
  inherits?: string[];
  artifacts?: string[];
  /** That the recipe itself lists its artifacts. */
  statesArtifacts?: true;
  closing?: string;
  begins?: 'planning' | 'execution';
  cleanup: string[];
  /** Whether a run needs a goal, because the recipe demands or uses one. */
  usesGoal: boolean;
  /** Whether any block reads or writes DRAFT.md; if so, `init` creates it. */
  usesDraft: boolean;
  blocks: ResolvedBlock[];
  program: Program;
  /** Engine recipes only. */
  engine?: ResolvedEngine;
}

/** What a recipe can require of the machine and the repository (recipes.md §1; recipes.md §4). */
export type Need = 'remote' | 'gh';

/** What only engine recipes have: the stages of todos and of the run, and who acts in each (engine.md, Shape). */
export interface ResolvedEngine {
  program: EngineProgram;
  /** By stage id (`worker`, `wrapUp`, `codeReview`, `securityScan`, …), with `stateBegin` where it is enabled. */
  handlers: Record<string, ResolvedHandler>;
}

/** What acts in a stage of an execution, shipped or the recipe's own. */
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

/** A preference that a recipe reads. */
export interface PreferenceSpec {
  type: 'bool' | 'string' | 'int';
  default?: boolean | string | number;
  description: string;
  /** The only values allowed; for built-in preferences. */
  values?: (string | boolean)[];
}

/** A `dev-cli …` command of a recipe, parsed by the registry; templates in its values are unfilled. */
export type OwnCommand = Invocation & { source: string };

/** An external command: an argument vector, or one shell line when the recipe says `shell: true`. */
export interface ExternalCommand {
  argv: string[];
  shell: boolean;
  /** Seconds. */
  timeout: number;
  /** Relative to the work tree. */
  cwd: string;
  /** The command as written. */
  source: string;
}

export type BlockCommand = { kind: 'own'; command: OwnCommand } | { kind: 'external'; command: ExternalCommand };

export interface ResolvedChoice {
  id: string;
  label: string;
  /** `next`, `halt`, or the id of an earlier block. */
  goto: string;
  /** Whether the choice needs a note that says why. */
  reasonRequired: boolean;
  /** The choice is offered only where it holds. */
  when?: string;
  /** Whether the work is one size larger from then on. */
  grows?: true;
}

/** An agent that a block starts. */
export interface ResolvedAgent {
  /** Unique in the recipe. */
  id: string;
  /** The role, by the name of its definition. */
  type: string;
  /** One sentence of emphasis from the recipe. */
  promptHint?: string;
  /** The task: inline, or read from `promptFile` at capture. */
  prompt?: string;
  /** Where `prompt` was read from, as the recipe names it. */
  promptFile?: string;
  promptVariant?: string;
  /** Relative to the run's directory; an agent without it reports through `--result`. */
  output?: string;
  readsFrom: string[];
  when?: string;
}

interface CommonBlock {
  id: string;
  /** For people, in one line of at most 60 characters. */
  title?: string;
  kind: BlockKind;
  when?: string;
  onError: OnError;
  stale: 'warn' | 'block';
}

/** A block that asks an agent or a person to do something. */
export interface InstructedBlock extends CommonBlock {
  /** At most 600 characters; never empty. */
  instruction: string;
  /** The whole instruction where `instruction` is only its beginning; actions/<id>/prompt.md holds it. */
  instructionText?: string;
  /** The instruction's file, as the recipe names it. */
  instructionFile?: string;
  /** Files the agent reads before it acts. */
  read: string[];
  /** Files the agent reads when needed. */
  consult: string[];
  asks: 'user' | null;
}

/** dev-cli runs a command. */
export interface CliBlock extends CommonBlock {
  kind: 'cli';
  command: BlockCommand;
  /** Whether the block stands for what `init` did: done from the start, never run. */
  standsForInit: boolean;
  /** The earlier block to go back to when the command fails, at most `maxRounds` times. */
  revise?: string;
  maxRounds?: number;
}
/** What the data that an agent hands in must fit. */
export interface DataForm {
  /** The name of a shipped schema, or a path beside the recipe; without it any JSON is accepted. */
  schema?: string;
  /** The content of the schema file. */
  schemaText?: string;
  /** Whether the run keeps the data, for conditions and placeholders (recipes.md, Data). */
  keepsData?: true;
}
/** The agent does something once. */
export interface LlmBlock extends InstructedBlock, DataForm {
  kind: 'llm';
  choices: ResolvedChoice[];
  save?: OwnCommand;
  /** Draft sections this block writes. */
  sections: SectionId[];
  maxRounds?: number;
}
/** The agent works in rounds. */
export interface LlmLoopBlock extends InstructedBlock, DataForm {
  kind: 'llm-loop';
  save?: OwnCommand;
  sections: SectionId[];
  exitCheck?: OwnCommand;
  /** An external exit check, in place of `exitCheck`: the round is judged when it has ended. */
  exitCommand?: ExternalCommand;
  exitWhen?: string;
  maxRounds: number;
  revise?: string;
}
/** The agent writes a file, then dev-cli runs a command on it. */
export interface LlmCliBlock extends InstructedBlock, DataForm {
  kind: 'llm+cli';
  /** Relative to the run's directory. */
  write: string;
  /** Of a Markdown file: what it must have. */
  headings?: string[];
  command?: BlockCommand;
}
/** Other agents work, once or in rounds. */
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
/** The run waits for a choice. */
export interface GateBlock extends InstructedBlock {
  kind: 'wait-for-user';
  /** The question; templates unfilled. */
  message: string;
  choices: ResolvedChoice[];
  /** Whether only a person may choose. */
  human: boolean;
  /** As stated; `isPlanGate` of declared.ts has the default. */
  approves?: 'plan';
  /** The document that is judged. */
  artifact?: string;
  maxRounds: number;
}
/** The only block of an engine recipe, described by the recipe's `engine`. */
interface EngineBlock extends CommonBlock {
  kind: 'engine';
}
/** A block of any type. */
export type ResolvedBlock = CliBlock | LlmBlock | LlmLoopBlock | LlmCliBlock | SubagentBlock | GateBlock | EngineBlock;
export type BlockOf<K extends BlockKind> = Exclude<ResolvedBlock, { kind: Exclude<BlockKind, K> }>;
/** A block that hands an action of its own to the agent or a person. */
export type AgentFacingBlock = Exclude<ResolvedBlock, CliBlock | EngineBlock>;

/** An agent definition as captured (from agents/, .dev/agents, .claude/agents, …). */
export interface CapturedAgent {
  /** The role's name. */
  type: string;
  /** Its file: relative to the root, or `dev-cli:agents/x.md` for a shipped one. */
  source: string;
  description: string;
  /** The first sentence of the body: who the agent is. */
  role: string;
  body: string;
}

export interface ResolvedPhase {
  /** Unique in the workflow. */
  name: string;
  /** The path of its recipe among the captured sources. */
  source: string;
  recipe: ResolvedRecipe;
  when?: string;
}

/** A meta recipe with every default filled in and the recipes of its phases (recipes.md §4). */
export interface ResolvedWorkflow {
  name: string;
  type: 'meta';
  language: 1;
  description: string;
  /** The mode of phases that state none; complete once `init` has added the flags. */
  mode: Record<string, string>;
  /** The workflow's vars, for `when`; one that a phase declares, too, replaces that phase's default. */
  vars: JsonObject;
  /** The preferences of all phases and those that a `when` reads. */
  preferences: Record<string, PreferenceSpec>;
  /** What the whole workflow needs; the needs of a phase are in its recipe. */
  needs?: Need[];
  /** This and the next two as stated; declared.ts has their defaults. */
  artifacts?: string[];
  closing?: string;
  begins?: 'planning' | 'execution';
  errorPolicy: ErrorPolicy;
  /** At least one. */
  phases: ResolvedPhase[];
}

/** recipe.json: all that a run needs of its recipe, whatever happens to the files (recipes.md §5). */
export interface CapturedRecipe {
  /** `COMPILER_VERSION` of the release that captured it. */
  compiler: number;
  /** SHA-256 over all captured sources. */
  digest: string;
  /** Every file it was compiled from, the recipe first; `path` as shown to the user. */
  sources: { path: string; shipped: boolean; sha256: string; text: string }[];
  /** The shared homes that sources come from, in order of precedence, named like them; absent where there are none. */
  homes?: string[];
  /** The recipe that runs: for a workflow, that of the current phase, which is the first one in recipe.json. */
  recipe: ResolvedRecipe;
  /** Definitions by role, variants as `<role>.<variant>`. */
  agents: Record<string, CapturedAgent>;
  /** Workflows only; `agents` and `sources` are then those of all phases. */
  workflow?: ResolvedWorkflow;
}
