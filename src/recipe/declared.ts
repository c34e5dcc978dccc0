import type { CapturedRecipe, GateBlock, ResolvedBlock, ResolvedRecipe } from './resolved.js';

/**
 * What a recipe declares of its runs as a whole (recipes.md §1). A field that it leaves open follows from its skill and its
 * type: here, and not in the captured recipe, so that one captured before the language had the field means what it meant.
 */

type Open<K extends keyof ResolvedRecipe> = Pick<ResolvedRecipe, 'skill' | K>;

/** What a word of `skill` says about the fields that are left open. */
interface SkillDefaults {
  sources: 'kept' | 'free';
  goal?: 'required';
  inherits?: readonly string[];
  closing?: string;
}

/** The words that say something; the only place that knows them. Whoever has another word is guarded by `guard` alone. */
const SKILLS: ReadonlyMap<string, SkillDefaults> = new Map([
  [
    'specify',
    {
      sources: 'kept',
      goal: 'required',
      inherits: [],
      closing: "Show the user the summary and the plan's path. Nothing is to be implemented now.",
    },
  ],
  ['execute', { sources: 'free' }],
  ['open', { sources: 'kept' }],
]);

/** Documents worth naming at the end of a run, in the order in which a person would open them. */
export const ARTIFACTS: readonly string[] = ['PLAN.md', 'report.md', 'summary.md', 'pr.json'];

/** Documents that a run can find from an earlier one of its name (documents.md, plan generate). */
const INHERITED: readonly string[] = ['PLAN.md', 'plan-content.json'];

/** Whether a live run is guarded: what its tools may write is limited. */
export function isGuarded({ skill, guardWrites }: Open<'guardWrites'>): boolean {
  return guardWrites !== null || SKILLS.has(skill);
}

/** Whether nothing outside `.dev/` may change while a run is live: acknowledgements look, and refuse. */
export function keepsSources({ skill, guardSources }: Open<'guardSources'>): boolean {
  return (guardSources ?? SKILLS.get(skill)?.sources) === 'kept';
}

/** Whether a run that works on DRAFT.md needs a goal, where the recipe neither says so nor uses it. */
export function draftsFromGoal(skill: string): boolean {
  return SKILLS.get(skill)?.goal === 'required';
}

/** The documents that a block may read although none before it writes them. */
export function listInherited({ skill, inherits }: Open<'inherits'>): readonly string[] {
  return inherits ?? SKILLS.get(skill)?.inherits ?? INHERITED;
}

/** What the agent is told to do when a run of the recipe, or of the workflow, is completed. */
export function getClosing({ recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>): string {
  if (workflow !== undefined)
    return workflow.closing ?? 'Tell the user what came of each phase and name the artifacts.';
  if (recipe.closing !== undefined) return recipe.closing;
  if (recipe.type === 'engine') return 'Tell the user what was done and show report.md.';
  return SKILLS.get(recipe.skill)?.closing ?? 'Tell the user what was done.';
}

/** The documents that the end of a run names, as far as it has written them. */
export function listArtifacts({ recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>): readonly string[] {
  if (workflow === undefined) return recipe.artifacts ?? ARTIFACTS;
  const ofPhases = workflow.phases.flatMap((phase) => phase.recipe.artifacts ?? []);
  return workflow.artifacts ?? [...new Set([...ARTIFACTS, ...ofPhases])];
}

/** Whether an execution asks for this gate's answer (recipes.md, Gates). */
export function isPlanGate(block: ResolvedBlock): block is GateBlock {
  if (block.kind !== 'wait-for-user') return false;
  return block.approves === 'plan' || (block.human && block.artifact === 'PLAN.md');
}

/**
 * What is known per block, as pairs in the order of the recipe: a snapshot keeps its keys by the alphabet, and a reader
 * wants them in the order of the work. Keys that are no block of the recipe are left out.
 */
export function sortByRecipe<T>(recipe: ResolvedRecipe, perBlock: Record<string, T>): [id: string, value: T][] {
  return recipe.blocks.flatMap(({ id }): [string, T][] => {
    const value = Object.hasOwn(perBlock, id) ? perBlock[id] : undefined;
    return value === undefined ? [] : [[id, value]];
  });
}
