import {
  type Agent,
  ARTIFACTS,
  accept,
  type Draft,
  EDITS,
  HISTORY,
  json,
  type Mutant,
  messages,
  mutants,
  PLAN,
  putBack,
  RUNTIME,
  readJson,
  runtime,
  set,
  TASKS,
  TRACKER,
  tracker,
} from '../draft.js';

/** Changes the tracker entry of the agent that an event is about. */
const entry = (draft: Draft, change: (agent: Agent, was: Agent | undefined) => void): void =>
  tracker(draft, (agents) => {
    const is = ({ agent_id }: Agent): boolean => agent_id === draft.params['agent_id'];
    const one = agents.find(is);
    if (one !== undefined) change(one, readJson<Agent[]>(draft.before, TRACKER)?.find(is));
  });
const others = (draft: Draft, change: (agent: Agent) => void): void =>
  tracker(draft, (agents) =>
    agents.filter(({ agent_id }) => agent_id !== draft.params['agent_id']).forEach((one) => void change(one)),
  );

/** Creates mutants that accept an event about an unknown agent, or add that agent to the tracker. */
const unknown = (requirement: string, call: string): Mutant[] => [
  ...messages(requirement, call, ['Agent ']),
  ...mutants(
    requirement,
    call,
    [['makes an entry of it', (draft) => tracker(draft, (agents) => [...agents, made(draft)])]],
    'refusal',
  ),
];

