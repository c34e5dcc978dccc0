import { blockedBy } from '../../../machine/engine/scheduler.js';
import type { TodoState } from '../../../machine/engine/state.js';
import type { Turn } from '../../turn.js';
import { takenAsDone } from '../done.js';
import { engineOf, recipeEngine } from '../plan.js';

/** Passed, skipped and degraded are different words (lessons 33). */
export function skippedLines(turn: Turn, rows: readonly TodoState[]): string[] {
  const engine = engineOf(turn);
  const { stages, finalize } = recipeEngine(turn).program;
  const final = (['codeReview', 'finalVerify'] as const).flatMap((stage) => {
    if (!finalize.includes(stage)) return [`${stage}: not part of this recipe`];
    const { status } = engine.finalize[stage] ?? { status: 'pending' };
    return status === 'pending' || status === 'running' ? [`${stage}: the run did not come to its end`] : [];
  });
  const waiting = engine.waits === undefined ? '' : `: ${engine.waits.why}`;
  const ticked = takenAsDone(engine);
  const keptBack = new Set(Object.values(blockedBy(engine)).flat());
  const open = rows.flatMap(({ id, status }) =>
    status === 'done' || status === 'failed' || keptBack.has(id) ? [] : [id],
  );
  const none = rows.filter(
    ({ attempt, type, status, substeps }) =>
      attempt > 0 && status === 'done' && type === 'work' && substeps['commit']?.status === 'skipped',
  );
  return [
    ...(stages.some(({ id }) => id === 'verify') ? [] : ['unverified: this recipe verifies no todo']),
    ...final,
    ...(ticked === 0
      ? []
      : [`taken as done: ${ticked} of ${rows.length} todos, their boxes were ticked before this run`]),
    ...open.map((id) => `${id}: not done`),
    ...(turn.state.baseline === null
      ? ['commits: there is no repository']
      : none.length === 0
        ? []
        : [`commits: nothing to commit for ${none.map(({ id }) => id).join(', ')}`]),
    ...engine.deferred.map((id) => `${id}: its commit could not be made yet and is not made${waiting}`),
  ];
}
