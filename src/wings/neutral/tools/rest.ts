import { isJsonObject, isRecord, type JsonObject } from '../../../base/json.js';
import { ARTIFACTS_PATH, NEXUS_DIRECTORY, type NeutralHistory, toolRefusedError } from '../files.js';
import type { NeutralTasks } from '../schemas.js';
import { isDecided } from './plan.js';
import { countTasks } from './tasks.js';
import type { ContractTools } from './tool.js';

/** Maximum number of cycles shown, unless the call gives another. */
const SHOWN = 10;

export const REST_TOOLS: ContractTools<'history_search' | 'context' | 'artifact_write'> = {
  history_search: {
    locks: 'reads',
    run({ read, params }) {
      const all = read('history')?.cycles ?? [];
      const { query, last_n = SHOWN } = params();
      if (last_n < 1) throw toolRefusedError('last_n must be a whole number from 1');
      const wanted = query?.toLowerCase();
      const found = all.filter((cycle) => wanted === undefined || JSON.stringify(cycle).toLowerCase().includes(wanted));
      const cycles = found.slice(-last_n).reverse().map(describe);
      return { reply: { total: found.length, showing: cycles.length, cycles } };
    },
  },
  context: {
    locks: 'reads',
    run({ read, params, branch }) {
      params();
      const found = readOrAbsent(() => read('tasks'));
      if (found === null) return { reply: { branch: branch(), activeMode: null, decisions: [] } };
      const { goal, tasks } = found;
      const completed = countTasks(tasks, 'completed');
      const tasksSummary = { total: tasks.length, completed, pending: countTasks(tasks, 'pending') };
      return { reply: { branch: branch(), activeMode: 'team', goal, tasksSummary, decisions: found.decisions ?? [] } };
    },
  },
  artifact_write: {
    locks: [],
    run({ params, root, isInside }) {
      const { filename, content } = params();
      const directory = `${NEXUS_DIRECTORY}/${ARTIFACTS_PATH}`;
      const path = `${directory}/${filename}`;
      const isPlain = !/[\\\0]/.test(filename) && filename.split('/').every((part) => !['', '.', '..'].includes(part));
      if (!isPlain || !isInside(directory, path)) {
        throw toolRefusedError('filename must be a relative path inside artifacts/');
      }
      return { reply: { success: true, path: `${root}/${path}` }, changes: [{ path, content }] };
    },
  },
};

function readOrAbsent(read: () => NeutralTasks | null): NeutralTasks | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Summarizes a cycle; one of another version only as far as its members are known. */
function describe(cycle: NeutralHistory['cycles'][number]): JsonObject {
  const { completed_at, branch, plan, tasks } = cycle as JsonObject;
  const issues = isRecord(plan) && Array.isArray(plan['issues']) ? plan['issues'].filter(isJsonObject) : [];
  const decided = issues.filter((issue) => isDecided(issue as { status: 'decided' }));
  const listed = isRecord(tasks) ? tasks['tasks'] : tasks;
  return {
    completed_at: completed_at ?? null,
    branch: branch ?? null,
    ...(isRecord(plan) && {
      topic: plan['topic'] ?? null,
      decisions: decided.map((issue) => ({ title: issue['title'] ?? null, decision: issue['decision'] ?? null })),
    }),
    task_count: Array.isArray(listed) ? listed.length : 0,
  } as JsonObject;
}
