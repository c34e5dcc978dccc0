import { renderRunSummary } from '../../documents/run-summary.js';
import type { PendingDocuments } from '../../run/documents/pending.js';
import { buildRunSummary, listPlanningDecisions } from '../run-summary.js';
import { type CommandContext, type CommandReport, requireRun } from './command-context.js';

// A plain `require`, as in recipe/conditions/language.ts: no other command needs it.
const picomatch = (): typeof import('picomatch') => require('picomatch');

/** The run's own records, which a recipe can never declare temporary. */
const KEPT = /^(state\.json|events\.jsonl|recipe\.json|lock|objects|actions)(\/|$|\.)/;

/**
 * `cleanup`: removes what the recipe declares temporary and writes summary.md (protocol.md §5).
 * @throws DevCliError `NO_SUCH_RUN`
 */
export function cleanUp(scene: CommandContext): CommandReport {
  const { state, recipe } = requireRun(scene);
  // Repeated, because its answer was lost: what summary.md was made from is gone, so it must stay as it is.
  const { type, command } = state.events.at(-1) ?? {};
  if (type === 'document' && command === 'cleanup' && scene.files.text('summary.md') !== null) {
    return { ok: true, report: { removed: [], written: 'summary.md' }, summary: 'was cleaned up already' };
  }
  // Rendered first, because it repeats decisions of a document that is about to be removed.
  const decided = listPlanningDecisions(state, recipe, scene.files);
  const isTemporary = picomatch()(recipe.cleanup, { dot: true });
  const { documents = [], ...summary } = buildRunSummary(state, recipe, scene.files, scene.at);
  const kept = documents.filter((path) => !isTemporary(path));
  scene.files.write('summary.md', renderRunSummary({ ...summary, documents: kept }));
  if (decided.length > 0) state.decisions = decided;
  const removed = listFiles(scene.files, '').filter((path) => isTemporary(path));
  for (const path of removed) scene.files.remove(path);
  return {
    ok: true,
    report: { removed, written: 'summary.md' },
    summary: removed.length === 0 ? 'nothing to remove, wrote summary.md' : `removed ${removed.join(', ')}`,
  };
}

function listFiles(files: PendingDocuments, directory: string): string[] {
  const found: string[] = [];
  for (const name of files.list(directory)) {
    const path = directory === '' ? name : `${directory}/${name}`;
    if (KEPT.test(path)) continue;
    const { kind } = files.facts(path);
    if (kind === 'directory') found.push(...listFiles(files, path));
    else if (kind === 'file') found.push(path);
  }
  return found;
}
