import type { SourceText } from '../resolve/text.js';
import type { CapturedAgent, ResolvedRecipe, ResolvedWorkflow } from '../resolved.js';
import type { CheckedSource } from '../source/checked.js';
import type { ProblemLog } from '../source/report.js';
import type { MetaSource } from '../source/schema.js';
import type { AgentDefinition } from './agent-definitions.js';
import type { LibraryFile } from './recipe-files.js';

/** A recipe on its way from text to data, with everything lint needs to judge it. */
export interface CompiledRecipe {
  /** The path as shown to the user. */
  file: string;
  /** The problems found so far; lint adds its own. */
  report: ProblemLog;
  /** Type and description as written; empty where they cannot be read. */
  header: { type: string; description: string };
  /** Null when the document is unusable. */
  draft: RecipeDraft | WorkflowDraft | null;
  /** Every file the recipe consists of, its own first; for a workflow, those of its phases too. */
  sources: SourceText[];
  /** The shared homes that these come from, in order of precedence, as shown to the user. */
  homes: string[];
}

type RecipeDraft = Exclude<CheckedSource, { type: 'meta' }> & RecipeParts;

/** A meta recipe with the recipes of its phases. */
type WorkflowDraft = Extract<CheckedSource, { type: 'meta' }> & {
  /** One for each phase of the file, in its order. */
  phases: CompiledPhase[];
  /** Made of the phases whose recipes could be resolved. */
  workflow: ResolvedWorkflow;
};

/** The definition of a role, with what lint judges it by. */
export type AgentDraft = CapturedAgent & Pick<AgentDefinition, 'maySave' | 'unread' | 'flaw'>;

/** A resolved recipe and what it was resolved from, besides its own file. */
interface RecipeParts {
  recipe: ResolvedRecipe;
  /** Prompt files, by the reference in the recipe or, for shipped ones, by their path in the package. */
  prompts: ReadonlyMap<string, SourceText>;
  /** Definitions found for the roles and variants of the recipe. */
  agents: Record<string, AgentDraft>;
  /** All roles that have a definition, for suggestions. */
  knownAgents: readonly string[];
}

/** A phase of a workflow with its recipe, if that was found. */
export interface CompiledPhase {
  /** The phase as written; null when it does not fit the schema. */
  stated: MetaSource['phases'][number] | null;
  /** The recipe's file; null when there is none of that name. */
  file: LibraryFile | null;
  /** Why there is no such file. */
  problem: string | null;
  /** The recipe; null when there is no file. */
  compiled: CompiledRecipe | null;
}
