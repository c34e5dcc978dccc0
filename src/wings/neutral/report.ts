import type { Answer } from '../../base/answer.js';
import { LIMITS } from '../../base/limits.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { findRun, readRun } from '../../protocol/find/find-run.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { changeFiles } from './call.js';
import { buildFileWrite, CONTRACT_FILES, toolRefusedError } from './files.js';
import type { NeutralTask } from './schemas.js';

/** A task whose status a run has changed. */
export interface ReportedTask {
  task: number;
  from: NeutralTask['status'];
  to: NeutralTask['status'];
}

/**
 * `nexus report` (neutral.md, Seams with runs): sets the status of each task to what a run has achieved for it.
 * @throws DevCliError `NO_ACTIVE_RUN`, `NO_SUCH_RUN`; `TOOL_REFUSED` for missing or unusable tasks; `LOCKED`, `IO`
 */
export async function reportRun(context: Context, given: string | undefined): Promise<Answer> {
  const name = await findRun(context, given, false);
  const { snapshot } = await readRun(context, name);
  let judged: ReturnType<typeof judgeTasks> | undefined;
  const { warnings = [] } = await changeFiles(context, ['tasks'], ({ read }) => {
    const found = read('tasks');
    if (found === null) throw toolRefusedError('tasks.json not found');
    judged = judgeTasks(found.tasks, snapshot);
    const { tasks, changed } = judged;
    return {
      reply: {},
      changes: changed.length === 0 ? [] : [buildFileWrite(CONTRACT_FILES.tasks, { ...found, tasks })],
    };
  });
  const { changed = [], missing = [] } = judged ?? {};
  return { json: { ok: true, run: name, changed, missing, ...(warnings.length > 0 && { warnings }) }, exit: 0 };
}

/** Computes the status of tasks from a run. `missing`: the run's todos that no longer have a task. */
export function judgeTasks(
  before: readonly NeutralTask[],
  { engine }: Pick<RunState, 'engine'>,
): { tasks: NeutralTask[]; changed: ReportedTask[]; missing: string[] } {
  const todos = Object.entries(engine?.todos ?? {}).filter(([id]) => /^task-\d+$/.test(id));
  const began = todos.flatMap(([, { startedAt }]) => startedAt ?? []).sort()[0];
  const isOlder = ({ created_at }: NeutralTask): boolean =>
    began === undefined || created_at === undefined || Date.parse(created_at) < Date.parse(began);
  const found = new Map(
    todos.flatMap(([id, { title, status }]) => {
      const task = before.find(
        (one) => `task-${one.id}` === id && toBoundedLine(String(one.title), LIMITS.title) === title,
      );
      return task === undefined || !isOlder(task) ? [] : [[task, toTaskStatus(status)] as const];
    }),
  );
  const ids = [...found.keys()].map(({ id }) => `task-${id}`);
  return {
    tasks: before.map((task) => ({ ...task, status: found.get(task) ?? task.status })),
    changed: [...found].flatMap(([{ id, status }, to]) => (status === to ? [] : [{ task: id, from: status, to }])),
    missing: todos.map(([id]) => id).filter((id) => !ids.includes(id)),
  };
}

function toTaskStatus(status: string): NeutralTask['status'] {
  if (status === 'done') return 'completed';
  return status === 'pending' || status === 'stale' ? 'pending' : 'in_progress';
}
