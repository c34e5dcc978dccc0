import { BLOCK_KINDS, type BlockKind, type BlockTraits } from '../machine/block-kinds.js';
import type { CapturedRecipe } from './captured.js';
import type { BlockOf, GateBlock, ResolvedBlock, ResolvedRecipe, SubagentBlock } from './resolved.js';

/**
 * What a recipe declares about its runs as a whole (recipes.md §1). Defaults by skill and type are applied here, when a
 * run reads a field, and not at capture. So a recipe that was captured before the language had the field keeps its
 * meaning.
 */

type Open<K extends keyof ResolvedRecipe> = Pick<ResolvedRecipe, 'skill' | K>;

/** The kinds of work that the guard on tools' writes distinguishes. */
export type GuardedWork = 'planning' | 'execution' | 'publishing';

/** The defaults that a skill gives to fields the recipe does not state. */
interface SkillDefaults {
  sources: 'kept' | 'free';
  guards: GuardedWork;
  goal?: 'required';
  inherits?: readonly string[];
  closing?: string;
}

/** The skills that have defaults; no other file knows them. Other skills' runs are guarded only by a stated `guard`. */
const SKILLS: ReadonlyMap<string, SkillDefaults> = new Map([
  [
    'specify',
    {
      sources: 'kept',
      guards: 'planning',
      goal: 'required',
      inherits: [],
      closing:
        "Show the user the summary and the plan's path, and say that /execute with this run's name builds it. Implement nothing now.",
    },
  ],
  ['execute', { sources: 'free', guards: 'execution' }],
  ['open', { sources: 'kept', guards: 'publishing' }],
]);

/** The skill with which new work begins. */
export const FIRST_SKILL = 'specify';

/** Documents that a run names at its end by default, in the order in which a person would open them. */
export const DEFAULT_ARTIFACTS: readonly string[] = ['PLAN.md', 'report.md', 'summary.md', 'pr.json'];

/** Documents that a run may inherit from an earlier run of the same name (documents.md, plan generate). */
const INHERITED: readonly string[] = ['PLAN.md', 'plan-content.json'];

/** Whether a live run is guarded, that is, whether its tools may write only certain files. */
export function isGuarded({ skill, guardWrites }: Open<'guardWrites'>): boolean {
  return guardWrites !== null || SKILLS.has(skill);
}

/**
 * Returns the kind of work that a skill with defaults is guarded as; null for any other skill, for which only a stated
 * `guard.writes` guards a run.
 */
export function findGuardedWork(skill: string): GuardedWork | null {
  return SKILLS.get(skill)?.guards ?? null;
}

/** Whether nothing outside `.dev/` may change while a run is live. If something did, acknowledgements are refused. */
export function keepsSources({ skill, guardSources }: Open<'guardSources'>): boolean {
  return (guardSources ?? SKILLS.get(skill)?.sources) === 'kept';
}

/** Whether a run that works on DRAFT.md needs a goal even if the recipe neither requires nor uses one. */
export function draftsFromGoal(skill: string): boolean {
  return SKILLS.get(skill)?.goal === 'required';
}

/** Lists the documents that a block may read though no earlier block writes them, since an earlier run may have. */
export function listInherited({ skill, inherits }: Open<'inherits'>): readonly string[] {
  return inherits ?? SKILLS.get(skill)?.inherits ?? INHERITED;
}

/** Returns the closing instruction: what the agent does when a run of the recipe or workflow is complete. */
export function getClosing({ recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>): string {
  if (workflow !== undefined)
    return workflow.closing ?? 'Tell the user what came of each phase and name the artifacts.';
  if (recipe.closing !== undefined) return recipe.closing;
  if (recipe.type === 'engine')
    return 'Tell the user what was done, what failed and which commits are still deferred, and show report.md.';
  return SKILLS.get(recipe.skill)?.closing ?? 'Tell the user what was done.';
}

/** Lists the documents that a run names at its end if it wrote them. */
export function listArtifacts({ recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>): readonly string[] {
  if (workflow === undefined) return recipe.artifacts ?? DEFAULT_ARTIFACTS;
  const ofPhases = workflow.phases.flatMap((phase) => phase.recipe.artifacts ?? []);
  return workflow.artifacts ?? [...new Set([...DEFAULT_ARTIFACTS, ...ofPhases])];
}

/** Whether a block represents the `init` command: it is done from the start and never run. */
export function standsForInit(block: ResolvedBlock): boolean {
  return 'standsForInit' in block && block.standsForInit;
}

/** The block types that have the value `V` for trait `T`. */
type KindWith<T extends keyof BlockTraits, V extends BlockTraits[T]> = {
  [K in BlockKind]: (typeof BLOCK_KINDS)[K][T] extends V ? K : never;
}[BlockKind];

/** Whether a block's type has this value for the trait; narrows the block to the fields that all these types share. */
export function hasTrait<T extends keyof BlockTraits, V extends BlockTraits[T]>(
  block: ResolvedBlock,
  trait: T,
  value: V,
): block is BlockOf<KindWith<T, V>> {
  return BLOCK_KINDS[block.kind][trait] === value;
}

/** Whether only a person may choose at this block. */
export function needsPerson(block: ResolvedBlock): block is GateBlock {
  return 'human' in block && block.human;
}

/** Whether a person's answer at this gate approves a plan, which an execution requires (recipes.md, Gates). */
export function isPlanGate(block: ResolvedBlock): block is GateBlock {
  if (block.kind !== 'wait-for-user') return false;
  return block.approves === 'plan' || (block.human && block.artifact === 'PLAN.md');
}

/**
 * Turns a record of values by block id into pairs in recipe order. A snapshot's keys are sorted alphabetically, but
 * readers expect the order in which blocks run. Keys that name no block of the recipe are left out.
 */
export function sortByRecipe<T>(recipe: ResolvedRecipe, perBlock: Record<string, T>): [id: string, value: T][] {
  return recipe.blocks.flatMap(({ id }): [string, T][] => {
    const value = Object.hasOwn(perBlock, id) ? perBlock[id] : undefined;
    return value === undefined ? [] : [[id, value]];
  });
}

/**
 * Whether an agent's output must state OKAY or REJECT (documents/report.ts). True for files below `reviews/`, and for
 * every output of a block whose `exitWhen` tests a verdict.
 */
export function needsVerdict({ exitWhen }: Pick<SubagentBlock, 'exitWhen'>, output: string): boolean {
  return output.startsWith('reviews/') || (exitWhen ?? '').includes('verdict');
}

/** Returns the format of the file that an `llm+cli` block promises, by its file name (recipes.md, Data). */
export function getFileForm({ write }: { write: string }): 'json' | 'markdown' {
  return write.endsWith('.md') ? 'markdown' : 'json';
}

/** Whether a block has its agent write a plan; the agent is then shown an example plan. */
export function writesPlan(block: ResolvedBlock): boolean {
  return 'write' in block && block.schema === 'plan-content';
}
