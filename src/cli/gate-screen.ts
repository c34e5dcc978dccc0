import { listAnswers, renderDecision } from '../base/decision.js';
import { ask, discardTypedAhead, unansweredError } from './ask.js';
import type { GateScreen } from './gate.js';
import { showPage } from './pager.js';
import { toPlainText } from './plain.js';

const clack = (): typeof import('@clack/prompts') => require('@clack/prompts');

/** Characters of a line below which frames leave no room for words; a terminal that does not say its size has 0. */
const NARROW = 40;

/** What a screen needs of its process. */
interface Terminal {
  env: NodeJS.ProcessEnv;
  columns: number;
  write: (text: string) => boolean;
}

/** The screen that suits a terminal: with frames, or plain lines where it is narrow or cannot move its cursor. */
export function createGateScreen(terminal: Terminal): GateScreen {
  const { env, columns } = terminal;
  const isPlain = columns < NARROW || env['TERM'] === undefined || env['TERM'] === 'dumb';
  const page = (text: string) => showPage(text, terminal);
  return isPlain ? createPlainScreen(terminal.write, page) : createFramedScreen(page);
}

/** A screen of lines: each question is one, and a wrong answer asks again. */
export function createPlainScreen(
  write: (text: string) => boolean,
  page: GateScreen['page'],
  askLine: (question: string) => Promise<string> = ask,
): GateScreen {
  return {
    show(decision) {
      write(`${toPlainText(renderDecision(decision))}\n\n`);
    },
    page,
    async ask(question, check) {
      let asked = question;
      for (;;) {
        const typed = await askLine(asked);
        const wrong = check(typed);
        if (wrong === undefined) return typed;
        asked = `${wrong} ${question}`;
      }
    },
  };
}

function createFramedScreen(page: GateScreen['page']): GateScreen {
  const { intro, isCancel, log, text } = clack();
  return {
    show(decision) {
      intro(toPlainText(decision.title));
      for (const { heading, lines } of decision.sections) log.step(toPlainText([heading, ...lines].join('\n')));
      log.step(toPlainText(['Answers', ...listAnswers(decision)].join('\n')));
    },
    page,
    async ask(question, check) {
      for (;;) {
        await discardTypedAhead();
        const answer = await text({ message: toPlainText(question) });
        if (isCancel(answer)) throw unansweredError();
        const typed = (answer ?? '').trim();
        const wrong = check(typed);
        if (wrong === undefined) return typed;
        // Its own validation would keep what was typed, and the next key would be added to that.
        log.warn(toPlainText(wrong));
      }
    },
  };
}
