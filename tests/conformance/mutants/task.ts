import {
  type Draft,
  find,
  type Mutant,
  messages,
  mutants,
  PLAN,
  type Plan,
  putBack,
  readJson,
  refuse,
  set,
  TASKS,
  type Task,
  type Tasks,
  tasks,
} from '../draft.js';

const before = (draft: Draft): Tasks | null => readJson<Tasks>(draft.before, TASKS);
const planOf = (draft: Draft): Plan | null => readJson<Plan>(draft.before, PLAN);

/** Changes the task that the call is about, in the file and in the reply. */
function its(draft: Draft, change: (task: Task) => void): void {
  const { id } = draft.reply.task;
  tasks(draft, ({ tasks: list }) => {
    const one = find(list, id);
    if (one !== undefined) change(one);
  });
  change(draft.reply.task);
}

/** Changes the other tasks in the file. */
const others = (draft: Draft, change: (task: Task) => void): void =>
  tasks(draft, ({ tasks: list }) =>
    list.filter(({ id }) => id !== draft.reply.task.id).forEach((one) => void change(one)),
  );

const setGoal = (draft: Draft, goal: unknown): void => tasks(draft, (list) => set(list, { goal: String(goal) }));

/** Makes another rule decide which tasks the reply lists as ready; `done` tells whether a dependency is completed. */
function ready(
  draft: Draft,
  isReady: (task: Task, done: (id: number) => boolean, all: readonly Task[]) => boolean,
): void {
  const { summary, tasks: all } = draft.reply;
  if (summary === undefined) return;
  const done = (id: number): boolean => find(all, id)?.status === 'completed';
  summary.ready = all.filter((task) => isReady(task, done, all)).map(({ id }) => id);
}

const isPending = ({ status }: Task): boolean => status === 'pending';

/** Changes the counts in the reply of task_list. */
const counts = (draft: Draft, change: (summary: Draft['reply']['summary'], all: readonly Task[]) => void): void => {
  if (draft.reply.exists) change(draft.reply.summary, draft.reply.tasks);
};

const addedFields = ['approach', 'acceptance', 'risk', 'plan_issue', 'owner', 'owner_agent_id', 'owner_reuse_policy'];

