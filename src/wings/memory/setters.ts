import type { Answer } from '../../base/answer.js';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { InputIn } from '../../registry/spec.js';
import { getEntry } from './book.js';
import type { Book } from './book-schema.js';
import { type Judgment, type Memory, type Recorded, recordJudgments, removeBookEntry } from './memory.js';
import { keepPath } from './path.js';
import type { MEMORY_SPECS } from './specs.js';
import { createKeeper, type Keeper } from './text.js';

/** Commands that record a single judgment each (memory.md, Commands). */

type Input<Name> = InputIn<typeof MEMORY_SPECS, Name>;

/** The reason that is stored for a relevant file if the call gives none. */
const STOCK_REASON = 'Part of the work at hand.';

const NO_REASON =
  'Also give the reason (--reason): without it, the next session cannot tell whether the decision still holds.';

/**
 * Records a decision.
 * @throws DevCliError `DATA_MISSING` for a blank text, `UNKNOWN_ENTRY` for an unknown decision; as `recordJudgments`
 */
export function recordDecision(memory: Memory, { text, reason, supersedes }: Input<'memory decide'>): Promise<Answer> {
  const keeper = createKeeper();
  const texts = { text: keeper.keep(text, '--text'), ...omitUndefined({ reason: keeper.keep(reason, '--reason') }) };
  return recordAndAnswer(memory, { keeper, ...(reason === undefined && { advice: NO_REASON }) }, (book) => {
    if (supersedes !== undefined && getEntry(book, 'decision', supersedes) === undefined)
      throw unknownEntry(supersedes, 'decision');
    return { kind: 'decision', entry: { ...texts, ...omitUndefined({ supersedes }) } };
  });
}

/** Records the next action. @throws DevCliError `DATA_MISSING`; as `recordJudgments` */
export function setNext(memory: Memory, { text, doneWhen }: Input<'memory next'>): Promise<Answer> {
  const keeper = createKeeper();
  const entry = {
    text: keeper.keep(text, '--text'),
    ...omitUndefined({ doneWhen: keeper.keep(doneWhen, '--done-when') }),
  };
  return recordAndAnswer(memory, { keeper }, () => ({ kind: 'next', entry }));
}

/** Records a note. @throws DevCliError `DATA_MISSING`; as `recordJudgments` */
export function recordNote(memory: Memory, { kind, text }: Input<'memory note'>): Promise<Answer> {
  const keeper = createKeeper();
  const entry = { kind, text: keeper.keep(text, '--text') };
  return recordAndAnswer(memory, { keeper }, () => ({ kind: 'note', entry }));
}

/**
 * Records a file that matters to the work. @param cwd absolute
 * @throws DevCliError `DATA_MISSING`, `PATH_UNSAFE`; as `recordJudgments`
 */
export function recordRelevantPath(
  memory: Memory,
  { path: given, why = '' }: Input<'memory relevant'>,
  cwd: string,
): Promise<Answer> {
  const keeper = createKeeper();
  const path = keepPath(given, { workTree: memory.context.workTree, cwd });
  const isBlank = why.trim() === '';
  const entry = { path, why: isBlank ? STOCK_REASON : keeper.keep(why, '--why') };
  const advice = isBlank ? { advice: `No reason was given (--why); recorded instead: ${STOCK_REASON}` } : {};
  return recordAndAnswer(memory, { keeper, ...advice }, () => ({ kind: 'relevant', entry }));
}

/** Removes an entry from the book. @throws DevCliError `UNKNOWN_ENTRY`; as `recordJudgments` */
export async function forgetMemoryEntry(memory: Memory, id: string): Promise<Answer> {
  const forgotten = await removeBookEntry(memory, id);
  if (forgotten === null) throw unknownEntry(id, 'entry');
  const { kind, entry } = forgotten;
  const stays = 'ref' in entry ? { advice: `The checkpoint itself stays at ${entry.ref}.` } : {};
  return {
    exit: 0,
    json: { ok: true, stored: 'none', id, entry, ...stays },
    text: () => `Forgotten: ${kind} ${id}.`,
  };
}

/** Builds the answer of a command that has recorded something. @param more additional members of the answer */
export function buildRecordedAnswer({ stored, id, entry, kind }: Recorded, more: object = {}): Answer {
  const done = { added: 'Recorded', replaced: 'Recorded in place of an earlier one', none: 'Unchanged' }[stored];
  return { exit: 0, json: { ok: true, stored, id, entry, ...more }, text: () => `${done}: ${kind} ${id}.` };
}

/** Records one judgment. @throws DevCliError as `recordJudgments` */
export async function recordJudgment(memory: Memory, judge: (book: Book) => Judgment): Promise<Recorded> {
  const [recorded] = await recordJudgments(memory, (book) => [judge(book)]);
  if (recorded === undefined) throw new DevCliError('INTERNAL', 'A judgment was not recorded.');
  return recorded;
}

/**
 * Records one judgment and answers.
 * @param more additional members of the answer
 * @throws DevCliError as `recordJudgments`
 */
export async function recordAndAnswer(
  memory: Memory,
  { keeper, ...more }: { keeper: Keeper; advice?: string; restore?: string },
  judge: (book: Book) => Judgment,
): Promise<Answer> {
  return buildRecordedAnswer(await recordJudgment(memory, judge), { ...keeper.told(), ...more });
}

function unknownEntry(id: string, what: string): DevCliError {
  const target = toBoundedLine(id, 40);
  return new DevCliError('UNKNOWN_ENTRY', `Memory has no ${what} ${JSON.stringify(target)}.`, {
    details: [{ target, problem: `no such ${what}` }],
    fix: 'Use an id that `dev-cli memory show --all` lists.',
  });
}
