// door: seldom

import type { DocumentReader } from '../../base/files.js';
import { DEFAULT_ARTIFACTS } from '../../recipe/declared.js';
import type { CapturedRecipe, ResolvedRecipe } from '../../recipe/resolved.js';
import { REPORT } from '../paths.js';
import type { RunState } from '../state.js';

/**
 * Returns a string that identifies one state of a document, for `found` of the state; null without a regular file.
 * Times are compared for equality only, never with a clock.
 */
export function fingerprintDocument(files: DocumentReader, path: string): string | null {
  const facts = files.facts(path);
  return facts.kind === 'file' ? [facts.size, facts.mtimeMs, facts.ctimeMs, facts.inode].join() : null;
}

/**
 * Lists which of these documents exist as the work of this run (recipes.md §1): those that it has recorded as written,
 * and those that no block promises and that have changed since the run began.
 * @param written what the run has recorded, including the current transaction
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

/** Lists the kept reports of earlier executions of the name that still exist beside the latest one, oldest first. */
export function listKeptReports(
  { reports = [] }: Pick<RunState, 'reports'>,
  files: Pick<DocumentReader, 'facts'>,
): string[] {
  return reports.filter((path) => path !== REPORT && files.facts(path).kind === 'file');
}

/** Returns a free file name under which the current report can be kept; no existing file is overwritten. */
export function nameKeptReport(files: Pick<DocumentReader, 'facts'>): string {
  let number = 1;
  while (files.facts(`report-${number}.md`).kind !== 'missing') number += 1;
  return `report-${number}.md`;
}

/**
 * Lists the documents that git may see once a run has ended, besides dev-cli's own: artifacts that a recipe lists
 * explicitly, not the default ones (storage.md, Layout), and kept reports.
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
