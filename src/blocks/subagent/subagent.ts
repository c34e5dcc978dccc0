import type { SubagentBlock } from '../../recipe/resolved.js';
import { commonParts } from '../action-parts.js';
import type { BlockType } from '../block-type.js';
import { factsOf } from '../evidence.js';
import { runOnComplete } from '../own-command.js';
import { acknowledgeAgents, completeAnyway } from './acknowledge.js';
import { dispatchedAgents, issueDispatch } from './dispatch.js';
import { handedTo } from './handed.js';

/** `subagent` and `subagent-loop`: agents are started, each with a prompt file, and deliver. */
export const SUBAGENT: BlockType<SubagentBlock> = {
  ask(turn, block, { actionId, cause }) {
    const agents = dispatchedAgents(turn, block, cause);
    if (agents.length === 0) return null;
    const { action, outputs } = issueDispatch(turn, block, agents, commonParts(turn, block, actionId));
    const before = Object.fromEntries(outputs.map((path) => [path, factsOf(turn.files, path)]));
    const earlier = cause === 'retry' ? turn.state.pendingAction : null;
    return { action, before, handed: handedTo(turn, block, agents, earlier) };
  },
  refuses: ['data'],
  acknowledge: acknowledgeAgents,
  fail(turn, block, reason) {
    for (const { id } of block.agents) {
      const known = turn.state.agents[id];
      if (known?.status === 'pending') turn.state.agents[id] = { ...known, status: 'failed', reason, at: turn.at };
    }
    completeAnyway(turn, block);
  },
  pass: runOnComplete,
  retract({ state }, block) {
    for (const { id } of block.agents) {
      const known = state.agents[id];
      if (known !== undefined && known.status !== 'pending') known.status = 'stale';
    }
  },
};
