import {
  accept,
  type Draft,
  find,
  HISTORY,
  type Issue,
  json,
  lastCycle,
  type Mutant,
  messages,
  mutants,
  PLAN,
  type Plan,
  plan,
  putBack,
  type Row,
  readJson,
  refuse,
  set,
  TASKS,
  tasks,
} from '../draft.js';

/** Changes each issue in the file. */
const each = (draft: Draft, change: (issue: Issue) => void): void =>
  plan(draft, ({ issues }) => issues.forEach(change));

/** Changes the issue that the call is about, in the file and in the reply. */
function its(draft: Draft, change: (issue: Issue) => void): void {
  plan(draft, ({ issues }) => {
    const one = draft.params['action'] === 'add' ? issues.at(-1) : find(issues, draft.params['issue_id']);
    if (one !== undefined) change(one);
  });
  if (typeof draft.reply.issue === 'object') change(draft.reply.issue);
}

/** Creates mutants that break a requirement in one action of plan_update. */
const ofAction = (requirement: string, action: string, rows: readonly Row[]): Mutant[] =>
  mutants(
    requirement,
    'plan_update',
    rows.map(([id, mutate]) => [`${action} ${id}`, (draft) => draft.params['action'] === action && mutate(draft)]),
  );

const planId = (draft: Draft, id: number): void => {
  draft.reply.plan_id = id;
  plan(draft, (one) => set(one, { id: id }));
};
const cyclesBefore = ({ before }: Draft): { plan: Plan | null }[] =>
  readJson<{ cycles: { plan: Plan | null }[] }>(before, HISTORY)?.cycles ?? [];

