import type { JsonObject } from '../base/json.js';
import type { ErrorPolicy } from '../machine/workflow-program.js';
import type { Need, PreferenceSpec, ResolvedRecipe } from './resolved.js';

/** What a run keeps of its recipe (recipes.md §5): the recipe or workflow, its agents, and all sources. */

/** An agent definition as captured (from agents/, .dev/agents, .claude/agents, …). */
export interface CapturedAgent {
  /** The role's name. */
  type: string;
  /** The definition's file: relative to the root, or `dev-cli:agents/x.md` if shipped. */
  source: string;
  description: string;
  /** The first sentence of the body, which says who the agent is. */
  role: string;
  body: string;
}

export interface ResolvedPhase {
  /** Unique within the workflow. */
  name: string;
  /** The path of the phase's recipe among the captured sources. */
  source: string;
  recipe: ResolvedRecipe;
  when?: string;
}

/** A meta recipe with every default filled in, and the recipes of its phases (recipes.md §4). */
export interface ResolvedWorkflow {
  name: string;
  type: 'meta';
  language: 1;
  description: string;
  /** The mode for phases whose recipes state none; incomplete until `init` adds the flags. */
  mode: Record<string, string>;
  /** The workflow's vars, for `when`. If a phase declares the same var, this value replaces the phase's default. */
  vars: JsonObject;
  /** The preferences of all phases, and those that a `when` reads. */
  preferences: Record<string, PreferenceSpec>;
  /** The needs of the workflow as a whole; those of a phase are in its recipe. */
  needs?: Need[];
  /** This and the next two fields hold only what the workflow states; declared.ts has their defaults. */
  artifacts?: string[];
  closing?: string;
  begins?: 'planning' | 'execution';
  errorPolicy: ErrorPolicy;
  /** At least one. */
  phases: ResolvedPhase[];
}

/** The content of recipe.json: all that a run needs from its recipe, even if the files change later (recipes.md §5). */
export interface CapturedRecipe {
  /** The `COMPILER_VERSION` of the dev-cli that captured the recipe. */
  compiler: number;
  /** SHA-256 of all captured sources together. */
  digest: string;
  /** Every file the recipe was compiled from, the recipe itself first; `path` as shown to the user. */
  sources: { path: string; shipped: boolean; sha256: string; text: string }[];
  /** The shared homes that sources come from, in order of precedence, shown as in `sources`; absent if none. */
  homes?: string[];
  /** The current recipe. For a workflow, the current phase's recipe; in recipe.json, that is the first phase's. */
  recipe: ResolvedRecipe;
  /** Agent definitions by role; variants under `<role>.<variant>`. */
  agents: Record<string, CapturedAgent>;
  /** Only for workflows; `agents` and `sources` then cover all phases. */
  workflow?: ResolvedWorkflow;
}
