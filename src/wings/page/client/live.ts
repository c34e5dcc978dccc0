import { useEffect, useState } from 'preact/hooks';
import { SIGNS } from '../../../views/signs.js';
import type { RunChange, RunPage } from '../wire.js';
import { type LoadError, type Source, toFailure, UNREACHABLE } from './source.js';

/** The last known state of a run and, if it is no longer updated, the reason. */
export interface Live {
  page: RunPage | null;
  /** Set if the server cannot be reached or wants a new session; `page` keeps the last known state. */
  trouble: LoadError | null;
  /** When the server last sent `clock`, in milliseconds by the browser's clock. */
  heardAt: number;
  /** The latest change, in words. */
  news: string;
}

const NOTHING: Live = { page: null, trouble: null, heardAt: 0, news: '' };

/** Loads a run and follows it; a new value of `again` reloads it. */
export function useRun(source: Source, name: string, runId: string | undefined, again: number): Live {
  const [live, setLive] = useState(NOTHING);
  useEffect(() => {
    const stop = new AbortController();
    setLive((last) => (last.page?.name === name && again > 0 ? last : NOTHING));
    const read = () => source.run(name, runId);
    void follow(source, read, (change) => stop.signal.aborted || setLive(change), stop.signal);
    return () => stop.abort();
  }, [source, name, runId, again]);
  return live;
}

/** Milliseconds to wait before connecting again: `SOON` at first, doubled after each failure up to `LATE`. */
const SOON = 500;
const LATE = 8000;

/**
 * Listens to the server and reconnects whenever the connection ends. Gives up at any error except `UNREACHABLE`.
 * @param listen listens until its stream ends; calls `heard` to reset the delay
 * @param tell called with each error that ends a connection
 */
export async function keepListening(
  listen: (heard: () => void) => Promise<void>,
  tell: (trouble: LoadError) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let pause = SOON; !signal.aborted; pause = Math.min(pause * 2, LATE)) {
    try {
      await listen(() => {
        pause = SOON;
      });
    } catch (error) {
      const trouble = toFailure(error);
      if (!signal.aborted) tell(trouble);
      if (trouble.code !== UNREACHABLE) return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function follow(
  source: Source,
  read: () => Promise<RunPage>,
  set: (change: (live: Live) => Live) => void,
  signal: AbortSignal,
): Promise<void> {
  let page: RunPage | null = null;
  const listen = async (isHeard: () => void): Promise<void> => {
    const known: RunPage = page ?? (await read());
    page = known;
    set((live) => ({ ...live, page: known, heardAt: Date.now() }));
    await source.follow?.(
      known,
      (change) => {
        const before = page ?? known;
        const after = change === null ? before : mergeChange(before, change);
        page = after;
        if (change !== null) isHeard();
        set(({ heardAt }) => {
          // The page advances the run's clock itself, from `heardAt` until the server sends the clock again.
          const told = change?.page.clock === undefined ? heardAt : Date.now();
          return { page: after, trouble: null, heardAt: told, news: tellChange(before, after) };
        });
      },
      signal,
    );
  };
  const tell = (trouble: LoadError) => set((live) => ({ ...live, trouble }));
  return source.follow === null ? listen(() => {}) : keepListening(listen, tell, signal);
}

/** Merges a change into the page; a changed row replaces the whole old one. */
function mergeChange(page: RunPage, { seq, page: members, rows, order }: RunChange): RunPage {
  const known = new Map([...page.rows, ...rows].map((row) => [row.id, row]));
  const ids = order ?? [...known.keys()];
  return { ...page, ...members, seq, rows: ids.flatMap((id) => known.get(id) ?? []) };
}

function tellChange(before: RunPage, { decision, clock, status, rows }: RunPage): string {
  if (decision?.actionId !== before.decision?.actionId)
    return decision ? `Waits for you: ${decision.title}` : 'The question has been answered.';
  if (before.clock.isRunning && !clock.isRunning) return `The run has ended: ${status}`;
  const states = new Map(before.rows.map(({ id, state }) => [id, state]));
  const changed = rows.filter(({ id, state }) => states.get(id) !== state);
  return changed.length > 3
    ? `${changed.length} rows have changed`
    : changed.map(({ id, state }) => `${id}: ${SIGNS[state].word}`).join(', ');
}
