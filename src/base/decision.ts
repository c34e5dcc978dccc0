/** A decision that a person at a terminal takes, as data: what has to be known, the answers, and what may be looked at first. */
export interface Decision {
  /** One line. */
  title: string;
  sections: readonly DecisionSection[];
  answers: readonly { id: string; label: string; reason?: 'required' }[];
  looks: readonly Look[];
}

/** What has to be known, under a heading. */
export interface DecisionSection {
  heading: string;
  /** Each is wrapped to the width of the terminal. */
  lines: readonly string[];
}

/** Something to look at, or to do, before one answers, by a key. */
export interface Look {
  /** One letter; answers have numbers. */
  key: string;
  /** May be typed instead of the key. */
  word?: string;
  label: string;
  /** Returns the text to show, or the decision that takes the place of this one; null where none is left to take. */
  look: () => Promise<string | Decision | null>;
}

/** Renders a decision as plain text, down to its answers. */
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
    const wanted = reason === undefined ? '' : ' (wants a reason)';
    return `${index + 1}  ${id}${label === id ? '' : `: ${label}`}${wanted}`;
  });
}
