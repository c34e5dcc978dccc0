import type { CheckedSource } from './checked-source.js';
import type { LibraryFile } from './library.js';
import type { ProblemLog } from './report.js';
import type { SourceText } from './resolve-text.js';
import type { CapturedAgent, ResolvedRecipe, ResolvedWorkflow } from './resolved.js';
import type { MetaSource } from './schema.js';

/** A recipe on its way from text to data, with all that lint needs to judge it. */
export interface CompiledRecipe {
  /** As the user knows it. */
  file: string;
  report: ProblemLog;
  /** What the file says it is, as far as it can be read. */
  header: { type: string; description: string };
  /** Null when the document is of no use. */
  draft: RecipeDraft | WorkflowDraft | null;
  /** Every file that went into it, the recipe first; of a workflow those of its phases too. */
  sources: SourceText[];
}

type RecipeDraft = Exclude<CheckedSource, { type: 'meta' }> & RecipeParts;

/** A meta recipe with the recipes of its phases. */
type WorkflowDraft = Extract<CheckedSource, { type: 'meta' }> & {
  /** One for each phase of the file, in its order. */
  phases: CompiledPhase[];
  /** Of the phases whose recipe could be resolved. */
  workflow: ResolvedWorkflow;
};

/** What a recipe was made of, beside its own file. */
interface RecipeParts {
  recipe: ResolvedRecipe;
  /** Prompt files, by the reference in the recipe or their path in the package. */
  prompts: ReadonlyMap<string, SourceText>;
  agents: Record<string, CapturedAgent & { maySave: boolean }>;
  /** Roles that have a definition, for did-you-mean. */
  knownAgents: readonly string[];
}

/** A phase of a workflow with its recipe, as far as that could be found. */
export interface CompiledPhase {
  /** Null for a phase that does not fit the schema. */
  stated: MetaSource['phases'][number] | null;
  /** The recipe's file; null when there is none of that name. */
  file: LibraryFile | null;
  /** Why there is none. */
  problem: string | null;
  compiled: CompiledRecipe | null;
}
