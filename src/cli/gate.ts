import type { Decision, Look } from '../base/decision.js';
import { toPlainText } from './plain.js';

/** The screen on which a person decides. */
export interface GateScreen {
  /** Shows the facts of the decision. */
  show(decision: Decision): void;
  /**
   * Asks for a line until it is acceptable.
   * @param check returns the reason why the line is not acceptable, or undefined if it is
   * @throws DevCliError `INTERRUPTED` if the person ends the input instead
   */
  ask(question: string, check: (typed: string) => string | undefined): Promise<string>;
  /** Shows a text of any length. */
  page(text: string): Promise<void>;
}

/**
 * Lets a person decide: shows the facts, offers more to look at, and asks again after an invalid choice (protocol.md
 * §3).
 * @returns the id of the answer, or null if the decision is left open
 */
export async function askForDecision(decision: Decision, screen: GateScreen): Promise<string | null> {
  const { answers, looks } = decision;
  screen.show(decision);
  const question = renderQuestion(decision);
  const findAnswer = (typed: string) => answers.find(({ id }, index) => typed === id || typed === String(index + 1));
  const findLook = (typed: string): Look | undefined =>
    looks.find(({ key }) => key === typed.toLowerCase()) ??
    (findAnswer(typed) === undefined ? looks.find(({ word }) => word === typed.toLowerCase()) : undefined);
  for (;;) {
    const typed = await screen.ask(question, (text) =>
      text === '' || findAnswer(text) !== undefined || findLook(text) !== undefined
        ? undefined
        : 'There is no such choice. Type its number or its name.',
    );
    const look = findLook(typed);
    if (look === undefined) return findAnswer(typed)?.id ?? null;
    const seen = await look.look();
    if (seen === null) return null;
    if (typeof seen !== 'string') return askForDecision(seen, screen);
    await screen.page(toPlainText(seen));
  }
}

/** Renders one line that names the possible keys. */
function renderQuestion({ answers, looks }: Decision): string {
  const last = answers.length;
  const parts = [
    last === 1 ? '1' : `1 to ${last}`,
    ...looks.map(({ key, label }) => `${key}: ${label}`),
    'Enter alone: leave it open',
  ];
  return `Your choice (${parts.join('; ')}): `;
}

/** Returns the same decision with `write` applied to every text. */
export function writeDecision(decision: Decision, write: (text: string) => string): Decision {
  return {
    ...decision,
    title: write(decision.title),
    sections: decision.sections.map(({ heading, lines }) => ({ heading, lines: lines.map(write) })),
    looks: decision.looks.map((one) => ({
      ...one,
      look: async () => {
        const seen = await one.look();
        return seen === null ? null : typeof seen === 'string' ? write(seen) : writeDecision(seen, write);
      },
    })),
  };
}
