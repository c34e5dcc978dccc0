import { DevCliError } from '../../base/errors.js';
import type { CapturedRecipe } from '../../recipe/resolved.js';
import { parseCaptured } from '../../run/captured-recipe.js';
import type { HistoryContext } from '../../run/context.js';
import type { RunHead } from '../../run/state.js';
import { BEGINNING, type Cursor } from '../../store/store.js';
import { createTimelineBuilder, type Timeline } from '../../views/timeline.js';
import { readRun } from '../find/find-run.js';

/** What a journal says of a run, as far as it can be read (view.md, One model). */
export interface TimelineNow {
  timeline: Timeline;
  /** The name as it is now, whichever of its runs is shown; null where that cannot be read. */
  head: RunHead | null;
  /** The last entry that was taken, of any run of the name. */
  seq: number;
  /** Why the journal cannot be read any further. */
  fault: DevCliError | null;
}

/** Reads a run of a journal that may grow: what was read is not read again. */
export interface TimelineReader {
  /**
   * Reads what has come since.
   * @returns null where the journal has no such run
   * @throws DevCliError `STATE_NEWER`, `IO`
   */
  read(): Promise<TimelineNow | null>;
  /** Waits until the journal has changed since it was read, or something has aborted the signal. @param milliseconds at most */
  grown(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/**
 * Opens the timeline of a run; takes no lock, and writes nothing.
 * @param wanted the id of the run; left out, the newest of the name
 */
export function openTimeline(context: HistoryContext, name: string, wanted?: string): TimelineReader {
  const { store, clock } = context;
  const builder = createTimelineBuilder(wanted);
  /** Digests of the recipe as the journal names them, with the run that captured it. */
  const recipes = new Map<unknown, string>();
  let captured: { digest: string; recipe: CapturedRecipe | null } | null = null;
  let at: Cursor = BEGINNING;
  let size = 0;
  let seq = 0;

  async function scan(): Promise<DevCliError | null> {
    try {
      const { behind, size: read } = await store.scan(name, at, (entry) => {
        builder.take(entry);
        if (entry.more !== true) seq = entry.seq;
        const recipe = entry.files.find(({ path }) => path === RECIPE)?.after;
        if (recipe) recipes.set(entry.data['runId'], recipe);
        return true;
      });
      at = behind;
      size = read;
      return null;
    } catch (error) {
      if (error instanceof DevCliError && error.code === 'JOURNAL_CORRUPT') return error;
      throw error;
    }
  }

  /** The recipe that the run captured: one that it shares with the run before it is in no entry of its own. */
  async function readRecipe(): Promise<CapturedRecipe | null> {
    const own = recipes.get(builder.runId()) ?? [...recipes.values()].at(-1);
    if (own === undefined) return null;
    if (captured?.digest !== own) captured = { digest: own, recipe: await parse(own) };
    return captured.recipe;
  }

  async function parse(digest: string): Promise<CapturedRecipe | null> {
    const content = (await store.contents(name, [digest])).get(digest);
    return content === undefined ? null : orNull((async () => parseCaptured(content.toString('utf8')))());
  }

  let fault: DevCliError | null = null;
  return {
    async read() {
      fault ??= await scan();
      const head = await orNull(readRun(context, name));
      const facts = (path: string) => head?.files.facts(path) ?? ({ kind: 'missing' } as const);
      const timeline = builder.build({ captured: await readRecipe(), now: clock.now(), facts });
      return timeline === null ? null : { timeline, head, seq, fault };
    },
    grown: (milliseconds, signal) => store.grown(name, size, { milliseconds, signal }),
  };
}

const RECIPE = 'recipe.json';

/** What cannot be read is left out of a timeline: the journal says enough. */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}
