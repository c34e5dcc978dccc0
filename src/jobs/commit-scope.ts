import type { RunEngine } from '../run/engine.js';
import type { RunState } from '../run/state.js';
import type { HeadRule } from '../work/commit-head.js';
import type { CommitScope } from '../work/commit-paths.js';
import { normalizePaths } from '../work/paths.js';
import type { CommitJob } from './job.js';

/** Builds the scope of a commit; null if the run began without a repository. */
export function buildScope(state: RunState, { key, todo }: CommitJob, workTree: string): CommitScope | null {
  const { baseline } = state;
  const { engine } = state;
  if (baseline === null || engine === null) return null;
  const head = buildHeadRule(engine, baseline.head);
  if (todo === null) return { key, since: baseline, before: baseline, head, ...listRemaining(engine, workTree) };
  const row = engine.todos[todo];
  const files = row?.files ?? [];
  const filesChanged = listReportedPaths(engine, todo, workTree);
  return {
    key,
    since: row?.baseline ?? baseline,
    before: baseline,
    files: files.length === 0 ? null : files,
    charged: row?.charged ?? [],
    listed: { filesChanged, notMine: row?.notMine ?? [] },
    head,
  };
}

function buildHeadRule({ head }: RunEngine, begun: string | null): HeadRule {
  return { last: head?.last ?? (begun === null ? null : { sha: begun }), branch: head?.branch };
}

/**
 * Returns the paths in the residual commit's scope: those that the workers of done todos reported as changed. Leaves
 * out todos whose own commit is deferred, because that commit will contain their paths.
 */
function listRemaining(engine: RunEngine, workTree: string): Pick<CommitScope, 'files' | 'charged'> {
  const { todos, deferred } = engine;
  const done = Object.values(todos).filter(
    ({ id, status, type }) => status === 'done' && type === 'work' && !deferred.includes(id),
  );
  const charged = [...new Set(done.flatMap(({ id }) => listReportedPaths(engine, id, workTree)))];
  return { files: charged.includes('.') ? null : [], charged };
}

/** Lists the paths in the results of all attempts at a todo. */
export function listReportedPaths({ todos }: RunEngine, todo: string, workTree: string): string[] {
  const { listed = [], report } = todos[todo] ?? {};
  return [...new Set([...listed, ...normalizePaths(workTree, report?.filesChanged ?? [])])];
}
