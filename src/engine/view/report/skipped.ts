import type { TodoState } from '../../../run/engine-rows.js';
import type { Turn } from '../../../run/turn.js';
import { takenAsDone } from '../../act/done.js';
import { engineOf, recipeEngine } from '../../act/plan.js';
import { blockedBy } from '../../core/scheduler.js';

const NOT_REACHED = 'the run did not come to its end';

/** Passed, skipped and degraded are different words. */
export function skippedLines(turn: Turn, rows: readonly TodoState[]): string[] {
  const engine = engineOf(turn);
  const { stages, finalize } = recipeEngine(turn).program;
  const final = (['codeReview', 'finalVerify'] as const).flatMap((stage) => {
    if (!finalize.includes(stage)) return [`${stage}: not part of this recipe`];
    const { status } = engine.finalize[stage] ?? { status: 'pending' };
    if (status === 'skipped') return [`${stage}: skipped, ${whySkipped(turn, stage)}`];
    if (status !== 'pending' && status !== 'running') return [];
    const looked = stage === 'codeReview' ? engine.reviews.length > 0 : (engine.evidence['']?.length ?? 0) > 0;
    return [`${stage}: ${looked ? 'what it found was not done to the end, so it was not repeated' : NOT_REACHED}`];
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
    ...withoutCommit(turn, none),
    ...engine.deferred.map((id) => `${id}: its commit could not be made yet and is not made${waiting}`),
  ];
}

/** A stage of the whole run is passed over only where there is nothing for it. */
function whySkipped(turn: Turn, stage: 'codeReview' | 'finalVerify'): string {
  const worked = Object.values(engineOf(turn).todos).some(({ attempt }) => attempt > 0);
  if (!worked) return 'this run did none of the todos';
  return stage === 'finalVerify' ? 'the plan has no command that can be run at the end' : 'there was nothing to review';
}

/** Why there are no commits, or none of some todos. */
function withoutCommit(turn: Turn, none: readonly TodoState[]): string[] {
  if (!recipeEngine(turn).program.stages.some(({ id }) => id === 'commit')) return ['commits: not part of this recipe'];
  if (turn.state.baseline === null) return ['commits: there is no repository that git could read'];
  return none.length === 0 ? [] : [`commits: nothing to commit for ${none.map(({ id }) => id).join(', ')}`];
}
