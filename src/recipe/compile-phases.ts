import { DevCliError } from '../base/errors.js';
import type { CompiledPhase, CompiledRecipe } from './compiled.js';
import { findRecipe, type Library, type LibraryFile } from './library.js';
import type { MetaSource } from './schema.js';

/** Finds and compiles the recipe of every phase; each file once. */
export function compilePhases(
  library: Library,
  { phases }: MetaSource,
  compile: (file: LibraryFile, text: string) => CompiledRecipe,
): CompiledPhase[] {
  const known = new Map<string, CompiledRecipe>();
  return phases.map((phase) => {
    const stated = isPhase(phase) ? phase : null;
    const { file, problem } = stated === null ? { file: null, problem: null } : found(library, stated.recipe);
    if (file === null) return { stated, file, problem, compiled: null };
    const compiled = known.get(file.path) ?? compile(file, library.reader.read(file.path) ?? '');
    known.set(file.path, compiled);
    return { stated, file, problem, compiled };
  });
}

/** What the schema has refused is reported already. */
function isPhase(phase: unknown): phase is MetaSource['phases'][number] {
  const { name, recipe } = (phase ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && typeof recipe === 'string';
}

function found(library: Library, name: string): { file: LibraryFile | null; problem: string | null } {
  try {
    return { file: findRecipe(library, name), problem: null };
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code !== 'UNKNOWN_RECIPE') throw error;
    return { file: null, problem: error.message };
  }
}
