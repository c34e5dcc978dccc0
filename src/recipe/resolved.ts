import type { Invocation } from '../base/invocation.js';
import type { JsonObject } from '../base/json.js';
import type { SectionId } from '../documents/sections.js';
import type { BlockKind } from '../machine/block-kinds.js';
import type { EngineProgram, StageActor } from '../machine/engine-program.js';
import type { OnError, Program } from '../machine/program.js';

/**
 * A recipe with every default filled in and every string parsed, as `recipe show` prints it, `init` captures it and
 * runs use it. Placeholders (`{name}`, `{goal}`, `{round}`, …) are not filled yet.
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
  /** The sections that DRAFT.md must have. `stated` is true if the recipe itself lists them. */
  draft: { required: SectionId[]; stated: boolean };
  /** Null if the recipe states no `guard.writes`; declared.ts has the default. */
  guardWrites: string[] | null;
  /** This and the following optional fields hold only what the recipe states; declared.ts has their defaults. */
  guardSources?: 'kept' | 'free';
  inherits?: string[];
  artifacts?: string[];
  /** Set if the recipe lists its artifacts itself. */
  statesArtifacts?: true;
  closing?: string;
  begins?: 'planning' | 'execution';
  cleanup: string[];
  /** Whether a run needs a goal, because the recipe requires or uses one. */
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

/** What only engine recipes have: the stages of todos and of the run, and the actor of each (engine.md, Shape). */
export interface ResolvedEngine {
  program: EngineProgram;
  /** By stage id (`worker`, `wrapUp`, `codeReview`, `securityScan`, …); includes `stateBegin` if it is enabled. */
  handlers: Record<string, ResolvedHandler>;
}

/** The handler of one stage of an execution, either shipped or the recipe's own. */
export interface ResolvedHandler {
  /** The key in the recipe: `wrap_up`, `security_scan`. */
  key: string;
  /** The id of the shipped handler; null for the recipe's own handler. */
  shipped: string | null;
  actor: StageActor;
  /** For a subagent: the role. */
  agent?: string;
  /** For a subagent: the rules of the task, read from `promptFile` at capture. */
  prompt?: string;
  promptFile?: string;
  /** For the recipe's own `cli` handler: the external command. */
  command?: ExternalCommand;
  /** For a human: the question, its placeholders not yet filled. */
  message?: string;
  when?: string;
}

/** A preference that a recipe reads. */
export interface PreferenceSpec {
  type: 'bool' | 'string' | 'int';
  default?: boolean | string | number;
  description: string;
  /** The only allowed values; set only for some built-in preferences. */
  values?: (string | boolean)[];
}

/** A recipe's `dev-cli …` command, parsed by the command registry; placeholders in its values are not filled yet. */
export type OwnCommand = Invocation & { source: string };

/** An external command: an argument vector, or one shell line if the recipe says `shell: true`. */
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
  /** Whether the choice needs a note with the reason. */
  reasonRequired: boolean;
  /** The condition under which the choice is offered. */
  when?: string;
  /** Set if the choice makes the work one size larger from then on. */
  grows?: true;
}

/** An agent that a block starts. */
export interface ResolvedAgent {
  /** Unique within the recipe. */
  id: string;
  /** The role, which is the name of an agent definition. */
  type: string;
  /** One sentence that the recipe adds to this agent's prompt, to say what matters most. */
  promptHint?: string;
  /** The task: stated inline, or read from `promptFile` at capture. */
  prompt?: string;
  /** The file that `prompt` was read from, as the recipe names it. */
  promptFile?: string;
  promptVariant?: string;
  /** Relative to the run's directory. An agent without an output reports through `--result`. */
  output?: string;
  readsFrom: string[];
  when?: string;
}

interface CommonBlock {
  id: string;
  /** One line for people, at most 60 characters. */
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
  /** The full instruction if `instruction` is only its beginning; the agent reads it in actions/<id>/prompt.md. */
  instructionText?: string;
  /** The instruction's file, as the recipe names it. */
  instructionFile?: string;
  /** Files the agent reads before it acts. */
  read: string[];
  /** Files the agent reads only when needed. */
  consult: string[];
  asks: 'user' | null;
}

/** A block for which dev-cli runs a command. */
export interface CliBlock extends CommonBlock {
  kind: 'cli';
  command: BlockCommand;
  /** Whether the block represents the `init` command: it is done from the start and never run. */
  standsForInit: boolean;
  /** The earlier block to return to when the command fails, at most `maxRounds` times. */
  revise?: string;
  maxRounds?: number;
}
/** The rules for data that an agent hands in. */
export interface DataForm {
  /** The name of a shipped schema, or a path beside the recipe. Without it any JSON is accepted. */
  schema?: string;
  /** The content of the schema file. */
  schemaText?: string;
  /** Whether the run keeps the data, for conditions and placeholders (recipes.md, Data). */
  keepsData?: true;
}
/** A block in which the agent does something once. */
export interface LlmBlock extends InstructedBlock, DataForm {
  kind: 'llm';
  choices: ResolvedChoice[];
  save?: OwnCommand;
  /** The sections of DRAFT.md that this block writes. */
  sections: SectionId[];
  maxRounds?: number;
}
/** A block in which the agent works in rounds. */
export interface LlmLoopBlock extends InstructedBlock, DataForm {
  kind: 'llm-loop';
  save?: OwnCommand;
  sections: SectionId[];
  exitCheck?: OwnCommand;
  /**
   * An external command as the exit check, instead of `exitCheck`. Whether the loop ends is decided when the command
   * has ended.
   */
  exitCommand?: ExternalCommand;
  exitWhen?: string;
  maxRounds: number;
  revise?: string;
}
/** A block in which the agent writes a file and dev-cli then runs a command on it. */
export interface LlmCliBlock extends InstructedBlock, DataForm {
  kind: 'llm+cli';
  /** Relative to the run's directory. */
  write: string;
  /** For a Markdown file: the headings it must have. */
  headings?: string[];
  command?: BlockCommand;
}
/** A block in which other agents work, once or in rounds. */
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
/** A block at which the run waits for a choice. */
export interface GateBlock extends InstructedBlock {
  kind: 'wait-for-user';
  /** The question, its placeholders not yet filled. */
  message: string;
  choices: ResolvedChoice[];
  /** Whether only a person may choose. */
  human: boolean;
  /**
   * `plan` if the recipe says that this gate approves the plan. If it does not, `isPlanGate` in declared.ts decides.
   */
  approves?: 'plan';
  /** The document that the person judges at this gate. */
  artifact?: string;
  maxRounds: number;
}
/** The only block of an engine recipe; the recipe's `engine` describes it. */
interface EngineBlock extends CommonBlock {
  kind: 'engine';
}
/** A block of any type. */
export type ResolvedBlock = CliBlock | LlmBlock | LlmLoopBlock | LlmCliBlock | SubagentBlock | GateBlock | EngineBlock;
export type BlockOf<K extends BlockKind> = Exclude<ResolvedBlock, { kind: Exclude<BlockKind, K> }>;
/** A block that issues an action to the agent or a person. */
export type AgentFacingBlock = Exclude<ResolvedBlock, CliBlock | EngineBlock>;
