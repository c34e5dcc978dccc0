import {
  ARTIFACTS,
  type Cycle,
  type Draft,
  HISTORY,
  type Item,
  json,
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
  type Tasks,
} from '../draft.js';

const cyclesOf = (draft: Draft): Cycle[] => readJson<{ cycles: Cycle[] }>(draft.before, HISTORY)?.cycles ?? [];

/** Replaces the reply of history_search with one that finds cycles by another rule. */
function search(draft: Draft, isFound: (cycle: Cycle, query: string) => boolean): void {
  const query = typeof draft.params['query'] === 'string' ? draft.params['query'] : '';
  const found = cyclesOf(draft).filter((cycle) => query === '' || isFound(cycle, query));
  show(draft, found, found.slice(-Number(draft.params['last_n'] ?? 10)).reverse());
}

function show({ reply }: Draft, found: readonly Cycle[], shown: readonly Cycle[]): void {
  reply.total = found.length;
  reply.showing = shown.length;
  reply.cycles = shown.map(toItem);
}

function toItem({ completed_at, branch, plan, tasks }: Cycle): Item {
  const decided = plan?.issues.filter(({ status }) => status === 'decided') ?? [];
  const decisions = decided.map(({ title, decision }) => ({ title, decision }));
  return { completed_at, branch, ...(plan && { topic: plan.topic, decisions }), task_count: tasks.length };
}

const has = (value: unknown, query: string): boolean =>
  JSON.stringify(value ?? null)
    .toLowerCase()
    .includes(query.toLowerCase());

const items = (draft: Draft, change: (item: Item, cycle: Cycle | undefined) => void): void =>
  draft.reply.cycles.forEach((item) => {
    change(
      item,
      cyclesOf(draft).find(({ completed_at }) => completed_at === item.completed_at),
    );
  });

const isAsked = ({ params }: Draft): boolean => params['last_n'] !== undefined || params['query'] !== undefined;
const tasksOf = (draft: Draft): Tasks | null => readJson<Tasks>(draft.before, TASKS);

/** Changes the artifact that the call wrote. */
const artifact = (draft: Draft, change: (content: string, was: string) => string): void => {
  const path = `${ARTIFACTS}${String(draft.params['filename'])}`;
  draft.files.set(path, change(String(draft.params['content']), draft.before.get(path) ?? ''));
};