export const TASK_MUTANTS: readonly Mutant[] = [
  ...mutants('task_add.1', 'task_add', [
    ...addedFields.map(
      (field) => [`${field} lost`, (draft: Draft) => its(draft, (task) => void delete task[field])] as const,
    ),
    ...addedFields.map(
      (field) =>
        [
          `${field} answered alone`,
          (draft: Draft) => tasks(draft, ({ tasks: list }) => void delete list.at(-1)?.[field]),
        ] as const,
    ),
    ['context in one line', (draft) => its(draft, (task) => set(task, { context: task.context.split('\n')[0] ?? '' }))],
    ['title cut', (draft) => its(draft, (task) => set(task, { title: task.title.slice(0, 4) }))],
    [
      'by the number of tasks',
      (draft) => its(draft, (task) => set(task, { id: readJson<Tasks>(draft.files, TASKS)?.tasks.length ?? 1 })),
    ],
    ['by the last id', (draft) => its(draft, (task) => set(task, { id: 1 + (before(draft)?.tasks.at(-1)?.id ?? 0) }))],
    ['in front', (draft) => tasks(draft, ({ tasks: list }) => void list.unshift(...list.splice(-1)))],
    ['in progress', (draft) => its(draft, (task) => set(task, { status: 'in_progress' }))],
    [
      'no deps by default',
      (draft) => draft.params['deps'] === undefined && its(draft, (task) => void Reflect.deleteProperty(task, 'deps')),
    ],
    ['deps lost', (draft) => its(draft, (task) => set(task, { deps: [] }))],
    ['deps sorted the other way', (draft) => its(draft, (task) => void task.deps.reverse())],
    ['no instant', (draft) => its(draft, (task) => void Reflect.deleteProperty(task, 'created_at'))],
    ['answers and writes nothing', (draft) => putBack(draft, TASKS)],
  ]),
  ...mutants('task_add.2', 'task_add', [
    ['the old goal stays', (draft) => before(draft) && setGoal(draft, before(draft)?.goal)],
    ['always the title', (draft) => setGoal(draft, draft.reply.task.title)],
    [
      'the title where it is left out',
      (draft) => draft.params['goal'] === undefined && setGoal(draft, draft.reply.task.title),
    ],
    [
      'the title in a new list',
      (draft) => !before(draft) && draft.params['goal'] === undefined && setGoal(draft, draft.reply.task.title),
    ],
    [
      'the topic where it is left out',
      (draft) => draft.params['goal'] === undefined && planOf(draft) && setGoal(draft, planOf(draft)?.topic),
    ],
    ['the topic before the goal', (draft) => planOf(draft) && setGoal(draft, planOf(draft)?.topic)],
    [
      'empty where it is left out',
      (draft) => draft.params['goal'] === undefined && !before(draft) && setGoal(draft, ''),
    ],
  ]),
  ...mutants('task_add.3', 'task_add', [
    [
      'replaced',
      (draft) =>
        tasks(draft, (list) =>
          set(list, { decisions: (draft.params['decisions'] as string[] | undefined) ?? list.decisions }),
        ),
    ],
    [
      'emptied where left out',
      (draft) => draft.params['decisions'] === undefined && tasks(draft, (list) => set(list, { decisions: [] })),
    ],
    ['none twice', (draft) => tasks(draft, (list) => set(list, { decisions: [...new Set(list.decisions)] }))],
    [
      'in front',
      (draft) =>
        tasks(draft, (list) =>
          set(list, {
            decisions: [
              ...((draft.params['decisions'] as string[] | undefined) ?? []),
              ...(before(draft)?.decisions ?? []),
            ],
          }),
        ),
    ],
    ['lost', (draft) => tasks(draft, (list) => set(list, { decisions: before(draft)?.decisions ?? [] }))],
    [
      'the first alone',
      (draft) => tasks(draft, (list) => void list.decisions.splice((before(draft)?.decisions.length ?? 0) + 1)),
    ],
  ]),
  ...mutants('task_add.4', 'task_add', [
    ['others lost', (draft) => tasks(draft, (list) => void list.tasks.splice(0, list.tasks.length - 1))],
    ['others pending', (draft) => others(draft, (task) => set(task, { status: 'pending' }))],
    ['owners of the others lost', (draft) => others(draft, (task) => void delete task['owner_agent_id'])],
    [
      'instants of the others',
      (draft) => others(draft, (task) => set(task, { created_at: draft.reply.task.created_at })),
    ],
    [
      'completed ones removed',
      (draft) =>
        tasks(draft, (list) => set(list, { tasks: list.tasks.filter(({ status }) => status !== 'completed') })),
    ],
  ]),
  ...messages('task_add.5', 'task_add', ['Task id ']),
  ...mutants('task_list.1', 'task_list', [
    ['without owners', ({ reply }) => reply.tasks?.forEach((task) => void delete task['owner'])],
    [
      'without instants',
      ({ reply }) => reply.tasks?.forEach((task) => void Reflect.deleteProperty(task, 'created_at')),
    ],
    ['by id', ({ reply }) => reply.tasks?.sort((a, b) => a.id - b.id)],
    [
      'open ones alone',
      ({ reply }) => reply.tasks && set(reply, { tasks: reply.tasks.filter(({ status }) => status !== 'completed') }),
    ],
    ['always there', ({ reply }) => set(reply, { exists: true })],
    [
      'an empty list of none',
      ({ reply }) => reply.exists || Object.assign(reply, { exists: true, goal: '', tasks: [], summary: {} }),
    ],
  ]),
  ...mutants('task_list.2', 'task_list', [
    [
      'pending counts all open',
      (draft) => counts(draft, (summary) => set(summary, { pending: summary.pending + summary.blocked })),
    ],
    ['blocked counts none', (draft) => counts(draft, (summary) => set(summary, { blocked: 0 }))],
    [
      'blocked counts those that wait',
      (draft) => counts(draft, (summary) => set(summary, { blocked: summary.pending - summary.ready.length })),
    ],
    [
      'total of the open',
      (draft) => counts(draft, (summary) => set(summary, { total: summary.total - summary.completed })),
    ],
    ['completed counts none', (draft) => counts(draft, (summary) => set(summary, { completed: 0 }))],
    [
      'pending without those ready',
      (draft) => counts(draft, (summary) => set(summary, { pending: summary.pending - summary.ready.length })),
    ],
  ]),
  ...mutants('task_list.3', 'task_list', [
    ['whatever the deps', (draft) => ready(draft, isPending)],
    [
      'one dep suffices',
      (draft) => ready(draft, (task, done) => isPending(task) && (task.deps.length === 0 || task.deps.some(done))),
    ],
    [
      'an absent dep is done',
      (draft) =>
        ready(draft, (task, done, all) => isPending(task) && task.deps.every((id) => done(id) || !find(all, id))),
    ],
    [
      'a dep in progress is done',
      (draft) =>
        ready(
          draft,
          (task, _, all) =>
            isPending(task) && task.deps.every((id) => find(all, id)?.status !== 'pending' && find(all, id)),
        ),
    ],
    ['without deps alone', (draft) => ready(draft, (task) => isPending(task) && task.deps.length === 0)],
    ['in progress too', (draft) => ready(draft, (task, done) => task.status !== 'completed' && task.deps.every(done))],
    ['completed too', (draft) => ready(draft, (task, done) => task.status !== 'in_progress' && task.deps.every(done))],
    ['by id', (draft) => counts(draft, ({ ready: ids }) => void ids.sort((a, b) => a - b))],
    ['the first alone', (draft) => counts(draft, ({ ready: ids }) => void ids.splice(1))],
    [
      'titles',
      (draft) =>
        counts(
          draft,
          (summary, all) => void Object.assign(summary, { ready: summary.ready.map((id) => find(all, id)?.title) }),
        ),
    ],
  ]),
  ...mutants('task_update.1', 'task_update', [
    [
      'completed for ever',
      (draft) =>
        find(before(draft)?.tasks ?? [], draft.params['id'])?.status === 'completed' &&
        refuse(draft, 'It is completed'),
    ],
    [
      'completed from in progress alone',
      (draft) =>
        draft.params['status'] === 'completed' &&
        find(before(draft)?.tasks ?? [], draft.params['id'])?.status === 'pending' &&
        refuse(draft, 'It has not begun'),
    ],
    [
      'no change twice',
      (draft) => draft.before.get(TASKS) === draft.files.get(TASKS) && refuse(draft, 'Nothing changes'),
    ],
    ['not before its deps', (draft) => draft.reply.task.deps.length > 0 && refuse(draft, 'Its deps are open')],
    ['all tasks', (draft) => others(draft, (task) => set(task, { status: String(draft.params['status']) }))],
    ['owner lost', (draft) => its(draft, (task) => void delete task['owner'])],
    ['a new instant', (draft) => its(draft, (task) => set(task, { created_at: new Date(0).toISOString() }))],
    ['deps emptied when completed', (draft) => others(draft, (task) => set(task, { deps: [] }))],
    ['goal changed', (draft) => setGoal(draft, 'Done')],
    ['decisions emptied', (draft) => tasks(draft, (list) => set(list, { decisions: [] }))],
    ['put last', (draft) => tasks(draft, ({ tasks: list }) => void list.push(...list.splice(0, 1)))],
    ['answers and writes nothing', (draft) => putBack(draft, TASKS)],
    [
      'answers the old status',
      (draft) => set(draft.reply.task, { status: find(before(draft)?.tasks ?? [], draft.params['id'])?.status ?? '' }),
    ],
  ]),
  ...messages('task_update.2', 'task_update', ['tasks.json not found', 'Task id ']),
];
