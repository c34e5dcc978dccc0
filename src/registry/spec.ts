import type { Static, TObject } from '@sinclair/typebox';
import type { ExitCode } from '../base/error-codes.js';
import type { ErrorCode } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';

/** The intended user of a command; help groups commands by it. */
export type Actor = 'agent' | 'person' | 'author' | 'harness';

/** The kind of a command's output (protocol.md §1). */
type OutputKind = 'document' | 'text' | 'stream' | 'server';

/** The properties of a command, apart from its values. */
interface CommandFacts {
  /** One or more words separated by single spaces: `step complete`. */
  name: string;
  actor: Actor;
  output: OutputKind;
  /** Agents constantly call or await the command, so a small parser parses it without loading help texts. */
  hot?: boolean;
  /** Groups of keys that exclude each other: at most one key of a group may be given. */
  exclusive?: readonly (readonly string[])[];
  /** A group of keys; exactly one of them must be given. */
  oneOf?: readonly string[];
  /**
   * Whether a recipe may use the command (recipes.md §2). `true`: yes; it only reads and writes documents, and runs in
   * the transaction. `process`: yes; it accesses the outside world, so a `cli` block runs it like an external command.
   */
  inRecipe?: true | 'process';
  /** A key of `input`. If it is not given, the command answers in text instead of JSON, as commands for people do. */
  textWithout?: string;
  /**
   * A signal does not kill the command: it watches `context.signal` itself, finishes the work that it has begun, and
   * then exits with 130.
   */
  windsDown?: true;
}

/** The texts that explain a command. */
interface CommandTexts {
  summary: string;
  /** A paragraph of plain text for help. */
  description?: string;
  examples: readonly { command: string; note: string }[];
}

/**
 * The specification of a command: the single source for its handler's type, parser, help, completion, docs, JSON Schema
 * and their tests. `npm run generate` derives the data that is loaded at run time from it (describe.ts).
 */
export interface CommandSpec extends CommandFacts, CommandTexts {
  /** The schema of all values, positionals and options, built with values.ts. */
  input: TObject;
  /**
   * Keys of `input` that are given by position, in this order; a list takes all remaining arguments. All other keys are
   * options.
   */
  positionals?: readonly string[];
  /** The command changes nothing, on disk or elsewhere. */
  readOnly?: boolean;
  /** The errors with which it may fail, besides those of any command (endings.ts). */
  errors: readonly ErrorCode[];
  /** The exit code of an answer that is no error, yet says no: a check that found faults. */
  exitOfNo?: ExitCode;
}

/**
 * A tool of the Model Context Protocol that carries out a command (memory.md, MCP). Several tools may share a command.
 */
export interface CommandTool {
  /** The group of tools to which it belongs. */
  group: string;
  /** The tool's name: words joined by `_`. */
  name: string;
  command: string;
  /** Default: the command's summary. */
  description?: string;
  /** Keys of the command's input that become arguments, in this order. Default: all that are not in `fixed`. */
  keys?: readonly string[];
  /** Arguments that must be given, besides those that the command requires. */
  required?: readonly string[];
  /** Values of the command's input that every call passes. */
  fixed?: JsonObject;
  /** Repeating the same call changes nothing more. */
  idempotent?: true;
  /** A call may undo or overwrite somebody's work. */
  destructive?: true;
}

/** A tool without a command. Its wing carries the tool out, and checks the arguments against the tool's schema. */
export interface OwnTool {
  name: string;
  description: string;
  input: ToolDocument['inputSchema'];
  /** If absent, the tool is not offered to clients. */
  annotations?: object;
}

/** The description of a tool that a client receives, in the form of the Model Context Protocol. */
export interface ToolDocument {
  name: string;
  description: string;
  inputSchema: { type: 'object' };
  annotations: object;
}

/** A tool as the server offers it. */
export interface DescribedTool extends Pick<CommandTool, 'group' | 'command'> {
  fixed: JsonObject;
  document: ToolDocument;
}

/** Commands that the core or a wing (a directory of src/wings/) adds to the registry. */
export interface SpecGroup {
  specs: readonly CommandSpec[];
  /** Commands of the group that agents may call as tools, in the order of the tool list. */
  tools?: readonly CommandTool[];
  /** Summaries of first words that are not commands themselves. */
  words?: Readonly<Record<string, string>>;
  /** The core's command after which help lists the group's commands; by default they come last. */
  after?: string;
}

/** The input of the command called `Name` among `Specs`. */
export type InputIn<Specs extends readonly CommandSpec[], Name> = Static<
  Extract<Specs[number], { name: Name }>['input']
>;

/** The kind of thing that a value names (view.md, Completion); `work`: a block or a todo. */
export type CompletionKind =
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

/** A word that a shell may offer, and its meaning. */
export interface Candidate {
  word: string;
  text: string;
}

/** How a value is written on a command line. */
export interface ValueForm {
  /** The key in the command's input, in camelCase. */
  key: string;
  /**
   * `text`: may also be `-` for standard input or `@file`; `texts`: the same, repeatable. `data`: JSON or sections, or
   * `-` or `@file`. `list`: separated by commas. `pair`: `key=value`, repeatable.
   */
  form: 'flag' | 'integer' | 'list' | 'pair' | 'text' | 'texts' | 'data' | 'string';
  /** The kind of words with which a shell completes it. */
  offers?: CompletionKind;
  /** The only accepted values. */
  choices?: readonly string[];
  required?: boolean;
  /**
   * For `data` only: how a command typed by hand treats missing data. `stdin`: it reads standard input (`analysis
   * save`); `refused`: it fails with `DATA_MISSING` (`draft update`). By default the data is optional. In a recipe, the
   * block provides the data.
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

/** The parts of an option that rendering needs. `form` is absent if the value is a single text or number. */
export type WrittenOption = Pick<ValueForm, 'key'> & Partial<Pick<ValueForm, 'form'>>;

/**
 * The parts of a command that rendering needs, in a compact form such as `before dryRun:flag`, because every call loads
 * them.
 */
export interface WrittenForm extends Pick<CommandFacts, 'inRecipe'> {
  hot?: false;
  positionals: string;
  options: string;
}

/** The parts of a command that parsing and rendering need. */
export interface CommandForm extends CommandFacts {
  positionals: readonly ValueForm[];
  options: readonly OptionForm[];
}

interface ValueTexts {
  description: string;
  /** Placeholder for the value in help, e.g. `FILE`. */
  placeholder?: string;
}

/** A positional with its help texts. */
export type Positional = ValueForm & ValueTexts;

/** An option with its help texts. */
export type CommandOption = OptionForm & ValueTexts;

/** A command with its help texts. */
export interface DescribedCommand extends CommandForm, CommandTexts {
  exits: readonly ExitCode[];
  positionals: readonly Positional[];
  options: readonly CommandOption[];
}
