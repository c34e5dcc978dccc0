import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox';
import type { DataInput } from '../base/invocation.js';
import type { ReadingFormat } from './describe.js';
import type { CompletionKind, ValueForm } from './spec.js';

/** Facts about a value that the command line needs in addition to the JSON Schema. */
interface Marks extends Pick<ValueForm, 'needs' | 'absent'> {
  /** How the text is read, or what it names. */
  format?: ReadingFormat | CompletionKind;
  placeholder?: string;
  hidden?: boolean;
}

/** Makes a value optional. */
export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

/** An option that takes no value; true if given. */
export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** A value of one word. */
export const word = (description: string, marks: Marks = {}) => Type.String(buildSchemaOptions(description, marks));

/** A value of several words, each an argument of its own. */
export const words = (description: string, marks: Marks = {}) => Type.Array(Type.String(marks), { description });

/** A value of several words in one argument, separated by commas. */
export const commaList = (placeholder: string, description: string, marks: Marks = {}) =>
  Type.Array(Type.String(), buildSchemaOptions(description, { placeholder, ...marks }));

/** A value written `KEY=VALUE`, repeatable. */
export const pairs = (placeholder: string, description: string, marks: Marks = {}) =>
  Type.Record(Type.String(), Type.String(), buildSchemaOptions(description, { placeholder, ...marks }));

/** The largest number that a command accepts. */
const MOST = 999_999_999;

/** A value that is a whole number, 0 or more. */
export const integer = (placeholder: string, description: string, marks: Marks = {}) =>
  Type.Integer({ minimum: 0, maximum: MOST, ...buildSchemaOptions(description, { placeholder, ...marks }) });

/** One word out of a closed list; help shows the list as the placeholder. */
export const choice = <const Choices extends readonly string[]>(
  choices: Choices,
  description: string,
  marks: Marks = {},
) =>
  Type.Unsafe<Choices[number]>({
    type: 'string',
    enum: choices,
    ...buildSchemaOptions(description, { placeholder: choices.join('|'), ...marks }),
  });

/** Free text; the handler receives the text itself, read and trimmed. */
export const freeText = (description: string, marks: Marks = {}) =>
  word(description, { format: 'text', placeholder: 'TEXT|@FILE|-', ...marks });

/** Free text that may be given several times, once per option; the handler receives a list. */
export const texts = (description: string, marks: Marks = {}) =>
  Type.Array(
    Type.String({ format: 'text' }),
    buildSchemaOptions(description, { placeholder: 'TEXT|@FILE|-', ...marks }),
  );

/** JSON or Markdown sections; the handler receives the content and where it came from. */
export const data = (
  marks: Marks = {},
  description = 'A file (@FILE; .md holds sections, everything else JSON), standard input (-), or JSON.',
) =>
  Type.Unsafe<DataInput>(
    Type.String(buildSchemaOptions(description, { format: 'data', placeholder: '@FILE|-|JSON', ...marks })),
  );

/** The properties that commands on a run's documents share. */
export const DOCUMENT_COMMAND = {
  actor: 'agent',
  output: 'document',
  positionals: ['name'],
  inRecipe: true,
} as const;

// Values that have the same meaning in every command.

/** The optional name of a run. */
export const OPTIONAL_NAME = optional(
  word('The run. Default: that of this session, else of this work tree, else the active one.', { format: 'name' }),
);

/** The required name of a run. */
export const REQUIRED_NAME = word('The run: 1 to 64 letters, digits, "-" and "_".', { format: 'name' });

/** The id of an action. */
export const ACTION = word('The id of the action, as `next` names it: a7.', { format: 'action', placeholder: 'ID' });

/** The id of a section of DRAFT.md. */
export const SECTION = word('A section of DRAFT.md, by id.', { format: 'section', placeholder: 'SECTION' });

/** Describes a reason that is given as free text. */
export const reason = (marks: Marks = {}) => freeText('The reason, kept in the record.', marks);

/** The note given with a choice. */
export const NOTE = freeText('The reason given with the choice; some choices require it.', { needs: ['choice'] });

/** Describes a number of seconds to wait. */
export const wait = (marks: Marks = {}, description = 'Wait at most this long for a running external command.') =>
  integer('SECONDS', description, { format: 'seconds', ...marks });

function buildSchemaOptions(description: string, marks: Marks): SchemaOptions {
  return { description, ...marks };
}
