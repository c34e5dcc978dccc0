import {
  accept,
  type Draft,
  HISTORY,
  history,
  json,
  lastCycle,
  type Mutant,
  PLAN,
  plan,
  type Reply,
  type Row,
  readJson,
  refuse,
  set,
  TASKS,
  tasks,
  tracker,
} from '../draft.js';
import { FIELDS } from './fields.js';

const READERS = ['plan_status', 'task_list', 'history_search', 'context'];
const TOOLS = Object.keys(FIELDS);
const EVENTS = ['session_start', 'session_end', 'agent_spawn', 'agent_complete', 'agent_resume'];
const CHANGE = [...TOOLS.filter((name) => !READERS.includes(name)), ...EVENTS];

/** Creates mutants that break one requirement in several calls. */
const of = (requirement: string, calls: readonly string[], rows: readonly Row[], on?: 'refusal'): Mutant[] =>
  rows.map(([id, mutate]) => ({ id: `${requirement}: ${id}`, requirement, calls, ...(on && { on }), mutate }));

/** Reformats files, although a server must keep the format of a file that another program wrote. */
function layOut({ files }: Draft, ...paths: string[]): void {
  for (const path of paths) {
    const value = readJson<unknown>(files, path);
    if (value !== null) files.set(path, JSON.stringify(value));
  }
}

const isUnusable = ({ reply }: Draft): boolean => reply.error.includes(' cannot be used: ');
const isFor = ({ reply }: Draft, ...endings: string[]): boolean => endings.some((end) => reply.error.includes(end));
const answer = (draft: Draft, error: string): void => {
  draft.reply = { error } as Reply;
};

