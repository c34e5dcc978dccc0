import type { Answer } from '../../base/answer.js';
import { isRecord } from '../../base/json.js';
import { createContractState, createView, type NeutralContext, openFiles } from './call.js';
import { toolRefusedError } from './files.js';
import type { NeutralTask, TrackedAgent } from './schemas.js';
import { REUSE_POLICIES } from './words.js';

/** Whether the agent that owns a task should continue with it. */
export interface OwnerDecision {
  decision: 'resume' | 'fresh';
  agent?: string;
  why: string;
}

/** `nexus owner` (neutral.md, Doors). @throws DevCliError `TOOL_REFUSED`, `IO` */
export async function decideOwner(context: NeutralContext, id: string): Promise<Answer> {
  const { read } = createContractState(createView(openFiles(context)));
  const tasks = read('tasks');
  if (tasks === null) throw toolRefusedError('tasks.json not found');
  const task = tasks.tasks.find((one) => String(one.id) === id);
  if (task === undefined) throw toolRefusedError(`Task id ${id} not found`);
  return { json: { ok: true, ...judgeOwner(task, read('tracker') ?? []) }, exit: 0 };
}

/**
 * Roles whose agents do not always continue with their own task. Those in FRESH judge work, so a fresh agent must do
 * it, which remembers nothing of the work. Those in WITH_ARTIFACT continue only if nobody else has touched their files.
 */
const FRESH = ['tester', 'reviewer'];
const WITH_ARTIFACT = ['engineer', 'writer'];

/** Decides whether the agent that owns a task should continue with it. */
export function judgeOwner(
  task: Pick<NeutralTask, 'owner' | 'owner_agent_id' | 'owner_reuse_policy'>,
  agents: readonly TrackedAgent[],
): OwnerDecision {
  const { agent, role } = readOwner(task);
  if (agent === undefined) return { decision: 'fresh', why: 'The task names no agent.' };
  const policy = REUSE_POLICIES.find((one) => one === task.owner_reuse_policy) ?? policyOf(role);
  switch (policy) {
    case 'fresh':
      return { decision: 'fresh', why: 'A fresh agent is to do it.' };
    case 'resume':
      return { decision: 'resume', agent, why: 'The same agent is to go on.' };
    case 'resume_if_same_artifact': {
      const known = agents.find((one) => one.agent_id === agent);
      if (known === undefined) return { decision: 'fresh', why: `The agent ${agent} is not known here.` };
      const other = findIntruder(known, agents);
      if (other === null) return { decision: 'resume', agent, why: 'Nobody else has touched its files since.' };
      return { decision: 'fresh', why: `The agent ${other} has touched its files since.` };
    }
  }
}

/** Returns a task's owner. In other versions of the contract, `owner` is an object. */
function readOwner({ owner, owner_agent_id }: Pick<NeutralTask, 'owner' | 'owner_agent_id'>): {
  agent?: string;
  role?: string;
} {
  const { agent_id = owner_agent_id, role = owner }: Record<string, unknown> = isRecord(owner) ? owner : {};
  return { ...(typeof agent_id === 'string' && { agent: agent_id }), ...(typeof role === 'string' && { role }) };
}

function policyOf(owner = ''): NonNullable<NeutralTask['owner_reuse_policy']> {
  const role = owner.slice(owner.lastIndexOf(':') + 1);
  if (FRESH.includes(role)) return 'fresh';
  return WITH_ARTIFACT.includes(role) ? 'resume_if_same_artifact' : 'resume';
}

/**
 * Finds another agent that touched one of this agent's files and was active after this agent stopped; null if there is
 * none.
 */
function findIntruder(
  { agent_id, stopped_at, files_touched }: TrackedAgent,
  agents: readonly TrackedAgent[],
): string | null {
  const isSince = ({ status, stopped_at: until }: TrackedAgent): boolean =>
    status === 'running' ||
    stopped_at === undefined ||
    (until !== undefined && Date.parse(until) > Date.parse(stopped_at));
  const found = agents.find(
    (one) =>
      one.agent_id !== agent_id && isSince(one) && one.files_touched?.some((file) => files_touched?.includes(file)),
  );
  return found?.agent_id ?? null;
}
