// door: seldom

import type { DocumentReader } from '../../base/files.js';
import { ARTIFACTS } from '../../recipe/declared.js';
import type { CapturedRecipe, ResolvedRecipe } from '../../recipe/resolved.js';
import { REPORT } from '../paths.js';
import type { RunState } from '../state.js';

/** Tells one state of a document from another, for `found` of the state; null where there is none. No clock is compared. */
export function describeFound(files: DocumentReader, path: string): string | null {
  const facts = files.facts(path);
  return facts.kind === 'file' ? [facts.size, facts.mtimeMs, facts.ctimeMs, facts.inode].join() : null;
}

/**
 * Lists which of these documents are there as the work of this run (recipes.md §1): those that it has recorded as written, and
 * those that no block promises and that are not as the run found them.
 * @param written what the run has recorded, the transaction at work included
 */
export function listArtifactsWritten(
  paths: readonly string[],
  { found = {}, written }: Pick<RunState, 'found' | 'written'>,
  files: DocumentReader,
): string[] {
  return paths.filter((path) => {
    const now = describeFound(files, path);
    return now !== null && (written.includes(path) || (Object.hasOwn(found, path) && found[path] !== now));
  });
}

/** Lists the reports of earlier executions of the name that were kept beside the last one and are still there, oldest first. */
export function listKeptReports(
  { reports = [] }: Pick<RunState, 'reports'>,
  files: Pick<DocumentReader, 'facts'>,
): string[] {
  return reports.filter((path) => path !== REPORT && files.facts(path).kind === 'file');
}

/** Names the next report to be kept: nothing that stands there makes room for it. */
export function nameKeptReport(files: Pick<DocumentReader, 'facts'>): string {
  let number = 1;
  while (files.facts(`report-${number}.md`).kind !== 'missing') number += 1;
  return `report-${number}.md`;
}

/**
 * Lists the documents that git is to see once a run has ended, besides dev-cli's own: artifacts that somebody has listed, not those
 * that a recipe has by default (storage.md, Layout). So are kept reports.
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
  const own = listed.filter((path) => !ARTIFACTS.includes(path));
  return [...listArtifactsWritten(own, state, files), ...listKeptReports(state, files)];
}
