import { toBoundedLine } from '../../documents/foreign.js';
import type { Action } from '../../run/action.js';
import type { RunState } from '../../run/state.js';
import type { Notifier } from './notifier.js';

/** Characters of a question that `notify` is told. */
const MESSAGE_CAP = 300;

/** Hears when a gate opens. */
export interface Bell {
  /**
   * Takes the state of the run as it is now, and has the person told by `notify` where a gate is new.
   * @returns what rings, in one line; null where nothing does
   */
  hear(state: RunState): string | null;
}

/** Creates what hears the gates of a run (harness.md, Telling a person). One that is open at first is not announced. */
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

/** The action that a person has to answer, if one is pending. */
function findQuestion({ pendingAction: action }: RunState): Extract<Action, { action: 'wait-for-user' }> | null {
  return action?.action === 'wait-for-user' ? action : null;
}
