/**
 * Maximum lengths of texts, in characters. A longer text is refused when it is handed in, with an error that names its
 * place and the limit, so that no reader ever gets a truncated text (engine.md, Limits). Both schemas and command-line
 * inputs use this table.
 */
export const LIMITS = {
  /** Free text on the command line, such as the goal, and the request in a plan. */
  freeText: 20_000,
  /** A todo's title, one line. */
  title: 200,
  /** A step for a worker, a finding, a reason, a question, or a piece of evidence. */
  step: 4_000,
  /** A statement: a criterion, must-not, objective, reference or summary. */
  statement: 2_000,
  /** A path or a glob. */
  path: 1_000,
  /** One argument of a command, or a value written into the plan. */
  argument: 8_000,
  /** One line that a worker leaves for later workers. */
  note: 1_000,
  /** How many such notes (see `note`) a worker may leave, for each todo and kind; a number, not a length. */
  notes: 12,
} as const;
