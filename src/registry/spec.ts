import type { Static, TObject } from '@sinclair/typebox';
import type { ExitCode } from '../base/error-codes.js';
import type { JsonObject } from '../base/json.js';

/** Who a command is made for; help groups commands by it. */
export type Actor = 'agent' | 'person' | 'author' | 'harness';

/** The kind of a command's output (protocol.md §1). */
type OutputKind = 'document' | 'text' | 'stream' | 'server';

/** The properties of a command besides its values. */
interface CommandFacts {
  /** Words separated by one blank: `step complete`. */
  name: string;
  actor: Actor;
  output: OutputKind;
  /** Agents call or wait for it constantly, so a small parser reads it, without loading the texts that explain it. */
  hot?: boolean;
  /** Groups of keys of which at most one may be given. */
  exclusive?: readonly (readonly string[])[];
  /** Keys of which exactly one must be given. */
  oneOf?: readonly string[];
  /**
   * May be used as a command in a recipe (recipes.md §2). `true`: it only reads and writes documents, and runs in the
   * transaction. `process`: it talks to the world, and a `cli` block runs it like an external command.
   */
  inRecipe?: true | 'process';
  /** Without this key it answers in text, as one that is for people. */
  textWithout?: string;
  /** A signal does not cut it off: it hears it by `context.signal`, brings to an end what it has begun, and answers 130 itself. */
  windsDown?: true;
}

/** The texts of a command for readers. */
interface CommandTexts {
  summary: string;
  /** A paragraph for help; plain text. */
  description?: string;
  exits: readonly ExitCode[];
  examples: readonly { command: string; note: string }[];
}

/**
 * The specification of a command: the single source for its handler's type, parser, help, completion, docs, JSON Schema
 * and their tests. `npm run generate` makes of it what is loaded at run time (describe.ts).
 */
export interface CommandSpec extends CommandFacts, CommandTexts {
  /** The schema of all values, positionals and options, made with values.ts. */
  input: TObject;
  /**
   * Keys of `input` that are given by position, in this order; a list takes all remaining arguments. Others are
   * options.
   */
  positionals?: readonly string[];
  /** It changes nothing, on disk or elsewhere. */
  readOnly?: boolean;
}

/** A tool of the Model Context Protocol that carries out a command (memory.md, MCP). One command may be several. */
export interface CommandTool {
  /** The group that it is served with. */
  group: string;
  /** Words joined by `_`. */
  name: string;
  command: string;
  /** Default: the command's summary. */
  description?: string;
  /** Keys of the command's input that are arguments, in this order. Default: all. */
  keys?: readonly string[];
  /** Those that must be given, besides what the command cannot do without. */
  required?: readonly string[];
  /** What is always given. */
  fixed?: JsonObject;
  /** The same call again changes nothing more. */
  idempotent?: true;
  /** It may undo or overwrite what somebody did. */
  destructive?: true;
}

/** A tool that is no command: its wing carries it out, and checks its parameters by the schema. */
export interface OwnTool {
  name: string;
  description: string;
  input: ToolDocument['inputSchema'];
  /** None: it is offered to no client. */
  annotations?: object;
}

/** What a client is told of a tool, as the Model Context Protocol has it. */
export interface ToolDocument {
  name: string;
  description: string;
  inputSchema: { type: 'object' };
  annotations: object;
}

/** A tool as it is served. */
export interface DescribedTool extends Pick<CommandTool, 'group' | 'command'> {
  fixed: JsonObject;
  document: ToolDocument;
}

/** Commands that a room adds to the registry. */
export interface SpecGroup {
  specs: readonly CommandSpec[];
  /** Commands of the group that agents may call as tools, in the order in which they are listed. */
  tools?: readonly CommandTool[];
  /** Summaries of first words that are not commands by themselves. */
  words?: Readonly<Record<string, string>>;
  /** The command that they stand behind in help; by default they stand at the end. */
  after?: string;
}

/** The input of the command called `Name` among `Specs`. */
export type InputIn<Specs extends readonly CommandSpec[], Name> = Static<
  Extract<Specs[number], { name: Name }>['input']
>;

/** What a value names (view.md, Completion); `work`: a block, or a todo. */
export type Offer =
  | 'name'
  | 'recipe'
  | 'workflow'
  | 'todo'
  | 'block'
  | 'work'
  | 'section'
  | 'choice'
  | 'action'
  | 'entry'
  | 'guide'
  | 'file';

/** A word that a shell may offer, and what it means. */
export interface Candidate {
  word: string;
  text: string;
}

/** How a value is written on a command line. */
export interface ValueForm {
  /** The key in the command's input, in camelCase. */
  key: string;
  /**
   * `text`: also `-` for standard input and `@file`; `texts`: repeatable. `data`: JSON or sections, also `-` and `@file`.
   * `list`: separated by commas. `pair`: `key=value`, repeatable.
   */
  form: 'flag' | 'integer' | 'list' | 'pair' | 'text' | 'texts' | 'data' | 'string';
  /** What a shell completes it with. */
  offers?: Offer;
  /** The only accepted values. */
  choices?: readonly string[];
  required?: boolean;
  /**
   * `data` only: what a command typed by hand does without it: `stdin` reads standard input (`analysis save`),
   * `refused` answers `DATA_MISSING` (`draft update`). By default the data is optional. In a recipe the block provides
   * it.
   */
  absent?: 'stdin' | 'refused';
  /** Accepted only together with at least one of these keys. */
  needs?: readonly string[];
  /** Takes all remaining arguments as a list. */
  variadic?: boolean;
}

/** How an option is written on a command line. */
export interface OptionForm extends ValueForm {
  /** The long flag without dashes; `key` is the same in camelCase. */
  flag: string;
  /** Not shown in help and docs. */
  hidden?: boolean;
}

/** What rendering needs of an option; `form` only where the value is not a single text or number. */
export type WrittenOption = Pick<ValueForm, 'key'> & Partial<Pick<ValueForm, 'form'>>;

/** What rendering needs of a command, whose name it knows, as words: `before dryRun:flag`. Every call loads it. */
export interface WrittenForm extends Pick<CommandFacts, 'inRecipe'> {
  hot?: false;
  positionals: string;
  options: string;
}

/** What parsing and rendering need of a command. */
export interface CommandForm extends CommandFacts {
  positionals: readonly ValueForm[];
  options: readonly OptionForm[];
}

interface ValueTexts {
  description: string;
  /** What stands for the value in help, e.g. `FILE`. */
  placeholder?: string;
}

/** A positional with the texts that explain it. */
export type Positional = ValueForm & ValueTexts;

/** An option with the texts that explain it. */
export type CommandOption = OptionForm & ValueTexts;

/** A command with the texts that explain it. */
export interface DescribedCommand extends CommandForm, CommandTexts {
  positionals: readonly Positional[];
  options: readonly CommandOption[];
}