export const PLAN_MUTANTS: readonly Mutant[] = [
  ...mutants('plan_start.1', 'plan_start', [
    ['issues from 0', (draft) => each(draft, (issue) => set(issue, { id: issue.id - 1 }))],
    ['issues reversed', (draft) => plan(draft, ({ issues }) => void issues.reverse())],
    [
      'issues decided',
      (draft) => each(draft, (issue) => void Object.assign(issue, { status: 'decided', decision: '-' })),
    ],
    ['one issue of a title', (draft) => plan(draft, (one) => set(one, { issues: dedupe(one.issues) }))],
    ['the first issue alone', (draft) => plan(draft, (one) => void one.issues.splice(1))],
    ['topic cut', (draft) => plan(draft, (one) => set(one, { topic: one.topic.slice(0, 5) }))],
    ['research trimmed', (draft) => plan(draft, (one) => set(one, { research_summary: one.research_summary?.trim() }))],
    [
      'research in one line',
      (draft) => plan(draft, (one) => set(one, { research_summary: one.research_summary?.split('\n')[0] })),
    ],
    ['research lost', (draft) => plan(draft, (one) => void delete one.research_summary)],
    ['no plan written', (draft) => putBack(draft, PLAN)],
    ['another topic answered', (draft) => set(draft.reply, { topic: 'Plan' })],
    ['issues counted from 0', (draft) => set(draft.reply, { issueCount: Number(draft.reply['issueCount']) - 1 })],
  ]),
  ...mutants(
    'plan_start.2',
    'plan_start',
    [
      ['taken without research', (draft) => isWithout(draft) && accept(draft, { created: true })],
      ['refused, and the plan written', (draft) => isWithout(draft) && draft.files.set(PLAN, json(madeFrom(draft)))],
    ],
    'refusal',
  ),
  ...mutants('plan_start.3', 'plan_start', [
    ['old plan lost', (draft) => putBack(draft, HISTORY)],
    [
      'archived with the tasks',
      (draft) =>
        lastCycle(draft, (cycle) => set(cycle, { tasks: readJson<{ tasks: [] }>(draft.before, TASKS)?.tasks ?? [] })),
    ],
    [
      'archived without how',
      (draft) => lastCycle(draft, ({ plan: old }) => old?.issues.forEach((issue) => void delete issue.how_summary)),
    ],
    [
      'archived without pending issues',
      (draft) =>
        lastCycle(
          draft,
          ({ plan: old }) => old && set(old, { issues: old.issues.filter(({ status }) => status === 'decided') }),
        ),
    ],
    ['archived without research', (draft) => lastCycle(draft, ({ plan: old }) => void delete old?.research_summary)],
    [
      'the new plan archived',
      (draft) => lastCycle(draft, (cycle) => set(cycle, { plan: readJson<Plan>(draft.files, PLAN) })),
    ],
    ['branch main', (draft) => lastCycle(draft, (cycle) => set(cycle, { branch: 'main' }))],
    ['instant of the old plan', (draft) => lastCycle(draft, (cycle) => set(cycle, { completed_at: 'now' }))],
    ['never archived, it says', (draft) => set(draft.reply, { previousArchived: false })],
    ['always archived, it says', (draft) => set(draft.reply, { previousArchived: true })],
    [
      'a cycle of nothing',
      (draft) => !draft.before.has(PLAN) && draft.files.set(HISTORY, json({ cycles: [...cyclesBefore(draft), EMPTY] })),
    ],
    ['refused over an open plan', (draft) => draft.before.has(PLAN) && refuse(draft, 'A plan is open')],
  ]),
  ...mutants('plan_start.4', 'plan_start', [
    ['always 1', (draft) => planId(draft, 1)],
    ['number of cycles', (draft) => planId(draft, 1 + cyclesBefore(draft).length)],
    ['after the last cycle', (draft) => planId(draft, 1 + (cyclesBefore(draft).at(-1)?.plan?.id ?? 0))],
    [
      'without the open plan',
      (draft) => planId(draft, 1 + Math.max(0, ...cyclesBefore(draft).map((cycle) => cycle.plan?.id ?? 0))),
    ],
    ['without the history', (draft) => planId(draft, 1 + (readJson<Plan>(draft.before, PLAN)?.id ?? 0))],
    ['another id in the file', (draft) => plan(draft, (one) => set(one, { id: one.id + 1 }))],
  ]),
  ...mutants('plan_start.5', 'plan_start', [
    ['tasks removed', (draft) => void draft.files.delete(TASKS)],
    ['tasks emptied', (draft) => tasks(draft, (list) => set(list, { tasks: [] }))],
    ['topic as goal', (draft) => tasks(draft, (list) => set(list, { goal: draft.reply.topic }))],
  ]),
  ...mutants('plan_status.1', 'plan_status', [
    ['always active', (draft) => set(draft.reply, { active: true })],
    ['an inactive plan of nothing', (draft) => !draft.reply.active && set(draft.reply, { issues: [] })],
    ['all pending', (draft) => draft.reply.active && set(draft.reply.summary, { pending: draft.reply.summary.total })],
    [
      'pending and decided exchanged',
      ({ reply }) =>
        void (
          reply.active &&
          Object.assign(reply.summary, { pending: reply.summary.decided, decided: reply.summary.pending })
        ),
    ],
    ['total without decided', ({ reply }) => reply.active && set(reply.summary, { total: reply.summary.pending })],
    ['research cut', ({ reply }) => set(reply, { research_summary: reply.research_summary?.slice(0, 10) })],
    [
      'research null',
      ({ reply }) => void (reply.active && Object.assign(reply, { research_summary: reply.research_summary ?? null })),
    ],
    ['always the plan 1', ({ reply }) => reply.active && set(reply, { plan_id: 1 })],
  ]),
  ...mutants('plan_status.2', 'plan_status', [
    ['without how', ({ reply }) => reply.issues?.forEach((issue) => void delete issue.how_agent_ids)],
    ['without decisions', ({ reply }) => reply.issues?.forEach((issue) => void delete issue.decision)],
    [
      'pending issues alone',
      ({ reply }) => reply.active && set(reply, { issues: reply.issues.filter(({ status }) => status === 'pending') }),
    ],
    ['issues by id', ({ reply }) => void reply.issues?.sort((a, b) => a.id - b.id)],
  ]),
  ...ofAction('plan_update.1', 'add', [
    [
      'by the number of issues',
      (draft) => its(draft, (issue) => set(issue, { id: readJson<Plan>(draft.files, PLAN)?.issues.length ?? 0 })),
    ],
    [
      'by the last id',
      (draft) =>
        its(draft, (issue) => set(issue, { id: 1 + (readJson<Plan>(draft.before, PLAN)?.issues.at(-1)?.id ?? 0) })),
    ],
    ['in front', (draft) => plan(draft, ({ issues }) => void issues.unshift(...issues.splice(-1)))],
    ['decided', (draft) => its(draft, (issue) => void Object.assign(issue, { status: 'decided', decision: '-' }))],
    ['in place of the others', (draft) => plan(draft, ({ issues }) => void issues.splice(0, issues.length - 1))],
    ['reopens the others', (draft) => each(draft, (issue) => set(issue, { status: 'pending' }))],
    ['answers and writes nothing', (draft) => putBack(draft, PLAN)],
  ]),
  ...ofAction('plan_update.2', 'remove', [
    ['and those after it', (draft) => plan(draft, ({ issues }) => void issues.splice(1))],
    [
      'numbers them anew',
      (draft) => plan(draft, ({ issues }) => issues.map((issue, at) => set(issue, { id: at + 1 }))),
    ],
    [
      'the last',
      (draft) =>
        plan(draft, (one) => set(one, { issues: (readJson<Plan>(draft.before, PLAN)?.issues ?? []).slice(0, -1) })),
    ],
    ['answers and writes nothing', (draft) => putBack(draft, PLAN)],
    ['answers the id alone', (draft) => set(draft.reply, { issue: Number(draft.params['issue_id']) })],
    ['and the research', (draft) => plan(draft, (one) => void delete one.research_summary)],
  ]),
  ...ofAction('plan_update.3', 'edit', [
    ['of all', (draft) => each(draft, (issue) => set(issue, { title: String(draft.params['title']) }))],
    [
      'reopens',
      (draft) =>
        its(draft, (issue) => {
          issue.status = 'pending';
          delete issue.decision;
        }),
    ],
    ['loses how', (draft) => its(draft, (issue) => void delete issue.how_agents)],
    ['answers and writes nothing', (draft) => putBack(draft, PLAN)],
    ['changes the topic too', (draft) => plan(draft, (one) => set(one, { topic: String(draft.params['title']) }))],
    ['puts it last', (draft) => plan(draft, ({ issues }) => void issues.push(...issues.splice(0, 1)))],
  ]),
  ...ofAction('plan_update.4', 'reopen', [
    ['decision null', (draft) => its(draft, (issue) => set(issue, { decision: null }))],
    ['decision kept', (draft) => its(draft, (issue) => set(issue, { decision: 'In memory' }))],
    ['decision empty', (draft) => its(draft, (issue) => set(issue, { decision: '' }))],
    ['still decided', (draft) => its(draft, (issue) => set(issue, { status: 'decided' }))],
    ['loses how', (draft) => its(draft, (issue) => void delete issue.how_summary)],
    [
      'all',
      (draft) =>
        plan(
          draft,
          ({ issues }) =>
            void issues.splice(
              1,
              2,
              ...issues.slice(1).map((issue) => ({ ...issue, status: 'pending', decision: '' })),
            ),
        ),
    ],
    ['answers and writes nothing', (draft) => putBack(draft, PLAN)],
  ]),
  ...messages('plan_update.5', 'plan_update', [
    'No active plan session',
    'Unknown action',
    'title is required for add',
    'issue_id and title are required for edit',
    'issue_id is required for remove',
    'issue_id is required for reopen',
    'Issue ',
  ]),
  ...mutants('plan_decide.1', 'plan_decide', [
    [
      'all issues',
      (draft) =>
        each(draft, (issue) => void Object.assign(issue, { status: 'decided', decision: draft.params['summary'] })),
    ],
    [
      'the decision in one word',
      (draft) => its(draft, (issue) => set(issue, { decision: issue.decision?.split(' ')[0] })),
    ],
    ['the status alone', (draft) => its(draft, (issue) => void delete issue.decision)],
    ['the decision alone', (draft) => its(draft, (issue) => set(issue, { status: 'pending' }))],
    ['how_agents lost', (draft) => its(draft, (issue) => void delete issue.how_agents)],
    ['how_summary lost', (draft) => its(draft, (issue) => void delete issue.how_summary)],
    ['how_agent_ids lost', (draft) => its(draft, (issue) => void delete issue.how_agent_ids)],
    [
      'how empty where none is given',
      (draft) => its(draft, (issue) => set(issue, { how_agents: issue.how_agents ?? [] })),
    ],
    [
      'how of the others lost',
      (draft) => each(draft, (issue) => void (issue.id !== draft.params['issue_id'] && delete issue.how_agents)),
    ],
    ['puts it last', (draft) => plan(draft, ({ issues }) => void issues.push(...issues.splice(1, 1)))],
    ['answers the id', (draft) => set(draft.reply, { issue: Number(draft.params['issue_id']) })],
    ['never complete', (draft) => set(draft.reply, { allComplete: false })],
    ['always complete', (draft) => set(draft.reply, { allComplete: true })],
    [
      'all remain',
      (draft) =>
        draft.reply.remaining &&
        set(draft.reply, {
          remaining:
            readJson<Plan>(draft.files, PLAN)?.issues.map(({ id, title, status }) => ({ id, title, status })) ?? [],
        }),
    ],
    [
      'what remains without status',
      (draft) => set(draft.reply, { remaining: draft.reply.remaining?.map((one) => ({ ...one, status: undefined })) }),
    ],
    ['changes the topic too', (draft) => plan(draft, (one) => set(one, { topic: 'Decided' }))],
    ['answers and writes nothing', (draft) => putBack(draft, PLAN)],
  ]),
  ...mutants('plan_decide.2', 'plan_decide', [
    ['once and for all', (draft) => wasDecided(draft) !== undefined && refuse(draft, 'It is decided')],
    [
      'the first decision stays',
      (draft) => its(draft, (issue) => set(issue, { decision: wasDecided(draft) ?? issue.decision })),
    ],
    [
      'beside the first',
      (draft) =>
        its(draft, (issue) => {
          issue.decision = [wasDecided(draft), issue.decision].filter(Boolean).join('; ');
        }),
    ],
    [
      'first how stays',
      (draft) => wasDecided(draft) !== undefined && its(draft, (issue) => set(issue, { how_agents: ['architect'] })),
    ],
  ]),
  ...messages('plan_decide.3', 'plan_decide', ['No active plan session', 'Issue ']),
];

const EMPTY = { completed_at: '2026-04-12T00:00:00.000Z', branch: 'main', plan: null, tasks: [] };

function isWithout({ params }: Draft): boolean {
  return params['research_summary'] === undefined && params['topic'] !== undefined;
}

function madeFrom({ params }: Draft): object {
  return { id: 1, topic: params['topic'], issues: [], created_at: '2026-04-12T00:00:00.000Z' };
}

function dedupe(issues: readonly Issue[]): Issue[] {
  return issues.filter(({ title }, at) => issues.findIndex((one) => one.title === title) === at);
}

/** Returns the decision that the issue had before the call, if any. */
function wasDecided({ before, params }: Draft): string | undefined {
  const issue = find(readJson<Plan>(before, PLAN)?.issues ?? [], params['issue_id']);
  return issue?.status === 'decided' ? (issue.decision ?? undefined) : undefined;
}
