import { renderCount } from '../../../base/words.js';
import type { TodoState } from '../../../run/engine-rows.js';
import type { Transaction } from '../../../run/transaction.js';
import { countTickedBefore } from '../../act/execution-summary.js';
import { readPlanHead, requireEngine, requireEngineRecipe } from '../../act/plan/plan.js';
import { groupBlockedTodos } from '../../core/scheduler.js';

const NOT_REACHED = 'the run ended before this stage';

/** Lists everything that was not done or not verified, with the reason, so that no reader believes that it passed. */
export function renderSkipped(tx: Transaction, rows: readonly TodoState[]): string[] {
  const engine = requireEngine(tx);
  const { stages, finalize } = requireEngineRecipe(tx).program;
  const final = (['codeReview', 'finalVerify'] as const).flatMap((stage) => {
    if (!finalize.includes(stage)) return [`${stage}: not part of this recipe`];
    const { status } = engine.finalize[stage] ?? { status: 'pending' };
    if (status === 'skipped') return [`${stage}: skipped, ${explainSkip(tx, stage)}`];
    if (status !== 'pending' && status !== 'running') return [];
    const looked = stage === 'codeReview' ? engine.reviews.length > 0 : engine.evidence.length > 0;
    return [`${stage}: ${looked ? 'its findings were not all fixed, so it was not repeated' : NOT_REACHED}`];
  });
  const waiting = engine.waits === undefined ? '' : `: ${engine.waits.why}`;
  const ticked = countTickedBefore(engine);
  const keptBack = new Set(Object.values(groupBlockedTodos(engine)).flat());
  const open = rows.flatMap(({ id, status }) =>
    status === 'done' || status === 'failed' || keptBack.has(id) ? [] : [id],
  );
  return [
    ...(stages.some(({ id }) => id === 'verify') ? [] : ['unverified: this recipe verifies no todo']),
    ...final,
    ...(ticked === 0
      ? []
      : [
          `taken as done: ${ticked} of ${renderCount(rows.length, 'todo')}, ${ticked === 1 ? 'its box was' : 'their boxes were'} ticked before this run`,
        ]),
    ...open.map((id) => `${id}: not done`),
    ...renderMissingCommits(tx, rows),
    ...engine.deferred.map((id) => `${id}: its commit is deferred and not made yet${waiting}`),
  ];
}

/** Explains why a stage of the whole run had nothing to do. */
function explainSkip(tx: Transaction, stage: 'codeReview' | 'finalVerify'): string {
  const worked = Object.values(requireEngine(tx).todos).some(({ attempt }) => attempt > 0);
  if (!worked) return 'this run did none of the todos';
  if (stage === 'codeReview' && readPlanHead(tx).size === 'small')
    return 'the plan is small, and its commands judge it';
  return stage === 'finalVerify' ? 'the plan has no command that can be run at the end' : 'there was nothing to review';
}

/** Explains why the run, or some of its done todos, have no commit. */
function renderMissingCommits(tx: Transaction, rows: readonly TodoState[]): string[] {
  if (!requireEngineRecipe(tx).program.stages.some(({ id }) => id === 'commit'))
    return ['commits: not part of this recipe'];
  if (tx.state.baseline === null) return ['commits: there is no repository that git could read'];
  const none = rows
    .filter(({ type, status, attempt }) => type === 'work' && status === 'done' && attempt > 0)
    .flatMap(({ id, substeps }) => (substeps['commit']?.status === 'skipped' ? [id] : []));
  return none.length === 0 ? [] : [`commits: nothing to commit for ${none.join(', ')}`];
}
