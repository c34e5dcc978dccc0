import type { Static, TObject } from '@sinclair/typebox';
import type { ExitCode } from '../base/error-codes.js';

/** Who a command is made for; help groups by it. */
export type Actor = 'agent' | 'person' | 'author' | 'harness';

/** What comes out of a command (protocol.md §1). */
type OutputKind = 'document' | 'text' | 'stream' | 'server';

/** What is said of a command besides its values, in a specification and in what is made of it. */
interface Facts {
  /** Words separated by one blank: `step complete`. */
  name: string;
  actor: Actor;
  output: OutputKind;
  /** Agents wait for it all the time: a small parser reads it, and nothing that explains it is loaded. */
  hot?: boolean;
  /** Keys of which at most one may be given, per group. */
  exclusive?: readonly (readonly string[])[];
  /** Keys of which exactly one must be given. */
  oneOf?: readonly string[];
  /**
   * May stand in a recipe as a command (recipes.md §2). `true`: it is documents in, documents out, and runs in the same
   * transaction. `process`: it talks to the world, and is run like an external command, in a `cli` block.
   */
  inRecipe?: true | 'process';
}

/** The same for readers. */
interface Words {
  summary: string;
  /** A paragraph for help; plain text. */
  description?: string;
  exits: readonly ExitCode[];
  examples: readonly { command: string; note: string }[];
}

/**
 * One command, as it is written down: the single source for the type of its handler, parser, help, completion, docs, JSON
 * Schema and their tests. `npm run generate` makes of it what is loaded at run time (describe.ts).
 */
export interface CommandSpec extends Facts, Words {
  /** All values, of positionals and options, made by values.ts. Only required ones are always there. */
  input: TObject;
  /** Keys of `input` that are given by their place, in this order; the others are options. A list takes all that remain. */
  positionals?: readonly string[];
  /** It changes nothing, on the disk or elsewhere. */
  readOnly?: boolean;
}

/** Commands that belong together, as a room adds them to the registry. */
export interface SpecGroup {
  specs: readonly CommandSpec[];
  /** What first words stand for that are no command by themselves. */
  words?: Readonly<Record<string, string>>;
}

/** The input of one of the commands `Specs`, by its name. */
export type InputIn<Specs extends readonly CommandSpec[], Name> = Static<
  Extract<Specs[number], { name: Name }>['input']
>;

/** How a value is written on a command line. */
export interface ValueForm {
  /** The key in the command's input, camelCase. */
  key: string;
  /**
   * `text`: also `-` for standard input and `@file`. `data`: JSON or sections, also `-` and `@file`. `list`: separated by
   * commas. `pair`: `key=value`, repeatable. What stands behind `string` is a string, and says what completes it.
   */
  form:
    | 'flag'
    | 'integer'
    | 'list'
    | 'pair'
    | 'text'
    | 'data'
    | 'string'
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
  /** Takes all remaining arguments as a list. */
  variadic?: boolean;
}

export interface OptionForm extends ValueForm {
  /** The long flag without dashes; `key` is the same in camelCase. */
  flag: string;
  /** Not shown in help and docs. */
  hidden?: boolean;
}

export type WrittenOption = Pick<ValueForm, 'key'> & Partial<Pick<ValueForm, 'form'>>;

/** As much of a command as it takes to write one. */
export interface WrittenForm extends Pick<Facts, 'name' | 'inRecipe'> {
  hot?: false;
  positionals: readonly Pick<ValueForm, 'key'>[];
  /** `form` only where the value is no single text or number. */
  options: readonly WrittenOption[];
}

/** As much of a command as it takes to read and write one. */
export interface CommandForm extends Facts {
  positionals: readonly ValueForm[];
  options: readonly OptionForm[];
}

interface Explained {
  description: string;
  /** What stands for the value in help, e.g. `FILE`. */
  placeholder?: string;
}

export type Positional = ValueForm & Explained;
export type CommandOption = OptionForm & Explained;

/** A command with all the words that explain it. */
export interface DescribedCommand extends CommandForm, Words {
  positionals: readonly Positional[];
  options: readonly CommandOption[];
}
