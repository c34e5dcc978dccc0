import { DevCliError } from '../../base/errors.js';
import { execute } from '../../blocks/cli.js';
import { issue } from '../../blocks/issue.js';
import { filledPath } from '../../blocks/values.js';
import type { Effect } from '../../machine/events.js';
import { runDirectory } from '../../run/paths.js';
import type { PendingState } from '../../run/state.js';
import { blockOf, type Turn } from '../../run/turn.js';
import { advance } from './advance.js';
import { endRun } from './end.js';

type Cause<T extends Effect['type']> = Extract<Effect, { type: T }> extends { cause: infer C } ? C : never;

/**
 * Hands out anew what is pending in a run that was taken over from another name: under its own name, with its own files
 * (storage.md, History). A command at work there is started again; what was taken of a dispatch stays taken;
 * of a plan in execution, all that is not done begins anew.
 * @param from the name it was pending under
 */
export function reissue(turn: Turn, pending: PendingState, from: string): void {
  const { action } = pending;
  if (action.action !== 'done' && blockOf(turn, action.block).kind === 'engine') {
    advance(turn, { type: 'INVALIDATE', block: action.block });
    return;
  }
  switch (action.action) {
    case 'done':
      endRun(turn, action.outcome);
      return;
    case 'running':
      execute(turn, { type: 'execute', block: action.block, cause: pending.cause as Cause<'execute'> });
      return;
    case 'dispatch-subagents': {
      const taken = action.agents.some(({ id }) => turn.state.agents[id]?.status !== 'pending');
      again(turn, pending, from, taken ? 'retry' : (pending.cause as Cause<'issue'>));
      return;
    }
    case 'llm':
    case 'llm-loop':
    case 'llm+cli':
    case 'wait-for-user':
      again(turn, pending, from, pending.cause as Cause<'issue'>);
  }
}

function again(turn: Turn, { action }: PendingState, from: string, cause: Cause<'issue'>): void {
  if (action.action === 'done') return;
  const { block } = action;
  turn.because.push(...reasons(turn, block, action, from));
  if (issue(turn, { type: 'issue', block, cause })) return;
  throw new DevCliError('INTERNAL', `"${block}" was pending and has nothing to hand out.`);
}

/** What the action said to read first beyond what its block always says: why it was issued again. */
function reasons(turn: Turn, id: string, { read = [], actionId }: { read?: string[]; actionId: string }, from: string) {
  const directory = `${runDirectory(from)}/`;
  const block = blockOf(turn, id);
  const usual = 'read' in block ? block.read.map((path) => filledPath(turn, path, id)) : [];
  const own = [...usual, `actions/${actionId}/prompt.md`];
  return read
    .filter((path) => path.includes(directory))
    .map((path) => path.slice(path.indexOf(directory) + directory.length))
    .filter((path) => !own.includes(path));
}
