import type { ExitCode } from '../base/error-codes.js';

/** Who a command is made for; help groups by it. */
export type Actor = 'agent' | 'person' | 'author' | 'harness';

/** What comes out of a command (protocol.md §1). */
type OutputKind = 'document' | 'text' | 'stream' | 'server';

/** A value on the command line. */
export interface ValueSpec {
  /** The key in the command's input, camelCase. */
  key: string;
  description: string;
  /**
   * `text`: also `-` for standard input and `@file`. `data`: JSON or sections, also `-` and `@file`.
   * `list`: separated by commas. `pair`: `key=value`, repeatable. `name`, `recipe`, `section`, `file` complete by themselves.
   */
  form:
    | 'flag'
    | 'string'
    | 'integer'
    | 'text'
    | 'data'
    | 'list'
    | 'pair'
    | 'name'
    | 'recipe'
    | 'section'
    | 'file'
    | 'action'
    | 'block';
  /** Only these values are accepted. */
  choices?: readonly string[];
  required?: boolean;
  /**
   * `data` only: what a command typed by hand does without it, as in `analysis save` (standard input) or `draft update`
   * (DATA_MISSING). In a recipe the block provides the data. Left out: the data is optional.
   */
  absent?: 'stdin' | 'refused';
  /** Given only together with at least one of these keys. */
  needs?: readonly string[];
}

export interface PositionalSpec extends ValueSpec {
  /** Takes all remaining arguments as a list. */
  variadic?: boolean;
}

export interface OptionSpec extends ValueSpec {
  /** The long flag without dashes; `key` is the same in camelCase. */
  flag: string;
  /** What stands for the value in help, e.g. `FILE`. */
  placeholder?: string;
  /** Not shown in help and docs. */
  hidden?: boolean;
}

/** As much of a command as it takes to write one. */
export interface CommandForm {
  name: string;
  positionals: readonly Pick<PositionalSpec, 'key'>[];
  options: readonly OptionForm[];
}

export type OptionForm = Pick<OptionSpec, 'key' | 'flag' | 'form'>;

/** One command: the single source for parser, help, completion, docs, in-process execution and their tests. */
export interface CommandSpec {
  /** Words separated by one blank: `step complete`. */
  name: string;
  summary: string;
  /** A paragraph for help; plain text. */
  description?: string;
  actor: Actor;
  output: OutputKind;
  positionals: readonly PositionalSpec[];
  options: readonly OptionSpec[];
  /** Keys of which at most one may be given, per group. */
  exclusive?: readonly (readonly string[])[];
  /** Keys of which exactly one must be given. */
  oneOf?: readonly string[];
  exits: readonly ExitCode[];
  examples: readonly { command: string; note: string }[];
  /**
   * May stand in a recipe as a command (recipes.md §2). `true`: it is documents in, documents out, and runs in the same
   * transaction. `process`: it talks to the world, and is run like an external command, in a `cli` block.
   */
  inRecipe?: true | 'process';
}
