import { VERSION } from '../../../base/version.js';
import { buildFileRemoval, buildFileWrite, CONTRACT_FILES, toolRefusedError } from '../files.js';
import type { TrackedAgent } from '../schemas.js';
import { replaceItem } from './plan.js';
import type { ContractTools, ToolOutcome } from './tool.js';

/** Handles the events of a session that the hooks of a harness report (neutral.md, The tools). */
export const EVENT_TOOLS: ContractTools<
  'session_start' | 'session_end' | 'agent_spawn' | 'agent_complete' | 'agent_resume'
> = {
  session_start: {
    locks: ['tracker'],
    run({ params, now }) {
      const { teams_enabled = false, plugin_version = VERSION } = params();
      const runtime = { teams_enabled, session_started_at: now, plugin_version };
      return {
        reply: {},
        changes: [buildFileWrite(CONTRACT_FILES.runtime, runtime), buildFileWrite(CONTRACT_FILES.tracker, [])],
      };
    },
  },
  session_end: {
    locks: ['tracker'],
    run({ isThere, params }) {
      params();
      const open = (['plan', 'tasks'] as const).filter(isThere);
      return {
        reply: {},
        changes: [buildFileRemoval(CONTRACT_FILES.runtime), buildFileRemoval(CONTRACT_FILES.tracker)],
        warnings:
          open.length === 0 ? [] : [`The session ends with an open cycle (${open.join(', ')}); task_close closes it.`],
      };
    },
  },
  agent_spawn: {
    locks: ['tracker'],
    run({ read, params, now }) {
      const agents = read('tracker') ?? [];
      const { agent_type, agent_id } = params();
      if (agents.some((one) => one.agent_id === agent_id)) throw toolRefusedError(`Agent ${agent_id} is already there`);
      const agent: TrackedAgent = { agent_type, agent_id, started_at: now, resume_count: 0, status: 'running' };
      return { reply: { agent }, changes: [buildFileWrite(CONTRACT_FILES.tracker, [...agents, agent])] };
    },
  },
  agent_complete: {
    locks: ['tracker'],
    run({ read, params, now }) {
      const agents = read('tracker') ?? [];
      const { agent_id, last_message, files_touched } = params();
      return change(agents, agent_id, (agent) => ({
        ...agent,
        status: 'completed',
        stopped_at: now,
        ...(last_message !== undefined && { last_message }),
        ...(files_touched && { files_touched: [...new Set([...(agent.files_touched ?? []), ...files_touched])] }),
      }));
    },
  },
  agent_resume: {
    locks: ['tracker'],
    run({ read, params, now }) {
      const agents = read('tracker') ?? [];
      const { agent_id } = params();
      return change(agents, agent_id, (agent) => ({
        ...agent,
        status: 'running',
        resume_count: (agent.resume_count ?? 0) + 1,
        last_resumed_at: now,
      }));
    },
  },
};

function change(agents: readonly TrackedAgent[], id: string, to: (agent: TrackedAgent) => TrackedAgent): ToolOutcome {
  const before = agents.find((one) => one.agent_id === id);
  if (before === undefined) throw toolRefusedError(`Agent ${id} not found`);
  const agent = to(before);
  return { reply: { agent }, changes: [buildFileWrite(CONTRACT_FILES.tracker, replaceItem(agents, before, agent))] };
}
