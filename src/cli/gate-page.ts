import { setImmediate as afterReading, setTimeout as pause } from 'node:timers/promises';
import { openGatePage } from '../app/screens/gate.js';
import type { Decision } from '../base/decision.js';
import { askWhileOpen, unansweredError } from './ask.js';
import type { GateScreen } from './gate.js';
import { openTerminal } from './screen/terminal.js';

/** How long, in milliseconds, no key may arrive before everything typed ahead of the question counts as read. */
const QUIET = 20;

/** Creates a screen that shows a decision as a page; between two questions, the terminal is restored. */
export function createPageScreen(
  terminal: { env: NodeJS.ProcessEnv; write: (text: string) => boolean },
  page: GateScreen['page'],
): GateScreen {
  let shown: Decision = { title: '', sections: [], answers: [], looks: [] };
  return {
    show(decision) {
      shown = decision;
    },
    page,
    ask: (question, check) => askWhileOpen(() => askOnPage(shown, { question, check }, terminal)),
  };
}

async function askOnPage(
  decision: Decision,
  { question, check }: { question: string; check: (typed: string) => string | undefined },
  { env, write }: { env: NodeJS.ProcessEnv; write: (text: string) => boolean },
): Promise<string> {
  let take = (_key: string): void => {};
  let fail = (): void => {};
  const terminal = openTerminal({ env, write, onKey: (key) => take(key), onGone: () => fail() });
  try {
    // The page is drawn only after type-ahead was discarded, so that no key typed earlier counts as an answer.
    const isAhead = await ignoreTypedAhead((hear) => {
      take = hear;
    });
    const gate = openGatePage(decision, question, isAhead ? 'Text typed before this question was ignored.' : '');
    return await new Promise<string>((resolve, reject) => {
      const draw = () => terminal.draw(() => gate.frame(terminal.size()));
      fail = () => reject(unansweredError());
      take = (key) => {
        if (key === 'ctrl-c' || key === 'ctrl-d') return fail();
        const typed = gate.press(key, terminal.size());
        const wrong = typed === null ? undefined : check(typed);
        if (wrong !== undefined) gate.refuse(wrong);
        else if (typed !== null) return resolve(typed);
        draw();
      };
      draw();
    });
  } finally {
    terminal.close();
  }
}

/** Discards type-ahead, since it was not meant as an answer. @returns whether there was any */
async function ignoreTypedAhead(listen: (hear: (key: string) => void) => void): Promise<boolean> {
  let heard = 0;
  let seen = -1;
  let isStopped = false;
  listen((key) => {
    heard += 1;
    isStopped ||= key === 'ctrl-c';
  });
  while (heard > seen) {
    seen = heard;
    await pause(QUIET);
    // On a busy machine the pause may be over although input that has arrived was not read yet, so wait until it was.
    await afterReading();
  }
  if (isStopped) throw unansweredError();
  return heard > 0;
}
