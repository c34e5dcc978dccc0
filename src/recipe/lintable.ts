import type { CompiledRecipe } from './compiled.js';

type Draft = NonNullable<CompiledRecipe['draft']>;

/** A compiled recipe that can be judged. */
export type Lintable = Exclude<Draft, { type: 'meta' }> & Pick<CompiledRecipe, 'report' | 'file'>;
export type LintableWorkflow = Extract<Draft, { type: 'meta' }> & Pick<CompiledRecipe, 'report' | 'file'>;
export type LintableSequence = Extract<Lintable, { type: 'sequential' }>;
export type LintableEngine = Extract<Lintable, { type: 'engine' }>;
