import type { CompiledRecipe } from '../load/compiled.js';

type Draft = NonNullable<CompiledRecipe['draft']>;

/** A sequential or engine recipe that lint can judge. */
export type Lintable = Exclude<Draft, { type: 'meta' }> & Pick<CompiledRecipe, 'report' | 'file'>;
/** A workflow that lint can judge. */
export type LintableWorkflow = Extract<Draft, { type: 'meta' }> & Pick<CompiledRecipe, 'report' | 'file'>;

/** A sequential recipe that lint can judge. */
export type LintableSequence = Extract<Lintable, { type: 'sequential' }>;

/** An engine recipe that lint can judge. */
export type LintableEngine = Extract<Lintable, { type: 'engine' }>;