export const ALL_MUTANTS: readonly Mutant[] = [
  ...of(
    'all.1',
    [...TOOLS, ...EVENTS],
    [
      ['a point after each message', (draft) => answer(draft, `${draft.reply.error}.`)],
      ['messages in capitals', (draft) => answer(draft, draft.reply.error.toUpperCase())],
      ['Error: before each message', (draft) => answer(draft, `Error: ${draft.reply.error}`)],
      ['no refusal is one', (draft) => accept(draft, { ok: false })],
      ['lays out what it refuses to change', (draft) => layOut(draft, TASKS, PLAN)],
      ['lays out the history', (draft) => layOut(draft, HISTORY)],
      ['leaves a copy of what it refuses', ({ files }) => files.set('.nexus/state/tasks.json.bak', '')],
      ['makes a history of nothing', ({ files }) => files.has(HISTORY) || files.set(HISTORY, json({ cycles: [] }))],
    ],
    'refusal',
  ),
  ...of('all.2', READERS, [
    ['lays out the tasks', (draft) => layOut(draft, TASKS)],
    ['lays out the plan', (draft) => layOut(draft, PLAN)],
    ['lays out the history', (draft) => layOut(draft, HISTORY)],
    ['makes the rules of git', ({ files }) => files.has('.nexus/.gitignore') || files.set('.nexus/.gitignore', '*\n')],
    ['makes a history', ({ files }) => files.has(HISTORY) || files.set(HISTORY, json({ cycles: [] }))],
    ['keeps what it found', ({ files }) => files.set('.nexus/state/cache.json', '{}')],
  ]),
  ...of('all.3', CHANGE, [
    [
      'an instant for each change',
      (draft) => changed(draft, TASKS) && tasks(draft, (list) => set(list, { updated_at: '2026-04-12T00:00:00Z' })),
    ],
    [
      'the name of the harness in the plan',
      (draft) => changed(draft, PLAN) && plan(draft, (one) => set(one, { harness: 'mine' })),
    ],
    ['the name of the tool in the cycle', (draft) => lastCycle(draft, (cycle) => set(cycle, { tool: draft.name }))],
    [
      'instants of tasks in words',
      (draft) =>
        changed(draft, TASKS) &&
        tasks(draft, (list) => list.tasks.slice(-1).map((task) => set(task, { created_at: 'today' }))),
    ],
    [
      'instants of plans in milliseconds',
      (draft) =>
        changed(draft, PLAN) && plan(draft, (one) => Object.assign(one, { created_at: Date.parse(one.created_at) })),
    ],
    [
      'decisions null while pending',
      (draft) =>
        changed(draft, PLAN) &&
        plan(draft, ({ issues }) => issues.map((issue) => set(issue, { decision: issue.decision ?? null }))),
    ],
    [
      'fields null where nothing was given',
      (draft) =>
        draft.name === 'task_add' &&
        tasks(draft, (list) => list.tasks.slice(-1).map((task) => set(task, { risk: task['risk'] ?? null }))),
    ],
    ['unknown fields of the plan lost', (draft) => plan(draft, (one) => void delete one['x_note'])],
    [
      'unknown fields of issues lost',
      (draft) => plan(draft, ({ issues }) => issues.forEach((issue) => void delete issue['x_note'])),
    ],
    ['unknown fields of the list lost', (draft) => tasks(draft, (list) => void delete list['x_note'])],
    [
      'unknown fields of tasks lost',
      (draft) => tasks(draft, (list) => list.tasks.forEach((task) => void delete task['x_note'])),
    ],
    [
      'a resume that is a text',
      (draft) =>
        tracker(draft, (agents) =>
          agents.slice(-1).forEach((agent) => void Object.assign(agent, { resume_count: `${agent.resume_count}` })),
        ),
    ],
  ]),
  ...of(
    'all.4',
    ['task_close', 'plan_start'],
    [
      ['the last two alone', (draft) => history(draft, ({ cycles }) => void cycles.splice(0, cycles.length - 2))],
      ['the last alone', (draft) => history(draft, ({ cycles }) => void cycles.splice(0, cycles.length - 1))],
      [
        'in front',
        (draft) => changed(draft, HISTORY) && history(draft, ({ cycles }) => void cycles.unshift(...cycles.splice(-1))),
      ],
      [
        'earlier ones brought up to date',
        (draft) => history(draft, ({ cycles }) => cycles.forEach((cycle) => void delete cycle['schema_version'])),
      ],
      [
        'tasks of earlier ones made a list',
        (draft) =>
          history(draft, ({ cycles }) =>
            cycles.map((cycle) => !Array.isArray(cycle.tasks) && set(cycle, { tasks: [] })),
          ),
      ],
      [
        'branches of earlier ones named',
        (draft) =>
          history(draft, ({ cycles }) => cycles.map((cycle) => set(cycle, { branch: cycle.branch || 'unknown' }))),
      ],
      [
        'those of other versions lost',
        (draft) =>
          history(draft, (one) =>
            set(one, { cycles: one.cycles.filter(({ schema_version }) => schema_version === undefined) }),
          ),
      ],
    ],
  ),
  ...of('all.5', CHANGE, [
    ['the lock of the tasks stays', (draft) => changed(draft, TASKS) && draft.files.set(`${TASKS}.lock`, '')],
    ['the lock of the plan stays', (draft) => changed(draft, PLAN) && draft.files.set(`${PLAN}.lock`, '')],
    ['the lock of the history stays', (draft) => changed(draft, HISTORY) && draft.files.set(`${HISTORY}.lock`, '')],
    ['a temporary file stays', ({ files }) => files.set('.nexus/state/.tmp-1', '')],
    [
      'a lock among the artifacts',
      (draft) =>
        draft.name === 'artifact_write' &&
        draft.files.set(`.nexus/state/artifacts/${String(draft.params['filename'])}.lock`, ''),
    ],
  ]),
  ...of(
    'all.7',
    TOOLS,
    [
      ['the words of the parser', (draft) => isUnusable(draft) && answer(draft, 'Unexpected end of JSON input')],
      [
        'without the name of the file',
        (draft) => isUnusable(draft) && answer(draft, draft.reply.error.replace(/^\S+/, 'the file')),
      ],
      [
        'an unusable list begun anew',
        (draft) =>
          isUnusable(draft) &&
          draft.name === 'task_add' &&
          accept(draft, {}) === undefined &&
          draft.files.set(TASKS, json({ goal: 'g', decisions: [], tasks: [] })),
      ],
      [
        'an unusable history begun anew',
        (draft) =>
          isUnusable(draft) &&
          draft.name === 'task_close' &&
          accept(draft, {}) === undefined &&
          draft.files.set(HISTORY, json({ cycles: [] })),
      ],
      [
        'an unusable file is none',
        (draft) => isUnusable(draft) && READERS.includes(draft.name) && accept(draft, { exists: false, active: false }),
      ],
    ],
    'refusal',
  ),
  ...of(
    'all.7',
    ['context'],
    [
      [
        'context refuses',
        (draft) =>
          draft.files.has(TASKS) &&
          readJson(draft.files, TASKS) === null &&
          refuse(draft, 'tasks.json cannot be used: it is not JSON'),
      ],
      [
        'context is in team with any file',
        (draft) => draft.files.has(TASKS) && Object.assign(draft.reply, { activeMode: 'team' }),
      ],
    ],
  ),
  ...of(
    'all.7',
    ['agent_spawn'],
    [['a tracker begun anew', (draft) => isUnusable(draft) && accept(draft, {})]],
    'refusal',
  ),
  ...of(
    'all.8',
    ['plan_update', 'plan_decide', 'task_update', 'task_add'],
    [
      [
        'unknown actions before the plan',
        (draft) =>
          isFor(draft, 'No active plan') && draft.params['action'] === 'rename' && answer(draft, 'Unknown action'),
      ],
      [
        'parameters before the plan',
        (draft) =>
          isFor(draft, 'No active plan') &&
          draft.params['issue_id'] === undefined &&
          draft.name === 'plan_decide' &&
          answer(draft, 'issue_id is required'),
      ],
      [
        'parameters before the tasks',
        (draft) =>
          isFor(draft, 'tasks.json not') && draft.params['id'] === undefined && answer(draft, 'id is required'),
      ],
      [
        'values before the tasks',
        (draft) =>
          isFor(draft, 'tasks.json not') &&
          draft.params['status'] === 'done' &&
          answer(draft, 'status must be one of three'),
      ],
      [
        'issues before titles',
        (draft) =>
          isFor(draft, 'issue_id and title') && answer(draft, `Issue ${String(draft.params['issue_id'])} not found`),
      ],
      [
        'issues before decisions',
        (draft) =>
          isFor(draft, 'summary is required') && answer(draft, `Issue ${String(draft.params['issue_id'])} not found`),
      ],
      [
        'tasks before values',
        (draft) => isFor(draft, 'status must') && answer(draft, `Task id ${String(draft.params['id'])} not found`),
      ],
      [
        'deps before texts',
        (draft) =>
          isFor(draft, 'context is required') &&
          draft.params['deps'] !== undefined &&
          answer(draft, 'Task id 9 not found'),
      ],
    ],
    'refusal',
  ),
  ...of(
    'all.9',
    TOOLS,
    [
      ['missing, in other words', (draft) => isFor(draft, ' is required') && answer(draft, 'A parameter is missing')],
      ['wrong, in other words', (draft) => isFor(draft, ' must be ') && answer(draft, 'A parameter is wrong')],
      [
        'blank texts are taken',
        (draft) =>
          Object.values(draft.params).some((one) => typeof one === 'string' && one.trim() === '') && accept(draft, {}),
      ],
      ['texts may be numbers', (draft) => isFor(draft, 'title must') && accept(draft, {})],
      ['ids may be texts', (draft) => isFor(draft, 'id must') && accept(draft, {})],
      ['any policy', (draft) => isFor(draft, 'owner_reuse_policy must') && accept(draft, {})],
      ['any status', (draft) => isFor(draft, 'status must') && accept(draft, {})],
      ['a text for a list', (draft) => isFor(draft, 'issues must') && accept(draft, {})],
      ['a list for an object', (draft) => isFor(draft, 'how_summary must') && accept(draft, {})],
    ],
    'refusal',
  ),
  ...of(
    'all.9',
    ['task_update', 'task_add'],
    [
      [
        'numbers as texts refused',
        (draft) => typeof draft.params['id'] === 'string' && refuse(draft, 'id must be a number'),
      ],
      [
        'unknown parameters refused',
        (draft) => draft.params['colour'] !== undefined && refuse(draft, 'Unknown parameter colour'),
      ],
      [
        'unknown parameters kept',
        (draft) =>
          draft.params['colour'] !== undefined &&
          tasks(draft, (list) => list.tasks.slice(-1).map((task) => set(task, { colour: 'red' }))),
      ],
    ],
  ),
];

function changed({ before, files }: Draft, path: string): boolean {
  return files.has(path) && before.get(path) !== files.get(path);
}
