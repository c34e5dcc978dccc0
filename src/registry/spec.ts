/** Who a command is made for; help groups by it. */
export type Actor = 'agent' | 'person' | 'author' | 'harness';

/** What comes out of a command (protocol.md §1). */
export type OutputKind = 'document' | 'text' | 'stream' | 'server';

/** A value on the command line. */
export interface ValueSpec {
  /** The key in the command's input, camelCase. */
  key: string;
  description: string;
  /**
   * `text`: also `-` for standard input and `@file`. `data`: JSON or sections, also `-` and `@file`.
   * `list`: separated by commas. `pair`: `key=value`, repeatable. `name`, `recipe`, `section`, `file`, `choice` complete by themselves.
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
}

export interface PositionalSpec extends ValueSpec {
  /** Takes all remaining arguments as a list. */
  variadic?: boolean;
}

export interface OptionSpec extends ValueSpec {
  /** The long flag without dashes. */
  flag: string;
  /** What stands for the value in help, e.g. `FILE`. */
  placeholder?: string;
}

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
  exits: readonly (0 | 1 | 2 | 3 | 4 | 130)[];
  examples: readonly { command: string; note: string }[];
  /** Asked at every step: parsed without loading commander. */
  hot?: boolean;
  /** May stand in a recipe as a command, and as which parts of a block (recipes.md §2). */
  inRecipe?: boolean;
  hidden?: boolean;
}
