import type { CapturedAgent, ResolvedWorkflow } from '../captured.js';
import type { SourceText } from '../resolve/text.js';
import type { ResolvedRecipe } from '../resolved.js';
import type { CheckedSource } from '../source/checked.js';
import type { ProblemLog } from '../source/report.js';
import type { MetaSource } from '../source/schema.js';
import type { AgentDefinition } from './agent-definitions.js';
import type { LibraryFile } from './recipe-files.js';

/** A recipe being compiled, with everything that lint needs to judge it. */
export interface CompiledRecipe {
  /** The path as shown to the user. */
  file: string;
  /** The problems found so far; lint adds its own. */
  report: ProblemLog;
  /** Type and description as written in the file; empty if they cannot be read. */
  header: { type: string; description: string };
  /** Null if the document is unusable. */
  draft: RecipeDraft | WorkflowDraft | null;
  /** Every file of the recipe, its own first; for a workflow, also those of its phases. */
  sources: SourceText[];
  /** The shared homes that `sources` come from, in order of precedence, as shown to the user. */
  homes: string[];
}

type RecipeDraft = Exclude<CheckedSource, { type: 'meta' }> & RecipeParts;

/** A meta recipe with the recipes of its phases. */
type WorkflowDraft = Extract<CheckedSource, { type: 'meta' }> & {
  /** One element for each phase in the file, in order. */
  phases: CompiledPhase[];
  /** The workflow, made of the phases whose recipes could be resolved. */
  workflow: ResolvedWorkflow;
};

/** The definition of a role, with what lint needs to judge it. */
export type AgentDraft = CapturedAgent & Pick<AgentDefinition, 'maySave' | 'unread' | 'flaw'>;

/** A resolved recipe, with the prompt files and agent definitions that went into it. */
interface RecipeParts {
  recipe: ResolvedRecipe;
  /** Prompt files by the reference in the recipe; shipped ones by their path in the package. */
  prompts: ReadonlyMap<string, SourceText>;
  /** Definitions found for the recipe's roles and variants. */
  agents: Record<string, AgentDraft>;
  /** All roles that have a definition, for suggestions. */
  knownAgents: readonly string[];
}

/** A phase of a workflow, with its recipe if that was found. */
export interface CompiledPhase {
  /** The phase as written in the workflow; null if it does not fit the schema. */
  stated: MetaSource['phases'][number] | null;
  /** The recipe's file; null if there is none with this name. */
  file: LibraryFile | null;
  /** Why no recipe with this name was found; null if one was. */
  problem: string | null;
  /** The compiled recipe; null if there is no file. */
  compiled: CompiledRecipe | null;
}
