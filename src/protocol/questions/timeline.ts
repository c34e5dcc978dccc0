import { DevCliError } from '../../base/errors.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import { parseCaptured } from '../../run/captured-recipe.js';
import type { HistoryContext } from '../../run/context.js';
import type { RunHead } from '../../run/state.js';
import { BEGINNING, type JournalCursor } from '../../store/store.js';
import { createTimelineBuilder, type Timeline } from '../../views/timeline.js';
import { readRun } from '../find/find-run.js';

/** The timeline of a run, from the readable part of its journal (view.md, One model). */
export interface TimelineNow {
  timeline: Timeline;
  /** The present run of the name, even if the timeline is of an earlier one; null if it cannot be read. */
  head: RunHead | null;
  /** Number of the last entry read, whichever run of the name it belongs to. */
  seq: number;
  /** Why the rest of the journal cannot be read; null if it can. */
  fault: DevCliError | null;
}

/** Reads a run from a journal that may grow. Reads each entry only once. */
export interface TimelineReader {
  /**
   * Reads the entries added since the last call.
   * @returns null if the journal has no such run
   * @throws DevCliError `STATE_NEWER`, `IO`
   */
  read(): Promise<TimelineNow | null>;
  /**
   * Waits until the journal has changed since it was read, or the signal is aborted. @param milliseconds the longest
   * wait
   */
  grown(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/**
 * Opens the timeline of a run; takes no lock and writes nothing.
 * @param wanted the id of the run; by default the newest of the name
 */
export function openTimeline(context: HistoryContext, name: string, wanted?: string): TimelineReader {
  const { store, clock } = context;
  const builder = createTimelineBuilder(wanted);
  /** Digests of captured recipes from the journal, by the id of the run that captured them. */
  const recipes = new Map<unknown, string>();
  let captured: { digest: string; recipe: CapturedRecipe | null } | null = null;
  let at: JournalCursor = BEGINNING;
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

  /**
   * Reads the recipe that the run captured. A run whose recipe equals that of the run before it has no entry for
   * recipe.json; its recipe is then the last one that an earlier run captured.
   */
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

/** Returns null if reading fails: the timeline is then built from the journal's entries alone. */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof DevCliError) return null;
    throw error;
  }
}
