import type { ImportFormat } from '../../base/import-formats.js';
import { TooDeepError } from '../../plan/markdown/visible.js';
import { type BuiltPlan, buildImportedPlan } from './build-plan.js';
import { readMarkdownPlan } from './formats/markdown.js';
import { readNexus } from './formats/nexus.js';
import { readOpenSpec } from './formats/openspec.js';
import { readSpecKit } from './formats/speckit.js';
import { readSuperpowers } from './formats/superpowers.js';
import { reportLostText } from './name-lost.js';
import { createImportNotes, type ImportNotes, listUnplaced, type UnplacedPart } from './notes.js';
import { readSource, type SourceDocument } from './read-source.js';
import type { SourceFile, SourcePlan } from './source-plan.js';

const UNREAD = 'a plan of this form is read from other files: what it holds is not in the plan';

/** The source chosen for an import. */
export interface ImportSource {
  format: ImportFormat;
  /** The name of its directory or file. */
  name: string;
  files: readonly SourceFile[];
  /** Paths of other Markdown files in the directory and its direct subdirectories; these are not imported. */
  unread?: readonly string[];
}

/** The input of an import. */
export interface ImportRequest {
  source: ImportSource;
  /** The goal of the run that the plan is imported into; null if there is no run. */
  goal: string | null;
}

/** The plan, and everything to report about it. */
export interface ImportedPlan extends Pick<BuiltPlan, 'plan' | 'invented' | 'done' | 'unticked'> {
  unplaced: UnplacedPart[];
  /** Number of tasks in the source, including those that the plan leaves out. */
  tasks: number;
  /** Number of tasks that are not done; each becomes a todo. */
  open: number;
}

/** The outcome of an import. `at` is the place, as `FILE:LINE`, that is nested too deeply to be read. */
export type ImportEnding = { kind: 'plan'; plan: ImportedPlan } | { kind: 'too deep'; at: string };

/**
 * Builds a plan from files that were written for another tool (plans-from-elsewhere.md, plan import). Pure: text in,
 * plan out.
 */
export function importPlan({ source, goal }: ImportRequest): ImportEnding {
  const notes = createImportNotes();
  try {
    const files = source.files.length === 0 ? [{ path: '', text: '' }] : source.files;
    // Only for Markdown is the source searched for lost text at the end: the reader of JSON accounts for every member.
    const documents = source.format === 'nexus' ? [] : files.map((file) => readSource(file, notes));
    for (const path of source.unread ?? []) notes.refuse({ path, line: 1 }, 'the whole file', UNREAD);
    const read = readPlan(source, documents, notes);
    const { traced, ...built } = buildImportedPlan(read, goal, notes);
    reportLostText(documents, { plan: built.plan, traced }, notes);
    const open = read.tasks.filter(({ isDone }) => !isDone).length;
    const unplaced = listUnplaced(notes, [...files.map(({ path }) => path), ...(source.unread ?? [])]);
    return { kind: 'plan', plan: { ...built, unplaced, tasks: read.tasks.length, open } };
  } catch (error) {
    if (error instanceof TooDeepError) return { kind: 'too deep', at: error.at };
    throw error;
  }
}

function readPlan(
  { format, name, files }: ImportSource,
  documents: readonly SourceDocument[],
  notes: ImportNotes,
): SourcePlan {
  const first = (): SourceDocument => {
    const [document] = documents;
    if (document === undefined) throw new Error('a source has a file');
    return document;
  };
  switch (format) {
    case 'openspec':
      return readOpenSpec(name, documents, notes);
    case 'speckit':
      return readSpecKit(name, documents, notes);
    case 'superpowers':
      return readSuperpowers(first(), notes);
    case 'nexus':
      return readNexus(files, notes);
    case 'markdown':
      return readMarkdownPlan(first(), notes);
  }
}
