/**
 * A decision for a person at a terminal, as data: the facts, the possible answers, and details to look at first.
 */
export interface Decision {
  /** One line. */
  title: string;
  sections: readonly DecisionSection[];
  answers: readonly { id: string; label: string; reason?: 'required' }[];
  looks: readonly Look[];
}

/** Facts that the person needs, under a heading. */
export interface DecisionSection {
  heading: string;
  /** Each is wrapped to the width of the terminal. */
  lines: readonly string[];
}

/** Something to look at or to do before answering, opened by a key. */
export interface Look {
  /** One letter; answers have numbers. */
  key: string;
  /** May be typed instead of the key. */
  word?: string;
  label: string;
  /** Returns the text to show, or a decision that replaces this one; null if there is nothing left to decide. */
  look: () => Promise<string | Decision | null>;
}

/** Renders a decision as plain text, its answers last. */
export function renderDecision(decision: Decision): string {
  const { title, sections } = decision;
  const parts = sections.map(({ heading, lines }) =>
    [heading, ...lines.map((line) => (/^(- | {2})/.test(line) ? line : `- ${line}`))].join('\n'),
  );
  return [
    title,
    ...parts,
    listAnswers(decision)
      .map((line) => `  ${line}`)
      .join('\n'),
  ].join('\n\n');
}

/** Lists the answers, each with its number. */
export function listAnswers({ answers }: Pick<Decision, 'answers'>): string[] {
  return answers.map(({ id, label, reason }, index) => {
    const wanted = reason === undefined ? '' : ' (requires a reason)';
    return `${index + 1}  ${id}${label === id ? '' : `: ${label}`}${wanted}`;
  });
}
