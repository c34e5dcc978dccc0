import { type Static, type TProperties, Type } from '@sinclair/typebox';
import type { Caller } from '../../base/caller.js';
import type { Frozen } from '../../base/json.js';
import { enumSchema, NullableString } from '../../base/schema.js';

/**
 * The schema of the book of memory: judgments recorded by explicit calls (memory.md, Where). Unknown keys are
 * preserved.
 */

const text = (description: string) => Type.String({ description });
const given = (description: string) => Type.Optional(text(description));

/**
 * Builds the schema for the entries of one kind: an object keyed by id. It is not a list, because dropping the oldest
 * item of a list would move all others, so that every patch in the journal would contain them.
 */
function entriesOf<P extends TProperties>(properties: P, description: string) {
  const entry = Type.Object({
    at: text('UTC with milliseconds.'),
    by: Type.Unsafe<Caller>({ type: 'object', description: 'Who made the call.' }),
    branch: Type.Unsafe<string | null>({ ...NullableString, description: 'Null without a branch, as when detached.' }),
    head: Type.Unsafe<string | null>({ ...NullableString, description: 'The commit of HEAD; null without one.' }),
    ...properties,
  });
  return Type.Record(Type.String(), entry, { description });
}

const content = Type.Unsafe<string | null>({
  ...NullableString,
  description: 'The tree id of all that git does not ignore (memory.md, Truth); null if unknown.',
});

export const BookSchema = Type.Object(
  {
    schemaVersion: Type.Integer({ minimum: 1 }),
    seq: Type.Integer({ minimum: 0 }),
    decision: entriesOf(
      {
        text: text('What was chosen.'),
        reason: given('Why.'),
        supersedes: given('The id of the decision it replaces.'),
      },
      'What was decided. The newest is the aim.',
    ),
    verification: entriesOf(
      {
        command: text('The command line, as it is shown.'),
        result: text('The result.'),
        outcome: enumSchema('passed', 'failed', 'unknown'),
        how: Type.Unsafe<'ran' | 'told'>({
          ...enumSchema('ran', 'told'),
          description: 'Run by dev-cli, which is proof; or a claim.',
        }),
        content,
        exit: Type.Optional(Type.Integer({ description: 'The exit code.' })),
        argv: Type.Optional(Type.Array(Type.String(), { description: 'Left out if the command contains a secret.' })),
        cwd: given('Where it ran, relative to the work tree, with `/`.'),
        place: given('A digest of the location of the book: a copy repeats nothing.'),
      },
      'What was checked.',
    ),
    relevant: entriesOf(
      { path: text('Relative to the work tree, with `/`.'), why: text('Why it matters.') },
      'Files to read.',
    ),
    note: entriesOf({ kind: enumSchema('tried', 'blocked', 'risk'), text: text('The note.') }, 'What blocks the work.'),
    next: entriesOf({ text: text('What to do.'), doneWhen: given('How to tell.') }, 'The next action: one.'),
    checkpoint: entriesOf(
      { message: text('What it is.'), ref: text('The full name of the reference.'), content },
      'States of the work tree that were kept.',
    ),
    handoff: entriesOf(
      {
        summary: given('What the session did.'),
        status: enumSchema('complete', 'failed', 'blocked'),
        reason: given('Why.'),
        file: given('The file that was written, relative to the work tree.'),
        switchedTo: given('What the work has switched to.'),
      },
      'Handoffs that were written.',
    ),
  },
  { description: 'The book of memory, `.dev/memory/book/state.json`.' },
);

type Snapshot = Frozen<Static<typeof BookSchema>>;

/** The name of a kind of entry. */
export type EntryKind = Exclude<keyof Snapshot, 'schemaVersion' | 'seq'>;

/** For each kind, the type of a stored entry. */
export type Entries = { readonly [K in EntryKind]: Snapshot[K][string] };

/** The stored entries, by kind and id. */
export type Groups = { readonly [K in EntryKind]: Readonly<Record<string, Entries[K]>> };

/** The stored judgments. A book is never modified in place. */
export type Book = Groups & Pick<Snapshot, 'schemaVersion' | 'seq'>;
