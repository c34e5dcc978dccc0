import { DevCliError } from '../../base/errors.js';
import { sha256 } from '../../base/sha256.js';
import { RUN_LAYOUT } from '../../project/layout.js';
import { requireInside } from '../../project/own-places.js';
import { readRun } from '../../protocol/find/find-run.js';
import { createInMemoryContext } from '../../protocol/memory-context.js';
import { runCodec } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import { createRestoredView } from '../../run/documents/lost.js';
import { getRunDirectory } from '../../run/paths.js';
import type { RunState } from '../../run/state.js';
import { readRegular } from '../../store/inside.js';
import { isReserved, toRootRelative } from '../../store/layout.js';
import { serializeSnapshot } from '../../store/snapshot.js';
import { BEGINNING, type Entry } from '../../store/store.js';
import { readEntryContent } from '../../store/texts.js';

/**
 * A run packed for another machine: its journal and the contents stored beside it, from which the store rebuilds the
 * rest (fleet.md, An attempt).
 */
export interface Freight {
  /** `events.jsonl` up to the end of the last whole commit. */
  journal: Buffer;
  /** Contents that the journal names but does not contain, by SHA-256. */
  objects: ReadonlyMap<string, Buffer>;
  recipeHash: string;
  /** The root on the source machine; absolute paths in the run begin with it. */
  root: string;
}

/** Most bytes of a freight, and of all the contents unpacked from it. */
const LARGEST = 64 * 1024 * 1024;
const LARGEST_UNFOLDED = 4 * LARGEST;

/**
 * Packs a run that nobody is working on.
 * @throws DevCliError `NO_SUCH_RUN`, `CONTENT_MISSING`, `JOURNAL_CORRUPT` if it is too large or damaged; `STATE_*`,
 * `IO`
 */
export async function packRun(context: Context, run: string): Promise<Freight> {
  const { snapshot } = await readRun(context, run);
  const contents = collectContents();
  const { behind } = await context.store.scan(run, BEGINNING, (entry) => {
    contents.take(entry);
    return true;
  });
  const journal = readJournal(context, run)?.subarray(0, behind.offset);
  const wanted = contents.lacking();
  const objects = await context.store.contents(run, wanted);
  if (wanted.some((digest) => !objects.has(digest))) throw contentError(run);
  const freight = { journal: journal ?? Buffer.alloc(0), objects, recipeHash: snapshot.recipeHash, root: context.root };
  if (journal === undefined || weigh(freight) > LARGEST) throw refuse(run, 'it is larger than 64 MiB');
  return freight;
}

/** Reads the local journal of a run; null if there is none, or it is larger than a freight. @throws DevCliError `IO` */
export function readJournal({ root }: Pick<Context, 'root'>, run: string): Buffer | null {
  const path = `${getRunDirectory(run)}/${RUN_LAYOUT.names.journal}`;
  requireInside(root, path);
  return readRegular(`${root}/${path}`, LARGEST);
}

/** What `inspectFreight` returns. */
export interface Inspected {
  snapshot: RunState;
  /** The content of `state.json`. */
  text: string;
  /** The content of `recipe.json`. */
  recipe: string;
}

/**
 * Checks a freight, which anybody may have changed. Writes nothing.
 * @param run the name that the run is to have
 * @throws DevCliError `JOURNAL_CORRUPT`, `STATE_CORRUPT`, `CONTENT_MISSING` if it is not as a run leaves it;
 * `STATE_NEWER`
 */
export async function inspectFreight(context: Context, run: string, freight: Freight): Promise<Inspected> {
  if (weigh(freight) > LARGEST) throw refuse(run, 'it is larger than 64 MiB');
  const { root, library, signal } = context;
  const { context: inMemory, memory, store } = createInMemoryContext({ root, library, signal });
  memory.journals.set(run, freight.journal);
  const runs = new Set<unknown>();
  const contents = collectContents();
  let fault: string | null = null;
  const { torn } = await store.scan(run, BEGINNING, (entry) => {
    runs.add(entry.data['runId']);
    fault ??= contents.take(entry) ?? findUnsafe(run, entry);
    return fault === null;
  });
  if (fault !== null) throw refuse(run, fault);
  if (torn) throw refuse(run, 'the end of its journal is torn');
  const wanted = new Set(contents.lacking());
  for (const [digest, content] of freight.objects) {
    if (!wanted.delete(digest) || sha256(content) !== digest) throw contentError(run);
    memory.objects.set(digest, content);
  }
  if (wanted.size > 0) throw contentError(run);
  const { snapshot, files } = await createRestoredView(inMemory).store.read(run);
  if (snapshot === null) throw refuse(run, 'it is empty');
  if (runs.size !== 1 || snapshot.recipeHash !== freight.recipeHash)
    throw refuse(run, 'its parts are from different runs');
  return {
    snapshot,
    text: serializeSnapshot(snapshot, runCodec),
    recipe: files.read('recipe.json')?.toString('utf8') ?? '',
  };
}

/** Collects the contents that entries name and those that they contain. `take` returns what is wrong with an entry. */
function collectContents() {
  const [named, held] = [new Set<string>(), new Set<string>()];
  let unfolded = 0;
  return {
    take(entry: Entry): string | null {
      for (const { after } of entry.files) if (after !== null) named.add(after);
      for (const digest of Object.keys(entry.texts ?? {})) {
        const content = readEntryContent(entry, digest);
        if (content === null) return `in entry ${entry.seq}, a content does not match its digest`;
        held.add(digest);
        unfolded += content.length;
      }
      return unfolded > LARGEST_UNFOLDED ? 'its unpacked contents are larger than 256 MiB' : null;
    },
    lacking: (): string[] => [...named].filter((digest) => !held.has(digest)),
  };
}

/**
 * Returns a problem if an entry names a path that no document may have: outside the project, git's, or the store's own.
 */
function findUnsafe(run: string, { seq, files, rendered = [] }: Entry): string | null {
  for (const path of [...files.map((file) => file.path), ...rendered]) {
    const relative = toRootRelative(RUN_LAYOUT, run, path);
    if (relative === null || isReserved(RUN_LAYOUT, run, relative))
      return `entry ${seq} names ${JSON.stringify(path.slice(0, 80))}, a path that no document may have`;
  }
  return null;
}

const weigh = ({ journal, objects }: Freight): number =>
  [...objects.values()].reduce((sum, { length }) => sum + length, journal.length);

/** Returns the error for a freight that is not as a run leaves it. */
function refuse(run: string, problem: string, code: 'JOURNAL_CORRUPT' | 'CONTENT_MISSING' = 'JOURNAL_CORRUPT') {
  return new DevCliError(code, `The run "${run}" cannot be moved: ${problem}. Nothing was written.`, {
    details: [{ target: run, problem }],
    fix: 'Tell the user: the goal needs a new attempt, and somebody may have changed what the fleet stored of this one.',
  });
}

const contentError = (run: string): DevCliError =>
  refuse(run, 'a content that its journal names is missing, or does not match its digest', 'CONTENT_MISSING');
