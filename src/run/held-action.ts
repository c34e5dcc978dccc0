// door: hold

import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import type { Action, HeldAction } from './action.js';
import { boundRunning, toAction } from './bare-action.js';
import type { RunDraft, RunState } from './state.js';

const WAYS: Readonly<Record<string, string>> = {
  // Mentions tasks that were not started, because the agent may not have received the last action before the hold.
  out: 'Finish the work that you have started and acknowledge it. Start nothing new: tasks that you have not started yet, even if listed here, wait until the release.',
  none: 'Nothing is in progress. Start nothing new.',
};

/**
 * Builds the action that a held run shows in place of its pending one (control.md, The action).
 * @throws DevCliError `INTERNAL` when the run is not held
 */
export function buildHeldAction({ name, held, pendingAction }: RunState): HeldAction {
  if (held === undefined) throw new DevCliError('INTERNAL', `The run "${name}" is not held.`);
  const { at, by, reason } = held;
  const action = pendingAction === null ? null : toAction(pendingAction);
  const told =
    by === 'human'
      ? 'A person holds this run. Only a person releases it: show the user `answer`, and stop.'
      : 'This run is held. It continues once `answer` has been run.';
  return {
    run: name,
    action: 'held',
    instruction: `${told} ${WAYS[action === null ? 'none' : 'out']}`,
    by,
    since: at,
    ...omitUndefined({ reason }),
    ...(action === null ? {} : describeOut(action)),
    answer: { command: 'release', input: { name } },
  };
}

/** Leaves the run live without a pending action, so that only `release` makes it continue. */
export function clearPendingAction({ state }: { state: RunDraft }): void {
  state.status = 'live';
  state.outcome = null;
  state.pendingAction = null;
}

/** Describes the action that was handed out, or the commands that are running. */
function describeOut(
  action: Action,
): Pick<HeldAction, 'running' | 'runningMore' | 'commands' | 'pending' | 'ack' | 'poll'> {
  switch (action.action) {
    case 'engine-dispatch': {
      return { ...boundRunning([...action.running, ...action.tasks]), ack: action.ack };
    }
    case 'running':
      return { commands: action.commands, poll: action.poll };
    case 'done':
      return {};
    default: {
      // What is left are the actions with which a block asks an agent or the user for something.
      const { full: _, ...pending } = action;
      return { pending };
    }
  }
}
