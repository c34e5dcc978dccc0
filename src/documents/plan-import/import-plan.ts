import type { ImportFormat } from '../../base/import-formats.js';
import { type BuiltPlan, buildImportedPlan } from './build-plan.js';
import { createImportNotes, type Unplaced } from './notes.js';
import { readMarkdownPlan } from './read-markdown.js';
import { readOpenSpec } from './read-openspec.js';
import { readSpecKit } from './read-speckit.js';
import { readSuperpowers } from './read-superpowers.js';
import type { SourceFile, SourcePlan } from './source-plan.js';
import { TooDeepError } from './visible.js';

/** What was chosen to be imported. */
export interface ImportSource {
  format: ImportFormat;
  /** The name of its directory, or of its file. */
  name: string;
  files: readonly SourceFile[];
  /** Names of what lies at the root of the project. */
  known: readonly string[];
}

/** What an import is made of. */
export interface ImportRequest {
  source: ImportSource;
  /** Of the run that it is imported into; null for none. */
  goal: string | null;
}

/** The plan, and all that has to be said about it. */
export interface ImportedPlan extends BuiltPlan {
  unplaced: Unplaced[];
  /** Tasks of the source, those that are done included. */
  tasks: number;
  /** Those that are left to do. */
  open: number;
}

/** What came of an import; `at` is a place, as `FILE:LINE`. */
export type ImportEnding = { kind: 'plan'; plan: ImportedPlan } | { kind: 'too deep'; at: string };

/**
 * Makes a plan of files that were written for another tool (plans-from-elsewhere.md, plan import). Text in, plan out.
 * @param goal of the run that it is imported into; null for none
 */
export function importPlan(source: ImportSource, goal: string | null): ImportEnding {
  const notes = createImportNotes();
  try {
    const read = readPlan(source, notes);
    const built = buildImportedPlan(read, goal, notes);
    const open = read.tasks.filter(({ isDone }) => !isDone).length;
    return { kind: 'plan', plan: { ...built, unplaced: notes.unplaced, tasks: read.tasks.length, open } };
  } catch (error) {
    if (error instanceof TooDeepError) return { kind: 'too deep', at: error.at };
    throw error;
  }
}

function readPlan(
  { format, name, files, known: names }: ImportSource,
  notes: ReturnType<typeof createImportNotes>,
): SourcePlan {
  const [first] = files;
  const known = new Set(names);
  switch (format) {
    case 'openspec':
      return readOpenSpec(name, files, { notes, known });
    case 'speckit':
      return readSpecKit(name, files, { notes, known });
    case 'superpowers':
      return readSuperpowers(first ?? { path: '', text: '' }, notes);
    case 'markdown':
      return readMarkdownPlan(first ?? { path: '', text: '' }, { notes, known });
  }
}
