import {
  buildFileRemoval,
  buildFileWrite,
  CONTRACT_FILES,
  type FileKey,
  getFileName,
  type ReadContractFile,
  toolRefusedError,
} from '../files.js';
import type { Cycle, NeutralTask, NeutralTasks } from '../schemas.js';
import { findGreatestId, isDecided, replaceItem } from './plan.js';
import type { ContractToolInput, ContractTools, ToolOutcome } from './tool.js';

export const TASK_TOOLS: ContractTools<'task_add' | 'task_list' | 'task_update' | 'task_close'> = {
  task_add: {
    locks: ['tasks'],
    run({ read, params, now }) {
      const before = read('tasks');
      const { goal, decisions = [], deps = [], title, context, ...more } = params();
      const known = before?.tasks ?? [];
      const lost = deps.find((id) => !known.some((task) => task.id === id));
      if (lost !== undefined) throw toolRefusedError(`Task id ${lost} not found`);
      const task: NeutralTask = {
        id: 1 + findGreatestId(known),
        title,
        context,
        ...more,
        status: 'pending',
        deps,
        created_at: now,
      };
      const tasks: NeutralTasks = {
        ...before,
        goal: goal ?? before?.goal ?? read('plan')?.topic ?? title,
        decisions: [...(before?.decisions ?? []), ...decisions],
        tasks: [...known, task],
      };
      return { reply: { task }, changes: [buildFileWrite(CONTRACT_FILES.tasks, tasks)] };
    },
  },
  task_list: {
    locks: 'reads',
    run({ read, params }) {
      const found = read('tasks');
      params();
      if (found === null) return { reply: { exists: false } };
      const { goal, tasks } = found;
      const completed = new Set(tasks.filter(({ status }) => status === 'completed').map(({ id }) => id));
      const isReady = ({ status, deps }: NeutralTask): boolean =>
        status === 'pending' && (deps ?? []).every((id) => completed.has(id));
      return {
        reply: {
          exists: true,
          goal,
          tasks,
          summary: {
            total: tasks.length,
            completed: countTasks(tasks, 'completed'),
            pending: countTasks(tasks, 'pending'),
            blocked: countTasks(tasks, 'in_progress'),
            ready: tasks.filter(isReady).map(({ id }) => id),
          },
        },
      };
    },
  },
  task_update: {
    locks: ['tasks'],
    run({ read, params }) {
      const found = read('tasks');
      if (found === null) throw toolRefusedError('tasks.json not found');
      const { id, status } = params();
      const before = found.tasks.find((task) => task.id === id);
      if (before === undefined) throw toolRefusedError(`Task id ${id} not found`);
      const task: NeutralTask = { ...before, status };
      const tasks = replaceItem(found.tasks, before, task);
      return { reply: { task }, changes: [buildFileWrite(CONTRACT_FILES.tasks, { ...found, tasks })] };
    },
  },
  task_close: { locks: ['history', 'plan', 'tasks'], run: closeCycle },
};

const CLOSED = ['plan', 'tasks', 'edits', 'reopens'] as const satisfies readonly FileKey[];

function closeCycle({ read, isThere, params, now, branch }: ContractToolInput<object>): ToolOutcome {
  const history = read('history');
  const plan = read('plan');
  const found = read('tasks');
  params();
  const tasks = found?.tasks ?? [];
  const decisions = (plan?.issues ?? []).filter(isDecided).length;
  const cycle: Cycle = { completed_at: now, branch: branch(), plan, tasks };
  const there = CLOSED.filter(isThere);
  const open = tasks.filter(({ status }) => status !== 'completed').map(({ id }) => id);
  return {
    reply: {
      closed: true,
      cycle: now,
      branch: cycle.branch,
      archived: { plan: plan !== null, decisions, tasks: tasks.length },
      deleted: there.map(getFileName),
      total_cycles: (history?.cycles.length ?? 0) + 1,
      memoryHint: {
        taskCount: tasks.length,
        decisionCount: decisions,
        hadLoopDetection: hasLoop(read),
        cycleTopics: [plan?.topic, found?.goal].flatMap((topic) => topic || []),
      },
    },
    changes: there.map((key) => buildFileRemoval(CONTRACT_FILES[key])),
    cycle,
    warnings: open.length === 0 ? [] : [`Closed with tasks that are not completed: ${open.join(', ')}.`],
  };
}

/** How often one file must be edited for the edits to count as a loop. */
const LOOP = 3;

/**
 * Returns whether some file was edited at least `LOOP` times. False if the edit tracker, which another program writes,
 * cannot be read.
 */
function hasLoop(read: ReadContractFile): boolean {
  let edits: unknown;
  try {
    edits = read('edits');
  } catch {
    return false;
  }
  if (!Array.isArray(edits)) {
    return Object.values((edits ?? {}) as object).some((times) => typeof times === 'number' && times >= LOOP);
  }
  const paths = edits.map((entry: { path?: unknown; file?: unknown } | null) => entry?.path ?? entry?.file);
  return paths.some((path) => path !== undefined && paths.filter((one) => one === path).length >= LOOP);
}

export function countTasks(tasks: readonly NeutralTask[], status: NeutralTask['status']): number {
  return tasks.filter((task) => task.status === status).length;
}
