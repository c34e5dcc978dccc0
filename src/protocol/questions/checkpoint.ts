import { DevCliError } from '../../base/errors.js';
import { noSuchRunError } from '../../base/name.js';
import type { HistoryContext } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import type { Checkpoint } from '../../store/store.js';

/** The warning about a journal whose end is torn; commands that only read the journal continue despite it. */
export const TORN_WARNING = 'the last line of events.jsonl is torn: that write never took effect';

/**
 * Rebuilds a run as it was after the commit that contains entry `seq` of its journal (storage.md, History).
 * @throws DevCliError `NO_SUCH_RUN`, `UNKNOWN_ENTRY`, `JOURNAL_CORRUPT` if the journal is damaged or was written for a
 * run of another name, and any error of the store
 */
export async function readCheckpoint(
  context: HistoryContext,
  name: string,
  seq: number,
): Promise<Checkpoint<RunState>> {
  const checkpoint = await context.store.rewind(name, seq);
  if (checkpoint === null) throw await unknownEntryError(context, name, seq);
  if (checkpoint.snapshot.name === name) return checkpoint;
  const problem = `it is the journal of "${checkpoint.snapshot.name}"`;
  throw new DevCliError('JOURNAL_CORRUPT', `.dev/specs/${name}/events.jsonl: ${problem}. Nothing was changed.`, {
    details: [{ target: `.dev/specs/${name}/events.jsonl`, problem }],
    fix: 'Show this to the user: the journal must be restored from a copy.',
  });
}

async function unknownEntryError(context: HistoryContext, name: string, seq: number): Promise<DevCliError> {
  const { seq: last } = await context.store.read(name);
  if (last === 0) return noSuchRunError(name);
  return new DevCliError('UNKNOWN_ENTRY', `The journal of "${name}" has no entry ${seq}: it has 1 to ${last}.`, {
    run: name,
    fix: { command: 'history', input: { name, all: true } },
  });
}
