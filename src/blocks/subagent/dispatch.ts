import { omitUndefined } from '../../base/defined.js';
import type { JsonObject } from '../../base/json.js';
import { AGENT_PREFIXES } from '../../generated/harnesses.js';
import { BLOCK_KINDS } from '../../machine/block-kinds.js';
import type { Effect } from '../../machine/events.js';
import type { ResolvedAgent, SubagentBlock } from '../../recipe/resolved.js';
import type { DispatchAction, PendingAction } from '../../run/action.js';
import { displayPath, toAbsolutePath } from '../../run/paths.js';
import { getRound, type Transaction } from '../../run/transaction.js';
import { type ActionBase, buildFullPart } from '../action-parts.js';
import { getResultFile } from '../reported.js';
import { evaluateConditionInRun } from '../values/condition.js';
import { listReadable } from '../values/readable.js';
import { fillPath } from '../values/values.js';
import { renderAgentPrompt } from './prompt.js';

/** The message with which the caller starts every agent that has a prompt file. */
export const AGENT_START_MESSAGE = 'Read <promptFile>: your whole task. Do it, reply in two lines.';

/**
 * Selects the agents to start: those whose condition holds. A retry selects only those that have not delivered; if
 * every one has delivered, the round itself has failed, and all start again.
 */
export function selectAgents(
  tx: Transaction,
  block: SubagentBlock,
  cause: Extract<Effect, { type: 'issue' }>['cause'],
): ResolvedAgent[] {
  const asked = block.agents.filter(({ when }) => when === undefined || evaluateConditionInRun(tx, when, block.id));
  const missing = asked.filter(({ id }) => tx.state.agents[id]?.status !== 'done');
  return cause === 'retry' && missing.length > 0 ? missing : asked;
}

/**
 * Builds the dispatch of the agents and writes a self-contained prompt file for each.
 * @returns the action, and the promised outputs, relative to the run's directory
 */
export function buildDispatch(
  tx: Transaction,
  block: SubagentBlock,
  agents: ResolvedAgent[],
  shared: ActionBase,
): { action: PendingAction; outputs: string[] } {
  const { state, place } = tx;
  const outputs: string[] = [];
  const rows: DispatchAction['agents'] = agents.map((agent) => {
    const output = agent.output === undefined ? null : fillPath(tx, agent.output, block.id);
    const promptFile = `actions/${shared.actionId}/${agent.id}.md`;
    tx.files.write(promptFile, renderAgentPrompt(tx, block, agent, output));
    state.agents[agent.id] = {
      status: 'pending',
      outputHash: null,
      at: tx.at,
      ...(output === null ? {} : { output }),
    };
    if (output !== null) outputs.push(output);
    return {
      id: agent.id,
      type: resolveRoleName(tx, agent.type),
      promptFile: displayPath(place, state.name, promptFile),
      ...(output === null ? {} : { output: displayPath(place, state.name, output) }),
    };
  });
  const { loops } = BLOCK_KINDS[block.kind];
  const full = buildFullPart(tx, block);
  return {
    outputs,
    action: {
      ...shared.base,
      action: 'dispatch-subagents',
      agents: rows,
      parallel: block.parallel,
      tell: AGENT_START_MESSAGE,
      ...(loops ? { round: getRound(tx, block.id), maxRounds: block.maxRounds } : {}),
      ack: shared.acknowledge(buildResultInput(tx, agents, shared)),
      full: {
        ...full.full,
        agents: Object.fromEntries(
          agents.map((agent) => [
            agent.id,
            {
              ...omitUndefined({ promptHint: agent.promptHint }),
              readsFrom: listReadable(tx, agent.readsFrom, block.id).map((path) =>
                toAbsolutePath(place, state.name, path),
              ),
            },
          ]),
        ),
      },
    },
  };
}

/**
 * Adds `--result @FILE` to the printed acknowledgement if an agent has no output: the caller writes to that file what
 * the agent replied (protocol.md §1).
 */
function buildResultInput(tx: Transaction, agents: ResolvedAgent[], shared: ActionBase): JsonObject {
  if (agents.every((agent) => agent.output !== undefined)) return {};
  return { result: `@${displayPath(tx.place, tx.state.name, getResultFile(shared.actionId))}` };
}

/**
 * Returns a role's name in the calling harness: Claude Code namespaces a plugin's agents (harness.md, Roles and
 * agents).
 */
export function resolveRoleName(tx: Transaction, type: string): string {
  const shipped = tx.captured.agents[type]?.source.startsWith('dev-cli:') ?? false;
  return shipped ? (AGENT_PREFIXES[tx.by.harness ?? ''] ?? '') + type : type;
}