export const EVENT_MUTANTS: readonly Mutant[] = [
  ...mutants('session_start.1', 'session_start', [
    ['agents stay', (draft) => putBack(draft, TRACKER)],
    ['settings stay', (draft) => draft.before.has(RUNTIME) && putBack(draft, RUNTIME)],
    ['teams on', (draft) => runtime(draft, (one) => set(one, { teams_enabled: true }))],
    ['teams off', (draft) => runtime(draft, (one) => set(one, { teams_enabled: false }))],
    ['its own version', (draft) => runtime(draft, (one) => set(one, { plugin_version: '0.0.1' }))],
    [
      'no version by default',
      (draft) =>
        draft.params['plugin_version'] === undefined && runtime(draft, (one) => set(one, { plugin_version: '' })),
    ],
    ['no instant', (draft) => runtime(draft, (one) => void delete one['session_started_at'])],
    [
      'the old instant',
      (draft) =>
        runtime(draft, (one) =>
          set(one, {
            session_started_at:
              readJson<Record<string, unknown>>(draft.before, RUNTIME)?.['session_started_at'] ??
              one['session_started_at'],
          }),
        ),
    ],
    ['no tracker', (draft) => draft.files.delete(TRACKER)],
  ]),
  ...mutants('session_start.2', 'session_start', [
    ['plan removed', ({ files }) => files.delete(PLAN)],
    ['tasks removed', ({ files }) => files.delete(TASKS)],
    ['history begun anew', ({ files }) => files.has(HISTORY) && files.set(HISTORY, json({ cycles: [] }))],
    ['history made', ({ files }) => files.has(HISTORY) || files.set(HISTORY, json({ cycles: [] }))],
  ]),
  ...mutants('session_end.1', 'session_end', [
    ['runtime stays', (draft) => putBack(draft, RUNTIME)],
    ['tracker stays', (draft) => putBack(draft, TRACKER)],
    ['tracker emptied', ({ files }) => files.set(TRACKER, '[]\n')],
    ['runtime emptied', ({ files }) => files.set(RUNTIME, '{}\n')],
  ]),
  ...mutants('session_end.2', 'session_end', [
    ['plan removed', ({ files }) => files.delete(PLAN)],
    ['tasks removed', ({ files }) => files.delete(TASKS)],
    ['edits removed', ({ files }) => files.delete(EDITS)],
    [
      'artifacts removed',
      ({ files }) => [...files.keys()].filter((path) => path.startsWith(ARTIFACTS)).map((path) => files.delete(path)),
    ],
    ['cycle closed', ({ files }) => files.set(HISTORY, json({ cycles: [] }))],
    [
      'notes removed',
      ({ files }) =>
        [...files.keys()].filter((path) => path.startsWith('.nexus/memory')).map((path) => files.delete(path)),
    ],
  ]),
  ...mutants('agent_spawn.1', 'agent_spawn', [
    ['in front', (draft) => tracker(draft, (agents) => void agents.unshift(...agents.splice(-1)))],
    ['alone', (draft) => tracker(draft, (agents) => void agents.splice(0, agents.length - 1))],
    ['others completed', (draft) => others(draft, (agent) => set(agent, { status: 'completed' }))],
    ['completed', (draft) => entry(draft, (agent) => set(agent, { status: 'completed' }))],
    ['resumed once', (draft) => entry(draft, (agent) => set(agent, { resume_count: 1 }))],
    ['no instant', (draft) => entry(draft, (agent) => void Reflect.deleteProperty(agent, 'started_at'))],
    [
      'type without its harness',
      (draft) => entry(draft, (agent) => set(agent, { agent_type: agent.agent_type.slice(1) })),
    ],
    ['files empty', (draft) => entry(draft, (agent) => set(agent, { files_touched: [] }))],
    ['nothing written', (draft) => putBack(draft, TRACKER)],
    [
      'session begun',
      ({ files }) =>
        files.set(
          RUNTIME,
          json({ teams_enabled: true, session_started_at: new Date(0).toISOString(), plugin_version: '1' }),
        ),
    ],
  ]),
  ...mutants(
    'agent_spawn.2',
    'agent_spawn',
    [
      ['taken twice', (draft) => draft.reply.error.includes('already') && accept(draft)],
      [
        'appended twice',
        (draft) => draft.reply.error.includes('already') && tracker(draft, (agents) => [...agents, made(draft)]),
      ],
    ],
    'refusal',
  ),
  ...mutants('agent_complete.1', 'agent_complete', [
    ['all', (draft) => others(draft, (agent) => set(agent, { status: 'completed' }))],
    [
      'files of all',
      (draft) => others(draft, (agent) => set(agent, { files_touched: draft.params['files_touched'] as string[] })),
    ],
    [
      'files replaced',
      (draft) => entry(draft, (agent) => set(agent, { files_touched: draft.params['files_touched'] as string[] })),
    ],
    [
      'new files lost',
      (draft) => entry(draft, (agent, was) => was?.files_touched && set(agent, { files_touched: was.files_touched })),
    ],
    [
      'files twice',
      (draft) =>
        entry(draft, (agent, was) =>
          set(agent, {
            files_touched: [
              ...(was?.files_touched ?? []),
              ...((draft.params['files_touched'] as string[] | undefined) ?? []),
            ],
          }),
        ),
    ],
    ['message lost', (draft) => entry(draft, (agent) => void delete agent.last_message)],
    ['no instant', (draft) => entry(draft, (agent) => void delete agent.stopped_at)],
    ['still running', (draft) => entry(draft, (agent) => set(agent, { status: 'running' }))],
    ['resumed 0 times', (draft) => entry(draft, (agent) => set(agent, { resume_count: 0 }))],
    ['begun anew', (draft) => entry(draft, (agent) => set(agent, { started_at: new Date(0).toISOString() }))],
    [
      'removed',
      (draft) => tracker(draft, (agents) => agents.filter(({ agent_id }) => agent_id !== draft.params['agent_id'])),
    ],
    ['cycle closed', ({ files }) => files.delete(TASKS)],
  ]),
  ...unknown('agent_complete.2', 'agent_complete'),
  ...mutants('agent_resume.1', 'agent_resume', [
    ['not counted', (draft) => entry(draft, (agent, was) => set(agent, { resume_count: was?.resume_count ?? 0 }))],
    ['always once', (draft) => entry(draft, (agent) => set(agent, { resume_count: 1 }))],
    ['still completed', (draft) => entry(draft, (agent, was) => set(agent, { status: was?.status ?? '' }))],
    [
      'no instant',
      (draft) => entry(draft, (agent, was) => set(agent, { last_resumed_at: was?.last_resumed_at ?? '' })),
    ],
    ['its end lost', (draft) => entry(draft, (agent) => void delete agent.stopped_at)],
    ['its message lost', (draft) => entry(draft, (agent) => void delete agent.last_message)],
    ['its files lost', (draft) => entry(draft, (agent) => void delete agent.files_touched)],
    ['begun anew', (draft) => entry(draft, (agent) => set(agent, { started_at: agent.last_resumed_at ?? '' }))],
    ['all', (draft) => others(draft, (agent) => set(agent, { status: 'running' }))],
    ['put last', (draft) => tracker(draft, (agents) => void agents.push(...agents.splice(0, 1)))],
  ]),
  ...unknown('agent_resume.2', 'agent_resume'),
];

function made({ params }: Draft): Agent {
  const started_at = new Date(0).toISOString();
  return {
    agent_type: 'unknown',
    agent_id: String(params['agent_id']),
    started_at,
    resume_count: 0,
    status: 'running',
  };
}
