import { toBoundedLine } from '../../documents/foreign.js';
import type { Action } from '../../run/action.js';
import type { RunState } from '../../run/state.js';
import type { Notifier } from './notifier.js';

/** How many characters of a question are passed to `notify`. */
const MESSAGE_CAP = 300;

/** Detects that a gate has opened. */
export interface Bell {
  /**
   * Examines the present state of the run, and notifies the person through `notify` if a gate has newly opened.
   * @returns a line that announces the gate; null if none is new
   */
  hear(state: RunState): string | null;
}

/**
 * Creates a bell for the gates of a run (harness.md, Telling a person). A gate that is already open in the first state
 * that the bell hears is not announced.
 */
export function createBell(notifier: Notifier): Bell {
  let asked: string | null | undefined;
  return {
    hear(state) {
      const question = findQuestion(state);
      const isNews = asked !== undefined && question !== null && question.actionId !== asked;
      asked = question?.actionId ?? null;
      if (!isNews) return null;
      const { actionId, message } = question;
      const about = { DEV_CLI_RUN: state.name, DEV_CLI_ACTION: actionId };
      notifier.tell(`${state.name} waits for you: ${toBoundedLine(message, MESSAGE_CAP)}`, about);
      return `${state.name} waits for you`;
    },
  };
}

/** Returns the pending action if a person has to answer it. */
function findQuestion({ pendingAction: action }: RunState): Extract<Action, { action: 'wait-for-user' }> | null {
  return action?.action === 'wait-for-user' ? action : null;
}
