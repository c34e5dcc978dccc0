import {
  ARTIFACTS,
  accept,
  type Cycle,
  type Draft,
  EDITS,
  HISTORY,
  history,
  json,
  lastCycle,
  type Mutant,
  mutants,
  PLAN,
  type Plan,
  putBack,
  REOPENS,
  RUNTIME,
  readJson,
  refuse,
  set,
  TASKS,
  type Tasks,
} from '../draft.js';

const before = (draft: Draft): Tasks | null => readJson<Tasks>(draft.before, TASKS);
const planOf = (draft: Draft): Plan | null => readJson<Plan>(draft.before, PLAN);

export const CLOSE_MUTANTS: readonly Mutant[] = [
  ...mutants('task_close.1', 'task_close', [
    ['plan lost', (draft) => lastCycle(draft, (cycle) => set(cycle, { plan: null }))],
    ['tasks lost', (draft) => lastCycle(draft, (cycle) => set(cycle, { tasks: [] }))],
    [
      'completed tasks alone',
      (draft) =>
        lastCycle(draft, (cycle) => set(cycle, { tasks: cycle.tasks.filter(({ status }) => status === 'completed') })),
    ],
    [
      'tasks without owners',
      (draft) => lastCycle(draft, (cycle) => cycle.tasks.forEach((task) => void delete task['owner_reuse_policy'])),
    ],
    [
      'plan without how',
      (draft) => lastCycle(draft, ({ plan }) => plan?.issues.forEach((issue) => void delete issue.how_agents)),
    ],
    ['plan without research', (draft) => lastCycle(draft, ({ plan }) => void delete plan?.research_summary)],
    [
      'plan missing where there is none',
      (draft) => lastCycle(draft, (cycle) => void (cycle.plan === null && Reflect.deleteProperty(cycle, 'plan'))),
    ],
    ['nothing of nothing', (draft) => !planOf(draft) && !before(draft) && putBack(draft, HISTORY)],
    ['refuses nothing', (draft) => !planOf(draft) && !before(draft) && refuse(draft, 'There is nothing to close')],
    ['branch main', (draft) => branch(draft, () => 'main')],
    ['branch without its folder', (draft) => branch(draft, (name) => name.slice(name.lastIndexOf('/') + 1))],
    ['no branch where there is none', (draft) => branch(draft, (name) => (name === 'unknown' ? 'main' : name))],
    ['a commit for a branch', (draft) => branch(draft, (name) => (name === 'HEAD' ? 'a1b2c3d' : name))],
    [
      'another instant',
      (draft) => lastCycle(draft, (cycle) => set(cycle, { completed_at: new Date(0).toISOString() })),
    ],
    ['one cycle less', (draft) => set(draft.reply, { total_cycles: draft.reply.total_cycles - 1 })],
    [
      'goal as topic',
      (draft) => lastCycle(draft, ({ plan }) => plan && set(plan, { topic: before(draft)?.goal ?? plan.topic })),
    ],
  ]),
  ...mutants('task_close.2', 'task_close', [
    ...[PLAN, TASKS, EDITS, REOPENS].map((path) => [`${path} stays`, (draft: Draft) => putBack(draft, path)] as const),
    [
      'all are deleted, it says',
      ({ reply }) => set(reply, { deleted: ['plan.json', 'tasks.json', 'edit-tracker.json', 'reopen-tracker.json'] }),
    ],
    ['none is deleted, it says', ({ reply }) => set(reply, { deleted: [] })],
    ['in another order', ({ reply }) => reply.deleted.reverse()],
    ['with their paths', ({ reply }) => set(reply, { deleted: reply.deleted.map((name) => `.nexus/state/${name}`) })],
    ['plan emptied', (draft) => draft.before.has(PLAN) && draft.files.set(PLAN, json({}))],
  ]),
  ...mutants('task_close.3', 'task_close', [
    ['all issues', (draft) => decided(draft, planOf(draft)?.issues.length ?? 0)],
    [
      'pending issues',
      (draft) => decided(draft, planOf(draft)?.issues.filter(({ status }) => status === 'pending').length ?? 0),
    ],
    ['decisions of the list', (draft) => decided(draft, before(draft)?.decisions.length ?? 0)],
    ['at most one', (draft) => decided(draft, Math.min(1, draft.reply.archived.decisions))],
  ]),
  ...mutants('task_close.4', 'task_close', [
    ['topic alone', ({ reply: { memoryHint: hint } }) => set(hint, { cycleTopics: hint.cycleTopics.slice(0, 1) })],
    [
      'null where there is none',
      (draft) =>
        set(draft.reply.memoryHint, { cycleTopics: [planOf(draft)?.topic ?? null, before(draft)?.goal ?? null] }),
    ],
    ['goal first', ({ reply }) => reply.memoryHint.cycleTopics.reverse()],
    [
      'titles of tasks',
      (draft) => set(draft.reply.memoryHint, { cycleTopics: before(draft)?.tasks.map(({ title }) => title) ?? [] }),
    ],
    ['never a loop', ({ reply }) => set(reply.memoryHint, { hadLoopDetection: false })],
    ['always a loop', ({ reply }) => set(reply.memoryHint, { hadLoopDetection: true })],
    ['any tracker is a loop', (draft) => set(draft.reply.memoryHint, { hadLoopDetection: draft.before.has(EDITS) })],
    [
      'tasks counted from 0',
      ({ reply }) => set(reply.memoryHint, { taskCount: Math.max(0, reply.memoryHint.taskCount - 1) }),
    ],
  ]),
  ...mutants('task_close.5', 'task_close', [
    ['artifacts removed', (draft) => remove(draft, ARTIFACTS)],
    ['the session removed', (draft) => remove(draft, RUNTIME)],
    ['the state of all removed', (draft) => remove(draft, '.nexus/state/')],
    ['notes of people removed', (draft) => remove(draft, '.nexus/memory/')],
    [
      'artifacts emptied',
      (draft) =>
        [...draft.files.keys()].filter((path) => path.startsWith(ARTIFACTS)).map((path) => draft.files.set(path, '')),
    ],
  ]),
  ...mutants('task_close.6', 'task_close', [
    ['refuses open tasks', (draft) => isOpen(draft) && refuse(draft, 'Some tasks are open')],
    [
      'completes open tasks',
      (draft) => lastCycle(draft, (cycle) => cycle.tasks.map((task) => set(task, { status: 'completed' }))),
    ],
    ['keeps open tasks', (draft) => isOpen(draft) && putBack(draft, TASKS)],
  ]),
  ...mutants('all.6', 'task_close', [
    ['archived, and the tasks stay', (draft) => putBack(draft, TASKS)],
    ['removed, and not archived', (draft) => putBack(draft, HISTORY)],
    ['archived twice', (draft) => history(draft, ({ cycles }) => void cycles.push(cycles.at(-1) as Cycle))],
  ]),
  ...mutants(
    'all.6',
    'plan_start',
    [
      ['archives, and is refused', (draft) => draft.before.has(PLAN) && draft.files.delete(PLAN)],
      ['a cycle, and is refused', (draft) => draft.before.has(PLAN) && draft.files.set(HISTORY, json({ cycles: [] }))],
      [
        'begun without research',
        (draft) => draft.params['research_summary'] === undefined && accept(draft, { created: true }),
      ],
    ],
    'refusal',
  ),
];

function branch(draft: Draft, change: (name: string) => string): void {
  draft.reply.branch = change(draft.reply.branch);
  lastCycle(draft, (cycle) => set(cycle, { branch: change(cycle.branch) }));
}

function decided({ reply }: Draft, count: number): void {
  reply.archived.decisions = count;
  reply.memoryHint.decisionCount = count;
}

function isOpen(draft: Draft): boolean {
  return before(draft)?.tasks.some(({ status }) => status !== 'completed') === true;
}

function remove({ files }: Draft, below: string): void {
  for (const path of [...files.keys()]) if (path.startsWith(below)) files.delete(path);
}
