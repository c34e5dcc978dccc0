import type { Action } from '../run/action.js';

/**
 * An action as `next` prints it. The full form adds what only dev-cli uses; state.json always holds it (protocol.md §2).
 */
export function actionView(action: Action, full: boolean): object {
  if (action.action === 'done') return action;
  const { full: inner, ...plain } = action;
  if (!full || inner === undefined) return plain;
  const { agents, ...commands } = inner;
  if (plain.action !== 'dispatch-subagents') return { ...plain, ...commands };
  return { ...plain, ...commands, agents: plain.agents.map((agent) => ({ ...agent, ...agents?.[agent.id] })) };
}
