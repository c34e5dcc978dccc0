import type { JsonObject } from '../../base/json.js';
import type { Effect } from '../../machine/events.js';
import type { ResolvedAgent, SubagentBlock } from '../../recipe/resolved.js';
import type { DispatchAction, PendingAction } from '../../run/action.js';
import { absolutePath, shownPath } from '../../run/paths.js';
import type { Turn } from '../../run/turn.js';
import { type Common, fullOf } from '../action-parts.js';
import { agentPrompt } from '../prompt.js';
import { conditionScope, filledPath, roundOf } from '../values.js';

/** What is said to every agent that is handed a prompt file. */
export const TELL = 'Read <promptFile>: your whole task. Do it, reply in two lines.';

/** The agents to start: those whose condition holds; at a retry only the ones that have not delivered. */
export function dispatchedAgents(
  turn: Turn,
  block: SubagentBlock,
  cause: Extract<Effect, { type: 'issue' }>['cause'],
): ResolvedAgent[] {
  return block.agents.filter((agent) => {
    if (agent.when !== undefined && !turn.evaluate(agent.when, conditionScope(turn, block.id))) return false;
    return cause !== 'retry' || turn.state.agents[agent.id]?.status !== 'done';
  });
}

/** The dispatch of these agents of a subagent block: one prompt file per agent, complete by itself. */
export function issueDispatch(
  turn: Turn,
  block: SubagentBlock,
  agents: ResolvedAgent[],
  shared: Common,
): { action: PendingAction; outputs: string[] } {
  const { state, place } = turn;
  const outputs: string[] = [];
  const rows: DispatchAction['agents'] = agents.map((agent) => {
    const output = agent.output === undefined ? null : filledPath(turn, agent.output, block.id);
    const promptFile = `actions/${shared.actionId}/${agent.id}.md`;
    turn.files.write(promptFile, agentPrompt(turn, block, agent, output));
    state.agents[agent.id] = {
      status: 'pending',
      outputHash: null,
      at: turn.at,
      ...(output === null ? {} : { output }),
    };
    if (output !== null) outputs.push(output);
    return {
      id: agent.id,
      type: roleName(turn, agent.type),
      promptFile: shownPath(place, state.name, promptFile),
      ...(output === null ? {} : { output: shownPath(place, state.name, output) }),
    };
  });
  const looping = block.kind === 'subagent-loop';
  const full = fullOf(turn, block);
  return {
    outputs,
    action: {
      ...shared.base,
      action: 'dispatch-subagents',
      agents: rows,
      parallel: block.parallel,
      tell: TELL,
      ...(looping ? { round: roundOf(turn, block.id), maxRounds: block.maxRounds } : {}),
      ack: shared.acknowledge(resultInput(turn, agents, shared)),
      full: {
        ...full.full,
        agents: Object.fromEntries(
          agents.map((agent) => [
            agent.id,
            {
              ...(agent.promptHint === undefined ? {} : { promptHint: agent.promptHint }),
              readsFrom: agent.readsFrom.map((path) =>
                absolutePath(place, state.name, filledPath(turn, path, block.id)),
              ),
            },
          ]),
        ),
      },
    },
  };
}

/** Agents without an output report by `--result`; the file that the printed command names (protocol.md §1). */
function resultInput(turn: Turn, agents: ResolvedAgent[], shared: Common): JsonObject {
  if (agents.every((agent) => agent.output !== undefined)) return {};
  return { result: `@${shownPath(turn.place, turn.state.name, resultFile(shared.actionId))}` };
}

/** Where what agents without an output reported is written for the acknowledgement; relative to the run's directory. */
export function resultFile(actionId: string): string {
  return `actions/${actionId}/result.md`;
}

/** The role as the calling harness resolves it: a plugin's agents are namespaced in Claude Code (harness.md, Roles and agents). */
export function roleName(turn: Turn, type: string): string {
  const shipped = turn.captured.agents[type]?.source.startsWith('dev-cli:') ?? false;
  return turn.by.harness === 'claude' && shipped ? `dev-cli:${type}` : type;
}
