import type { SubagentBlock } from '../../recipe/resolved.js';
import { readFileFacts } from '../../run/documents/pending.js';
import { buildActionBase } from '../action-parts.js';
import type { BlockType } from '../block-type.js';
import { runOnComplete } from '../own-command.js';
import { acknowledgeAgents, completeAnyway } from './acknowledge.js';
import { buildDispatch, selectAgents } from './dispatch.js';
import { digestInputs } from './input-digests.js';

/** `subagent` and `subagent-loop`: the caller starts agents, each with a prompt file, and they deliver reports. */
export const SUBAGENT: BlockType<SubagentBlock> = {
  ask(tx, block, { actionId, cause }) {
    const agents = selectAgents(tx, block, cause);
    if (agents.length === 0) return null;
    const { action, outputs } = buildDispatch(tx, block, agents, buildActionBase(tx, block, actionId));
    const before = Object.fromEntries(outputs.map((path) => [path, readFileFacts(tx.files, path)]));
    const earlier = cause === 'retry' ? tx.state.pendingAction : null;
    return { action, before, handed: digestInputs(tx, block, agents, earlier) };
  },
  refuses: ['data'],
  acknowledge: acknowledgeAgents,
  fail(tx, block, reason) {
    for (const { id } of block.agents) {
      const known = tx.state.agents[id];
      if (known?.status === 'pending') tx.state.agents[id] = { ...known, status: 'failed', reason, at: tx.at };
    }
    completeAnyway(tx, block);
  },
  pass: runOnComplete,
  retract({ state: { agents } }, block) {
    for (const { id } of block.agents) {
      const known = agents[id];
      if (known !== undefined && known.status !== 'pending') agents[id] = { ...known, status: 'stale' };
    }
  },
};
