// door: seldom

import type { DocumentReader } from '../../base/files.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import { DEFAULT_ARTIFACTS } from '../../recipe/declared.js';
import type { ResolvedRecipe } from '../../recipe/resolved.js';
import { REPORT } from '../paths.js';
import type { RunState } from '../state.js';

/**
 * Returns a string that identifies the present version of a document, for `found` of state.json; null if there is no
 * regular file. It contains times of the file, which are only compared for equality, never with a clock.
 */
export function fingerprintDocument(files: DocumentReader, path: string): string | null {
  const facts = files.facts(path);
  return facts.kind === 'file' ? [facts.size, facts.mtimeMs, facts.ctimeMs, facts.inode].join() : null;
}

/**
 * Lists the documents, out of `paths`, that exist and that this run has written (recipes.md §1): those recorded as
 * written, and those that no block promises but that have changed since the run began.
 * @param written the documents that the run has recorded as written, including in the current transaction
 */
export function listArtifactsWritten(
  paths: readonly string[],
  { found = {}, written }: Pick<RunState, 'found' | 'written'>,
  files: DocumentReader,
): string[] {
  return paths.filter((path) => {
    const now = fingerprintDocument(files, path);
    return now !== null && (written.includes(path) || (Object.hasOwn(found, path) && found[path] !== now));
  });
}

/**
 * Lists the saved reports of earlier executions of the name that still exist, oldest first, without the latest report.
 */
export function listKeptReports(
  { reports = [] }: Pick<RunState, 'reports'>,
  files: Pick<DocumentReader, 'facts'>,
): string[] {
  return reports.filter((path) => path !== REPORT && files.facts(path).kind === 'file');
}

/** Returns an unused file name under which the present report can be saved. */
export function nameKeptReport(files: Pick<DocumentReader, 'facts'>): string {
  let number = 1;
  while (files.facts(`report-${number}.md`).kind !== 'missing') number += 1;
  return `report-${number}.md`;
}

/**
 * Lists the documents that git no longer ignores once a run has ended, besides dev-cli's own: artifacts that a recipe
 * lists explicitly, but not the default artifacts (storage.md, Layout), and saved reports.
 */
export function listShared(
  { recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>,
  state: Pick<RunState, 'found' | 'written' | 'reports'>,
  files: DocumentReader,
): string[] {
  const stated = ({ artifacts = [], statesArtifacts }: ResolvedRecipe) => (statesArtifacts === true ? artifacts : []);
  const listed =
    workflow === undefined
      ? stated(recipe)
      : (workflow.artifacts ?? workflow.phases.flatMap((phase) => stated(phase.recipe)));
  const own = listed.filter((path) => !DEFAULT_ARTIFACTS.includes(path));
  return [...listArtifactsWritten(own, state, files), ...listKeptReports(state, files)];
}