export const REST_MUTANTS: readonly Mutant[] = [
  ...mutants('history_search.1', 'history_search', [
    ['as it is written', (draft) => search(draft, (cycle, query) => JSON.stringify(cycle).includes(query))],
    ['in topics alone', (draft) => search(draft, (cycle, query) => has(cycle.plan?.topic, query))],
    ['in plans alone', (draft) => search(draft, (cycle, query) => has(cycle.plan, query))],
    ['not in tasks', (draft) => search(draft, (cycle, query) => has({ ...cycle, tasks: [] }, query))],
    ['not in branches', (draft) => search(draft, (cycle, query) => has({ ...cycle, branch: '' }, query))],
    ['not in decisions', (draft) => search(draft, (cycle, query) => has({ ...cycle, plan: cycle.plan?.topic }, query))],
    ['passed over', (draft) => search(draft, () => true)],
    [
      'as a whole word',
      (draft) => search(draft, (cycle, query) => new RegExp(`\\b${query}\\b`, 'i').test(JSON.stringify(cycle))),
    ],
    ['never found', (draft) => search(draft, () => false)],
  ]),
  ...mutants('history_search.2', 'history_search', [
    [
      'the first ones',
      (draft) =>
        draft.params['query'] === undefined &&
        show(draft, cyclesOf(draft), cyclesOf(draft).slice(0, Number(draft.params['last_n'] ?? 10))),
    ],
    ['all by default', (draft) => !isAsked(draft) && show(draft, cyclesOf(draft), cyclesOf(draft))],
    [
      'five by default',
      (draft) => !isAsked(draft) && show(draft, cyclesOf(draft), cyclesOf(draft).slice(-5).reverse()),
    ],
    [
      'ten at most',
      (draft) =>
        draft.params['query'] === undefined &&
        show(
          draft,
          cyclesOf(draft),
          cyclesOf(draft)
            .slice(-Math.min(10, Number(draft.params['last_n'] ?? 10)))
            .reverse(),
        ),
    ],
    ['total of those shown', ({ reply }) => set(reply, { total: reply.showing })],
    ['shown counts all', ({ reply }) => set(reply, { showing: reply.total })],
    ['total of all', (draft) => set(draft.reply, { total: cyclesOf(draft).length })],
    ['oldest first', ({ reply }) => reply.cycles.reverse()],
    [
      'limit passed over',
      (draft) =>
        draft.params['query'] === undefined && show(draft, cyclesOf(draft), cyclesOf(draft).slice(-10).reverse()),
    ],
  ]),
  ...mutants('history_search.3', 'history_search', [
    [
      'pending issues too',
      (draft) =>
        items(
          draft,
          (item, cycle) =>
            item.decisions &&
            set(item, { decisions: cycle?.plan?.issues.map(({ title, decision }) => ({ title, decision })) ?? [] }),
        ),
    ],
    [
      'decisions without titles',
      (draft) =>
        items(
          draft,
          (item) =>
            void (item.decisions && Object.assign(item, { decisions: item.decisions.map(({ decision }) => decision) })),
        ),
    ],
    [
      'decisions without the decision',
      (draft) => items(draft, (item) => void item.decisions?.forEach((one) => void delete one.decision)),
    ],
    ['no decisions', (draft) => items(draft, (item) => item.decisions && set(item, { decisions: [] }))],
    [
      'completed tasks',
      (draft) =>
        items(draft, (item, cycle) =>
          set(item, { task_count: cycle?.tasks.filter(({ status }) => status === 'completed').length ?? 0 }),
        ),
    ],
    ['topic null without a plan', (draft) => items(draft, (item) => set(item, { topic: item.topic ?? null }))],
    ['decisions [] without a plan', (draft) => items(draft, (item) => set(item, { decisions: item.decisions ?? [] }))],
    ['the whole plan', (draft) => items(draft, (item, cycle) => set(item, { plan: cycle?.plan ?? null }))],
    ['no branch', (draft) => items(draft, (item) => void Reflect.deleteProperty(item, 'branch'))],
    ['no instant', (draft) => items(draft, (item) => void Reflect.deleteProperty(item, 'completed_at'))],
  ]),
  ...mutants('history_search.4', 'history_search', [
    ['refused', (draft) => !draft.before.has(HISTORY) && refuse(draft, 'history.json not found')],
    ['made', (draft) => !draft.before.has(HISTORY) && draft.files.set(HISTORY, json({ cycles: [] }))],
    ['no list', (draft) => !draft.before.has(HISTORY) && Object.assign(draft.reply, { cycles: null })],
  ]),
  ...mutants('context.1', 'context', [
    ['branch main', ({ reply }) => set(reply, { branch: 'main' })],
    [
      'branch without its folder',
      ({ reply }) => set(reply, { branch: reply.branch.slice(reply.branch.lastIndexOf('/') + 1) }),
    ],
    [
      'no branch where there is none',
      ({ reply }) => set(reply, { branch: reply.branch === 'unknown' ? '' : reply.branch }),
    ],
    [
      'a commit for a branch',
      ({ reply }) => set(reply, { branch: reply.branch === 'HEAD' ? 'a1b2c3d' : reply.branch }),
    ],
    ['always team', ({ reply }) => set(reply, { activeMode: 'team' })],
    ['never team', ({ reply }) => set(reply, { activeMode: null })],
    [
      'plan',
      (draft) => set(draft.reply, { activeMode: (draft.reply.activeMode ?? draft.before.has(PLAN)) ? 'plan' : null }),
    ],
  ]),
  ...mutants('context.2', 'context', [
    [
      'pending counts all open',
      ({ reply: { tasksSummary: sum } }) => sum && set(sum, { pending: sum.total - sum.completed }),
    ],
    ['completed counts none', ({ reply: { tasksSummary: sum } }) => sum && set(sum, { completed: 0 })],
    ['total of the open', ({ reply: { tasksSummary: sum } }) => sum && set(sum, { total: sum.total - sum.completed })],
    [
      'topic as goal',
      (draft) =>
        draft.reply.goal && set(draft.reply, { goal: readJson<Plan>(draft.before, PLAN)?.topic ?? draft.reply.goal }),
    ],
  ]),
  ...mutants('context.3', 'context', [
    [
      'those of the plan',
      (draft) =>
        set(draft.reply, {
          decisions: (readJson<Plan>(draft.before, PLAN)?.issues ?? []).flatMap(({ decision }) => decision ?? []),
        }),
    ],
    ['none', ({ reply }) => set(reply, { decisions: [] })],
    ['the last alone', (draft) => set(draft.reply, { decisions: tasksOf(draft)?.decisions.slice(-1) ?? [] })],
    ['null without a list', (draft) => tasksOf(draft) ?? Object.assign(draft.reply, { decisions: null })],
  ]),
  ...mutants('artifact_write.1', 'artifact_write', [
    ['a final newline', (draft) => artifact(draft, (content) => `${content}\n`)],
    ['no mark at the beginning', (draft) => artifact(draft, (content) => content.replace(/^\ufeff/, ''))],
    ['lines ended alike', (draft) => artifact(draft, (content) => content.replaceAll('\r\n', '\n'))],
    ['trimmed', (draft) => artifact(draft, (content) => content.trim())],
    ['added to the old file', (draft) => artifact(draft, (content, was) => was + content)],
    ['the old file stays', (draft) => artifact(draft, (content, was) => was || content)],
    [
      'over the first bytes of the old file',
      (draft) => artifact(draft, (content, was) => content + was.slice(content.length)),
    ],
    ['in ASCII', (draft) => artifact(draft, (content) => content.replaceAll(/[^\x00-\x7f]/g, '?'))],
    ['without its folders', flatten],
    [
      'the others removed',
      ({ files, params }) =>
        [...files.keys()]
          .filter((path) => path.startsWith(ARTIFACTS) && path !== `${ARTIFACTS}${String(params['filename'])}`)
          .map((path) => files.delete(path)),
    ],
    ['a relative path answered', ({ reply }) => set(reply, { path: reply.path.slice(reply.path.indexOf('.nexus')) })],
    ['nothing written', (draft) => putBack(draft, ...draft.files.keys())],
  ]),
  ...messages('artifact_write.2', 'artifact_write', ['filename must be a relative path inside artifacts/']),
];

function flatten(draft: Draft): void {
  const filename = String(draft.params['filename']);
  const path = `${ARTIFACTS}${filename}`;
  const content = draft.files.get(path) ?? '';
  if (!filename.includes('/')) return;
  putBack(draft, path);
  draft.files.set(`${ARTIFACTS}${filename.slice(filename.lastIndexOf('/') + 1)}`, content);
}
