import { isRecord } from '../base/json.js';
import type { Action, EngineDispatchAction } from '../run/action.js';

/**
 * An action as `next` prints it. The full form adds what only dev-cli uses; state.json always holds it (protocol.md §2).
 */
export function actionView(action: Action, full: boolean): object {
  if (action.action === 'done') return inOrder(action);
  const { full: inner, ...plain } = action;
  if (!full && plain.action === 'engine-dispatch') return inOrder(dispatchView(plain));
  if (!full || inner === undefined) return inOrder(plain);
  const { agents, ...commands } = inner;
  if (plain.action !== 'dispatch-subagents') return inOrder({ ...plain, ...commands });
  return inOrder({ ...plain, ...commands, agents: plain.agents.map((agent) => ({ ...agent, ...agents?.[agent.id] })) });
}

/** Tasks handed out earlier that are shown again: each answer would repeat them all. */
const RUNNING_SHOWN = 8;

function dispatchView(action: EngineDispatchAction): EngineDispatchAction {
  const { running } = action;
  if (running.length <= RUNNING_SHOWN) return action;
  return { ...action, running: running.slice(0, RUNNING_SHOWN), runningMore: running.length - RUNNING_SHOWN };
}

/** What a reader needs first comes first; the order is the same whether the action was just made or read from the disk. */
const ORDER = ['run', 'block', 'action', 'done', 'actionId', 'outcome', 'round', 'maxRounds', 'asks', 'summary'];
const LAST = [
  'agents',
  'tasks',
  'running',
  'commands',
  'data',
  'artifact',
  'choices',
  'answer',
  'ack',
  'poll',
  'resume',
  'ruling',
  'progress',
];
const INNER = [
  'actionId',
  'id',
  'todoId',
  'substep',
  'attempt',
  'why',
  'label',
  'type',
  'promptFile',
  'output',
  'write',
  'form',
  'path',
];

function inOrder(action: object): object {
  return ordered(action, ORDER, LAST);
}

function ordered(value: object, first: readonly string[], last: readonly string[]): object {
  const rank = (key: string): number => {
    if (first.includes(key)) return first.indexOf(key);
    return last.includes(key) ? 200 + last.indexOf(key) : 100;
  };
  const keys = Object.keys(value).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(keys.map((key) => [key, member((value as Record<string, unknown>)[key])]));
}

function member(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(member);
  return isRecord(value) ? ordered(value, INNER, []) : value;
}
