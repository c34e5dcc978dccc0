/**
 * How long a text may be, in characters, so that nothing is cut on its way to who must act on it: what is longer is refused
 * where it comes in, with its place and the limit (engine.md, Limits). The one table; schemas and inputs take it from here.
 */
export const LIMITS = {
  /** Free text on the command line, the goal among it, and the request in a plan. */
  freeText: 20_000,
  /** Of a todo, one line. */
  title: 200,
  /** What a worker is to do, as one step; a finding, a reason, a question, evidence. */
  step: 4_000,
  /** What is true or false, or must not be: criteria, must-nots, objectives, references; a summary. */
  statement: 2_000,
  /** A path or a glob. */
  path: 1_000,
  /** One argument of a command; a value written into the plan. */
  argument: 8_000,
  /** What a worker leaves to others, a line. */
  note: 1_000,
  /** Such lines of one todo, of each kind. */
  notes: 12,
} as const;
