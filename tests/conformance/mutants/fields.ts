import { type Mutant, mutants, PLAN, type Plan, readJson, set, TASKS, type Tasks } from '../draft.js';

/** The fields of each reply (neutral.md, The tools). */
export const FIELDS: Readonly<Record<string, readonly string[]>> = {
  plan_start: ['created', 'plan_id', 'topic', 'issueCount', 'previousArchived'],
  plan_status: ['active', 'plan_id', 'topic', 'issues', 'research_summary', 'summary'],
  plan_update: ['added', 'removed', 'edited', 'reopened', 'issue'],
  plan_decide: ['decided', 'issue', 'allComplete', 'message', 'remaining'],
  task_add: ['task'],
  task_list: ['exists', 'goal', 'tasks', 'summary'],
  task_update: ['task'],
  task_close: ['closed', 'cycle', 'branch', 'archived', 'deleted', 'total_cycles', 'memoryHint'],
  history_search: ['total', 'showing', 'cycles'],
  context: ['branch', 'activeMode', 'goal', 'tasksSummary', 'decisions'],
  artifact_write: ['success', 'path'],
};

const TOOLS = Object.keys(FIELDS);

export const FIELD_MUTANTS: readonly Mutant[] = [
  ...TOOLS.flatMap((tool) => [
    ...mutants('all.10', tool, [
      ['one field more', ({ reply }) => set(reply, { ok: true })],
      ['an instant more', ({ reply }) => set(reply, { at: new Date(0).toISOString() })],
    ]),
    ...(FIELDS[tool] ?? []).flatMap((field) =>
      mutants('all.10', tool, [[`no ${field}`, ({ reply }) => delete reply[field]]]),
    ),
  ]),
  ...mutants('all.10', 'task_close', [
    ['one hint more', ({ reply }) => Object.assign(reply.memoryHint, { note: '' })],
    ['archives one count more', ({ reply }) => Object.assign(reply.archived, { issues: 0 })],
  ]),
  ...mutants('all.10', 'plan_status', [
    ['a percentage', ({ reply }) => reply.summary && Object.assign(reply.summary, { percent: 0 })],
  ]),
  ...mutants('all.10', 'task_list', [
    ['a percentage', ({ reply }) => reply.summary && Object.assign(reply.summary, { percent: 0 })],
  ]),
  ...mutants('all.10', 'task_add', [
    [
      'answers goal and decisions in the task',
      (draft) => Object.assign(draft.reply.task, { goal: readJson<Tasks>(draft.files, TASKS)?.goal, decisions: [] }),
    ],
  ]),
  ...mutants('all.10', 'plan_update', [
    [
      'the whole plan as the issue',
      (draft) => Object.assign(draft.reply, { issue: readJson<Plan>(draft.files, PLAN) }),
    ],
    ['always edited', ({ reply }) => Object.assign(reply, { edited: true })],
  ]),
];
