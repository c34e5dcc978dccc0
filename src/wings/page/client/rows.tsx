import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatDuration } from '../../../base/duration.js';
import type { PageRow, RunPage } from '../wire.js';
import { layOutAxis, measureSpans, type Piece, placeInstant, type View, zoomTo } from './axis.js';
import { Details } from './details.js';
import { Sign } from './sign.js';
import type { Source } from './source.js';
import { Instant } from './time.js';

interface Props {
  page: RunPage;
  source: Source;
  /** The rows that are shown. */
  found: readonly PageRow[];
  /** By the run's clock. */
  now: number;
  zoom: number;
  chosen: { id: string | null; isOpen: boolean };
  /** Where the chosen one stands in `found`, or -1. */
  index: number;
  choose: (id: string) => void;
}

/** Rows outside of the window that are there all the same, and segments of a row that are drawn. */
const AROUND = 6;
const DRAWN = 40;
/** Pixels of the sticky line above the rows. */
const HEAD = 90;

const narrow = matchMedia('(max-width: 899px)');
const print = matchMedia('print');

/** Rows with their time: one list, of which only what can be seen is in the document. */
export function Rows({ page, source, found, now, zoom, chosen, index, choose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const aside = useRef<HTMLElement>(null);
  const [isNarrow, isPrinted] = [useMedia(narrow), useMedia(print)];
  const height = isNarrow ? 46 : 28;
  const row = chosen.isOpen ? page.rows.find(({ id }) => id === chosen.id) : undefined;
  const gap = useGap(aside, isNarrow && row !== undefined && index >= 0);
  const seen = useWindow(list, height, gap);
  const [first, last] = isPrinted ? [0, found.length] : seen;
  const pieces = useAxis(page, now);
  const view = useMemo(() => zoomTo(zoom, findMiddle(pieces, found[index], now)), [zoom, pieces, found, index]);
  useLayoutEffect(() => {
    if (list.current === null || index < 0) return;
    const y = list.current.getBoundingClientRect().top + index * height;
    const over = Math.min(0, y - HEAD) + Math.max(0, y + height - innerHeight);
    // From afar, with what is around it.
    const top = Math.abs(over) > 4 * height ? over + (Math.sign(over) * innerHeight) / 3 : over;
    if (top !== 0) scrollBy({ top, behavior: 'instant' });
  }, [index, chosen.id]);
  const shown = found.slice(first, last).map((one, at) => [one, first + at] as const);
  const here = found[index];
  if (here !== undefined && (index < first || index >= last)) shown.push([here, index]);
  const push = (at: number) => (index >= 0 && at > index ? gap : 0);
  return (
    <section class="work" aria-label="Rows">
      <div class="scale" aria-hidden="true">
        <div class="marks">
          <Scale pieces={pieces} view={view} now={now} />
        </div>
      </div>
      <div
        ref={list}
        class="list"
        role="listbox"
        tabIndex={0}
        aria-label="Rows with their time"
        aria-activedescendant={here && `row-${here.id}`}
        style={{ '--row': `${height}px`, '--height': `${found.length * height + gap}px` }}
      >
        {shown.map(([one, at]) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the list box has the focus
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the whole page
          <div
            key={one.id}
            id={`row-${one.id}`}
            class="row"
            role="option"
            aria-selected={at === index}
            aria-setsize={found.length}
            aria-posinset={at + 1}
            style={{ '--top': `${at * height + push(at)}px` }}
            onClick={() => choose(one.id)}
          >
            <Line row={one} pieces={pieces} view={view} now={now} />
          </div>
        ))}
      </div>
      {row && (
        <aside ref={aside} aria-label={`Details of ${row.id}`} style={{ '--y': `${(index + 1) * height}px` }}>
          <Details key={row.id} {...{ row, page, source, now, choose }} />
        </aside>
      )}
    </section>
  );
}

function Line({ row, pieces, view, now }: { row: PageRow; pieces: readonly Piece[]; view: View; now: number }) {
  const { state, id, title, kind, commit, segments } = row;
  const length = segments.length === 0 ? '' : formatDuration(measureSpans(segments, now));
  return (
    <>
      <Sign name={state} />
      <bdi class="id">{id}</bdi>
      <bdi class={`title ${kind}`} title={title}>
        {title === id ? '' : title}
      </bdi>
      <span class="bars" aria-hidden="true">
        {pieces.map(({ at, size, isFolded }) => isFolded && <i class="fold" style={place(view, at, at + size)} />)}
        {segments.slice(-DRAWN).map(({ from, to, who, ok }) => {
          const [begin, end] = [placeInstant(pieces, from), placeInstant(pieces, to ?? now)];
          if (end < view.from || begin > view.from + view.size) return null;
          return <i class={ok === false ? 'bad' : who} style={place(view, begin, end)} />;
        })}
      </span>
      <span class="length">{length}</span>
      <code>{commit?.slice(0, 7)}</code>
    </>
  );
}

function place(view: View, begin: number, end: number) {
  const share = (at: number) => Math.min(1.01, Math.max(-0.01, (at - view.from) / view.size));
  return { '--left': `${share(begin) * 100}%`, '--size': `${(share(end) - share(begin)) * 100}%` };
}

/** Names instants, and how long the folded pieces are. */
function Scale({ pieces, view, now }: { pieces: readonly Piece[]; view: View; now: number }) {
  const parts = pieces.filter(({ at, size }) => at + size > view.from && at < view.from + view.size);
  return parts.map(({ from, to, at, size, isFolded }) => (
    <span class={isFolded ? 'fold' : ''} style={place(view, at, at + size)}>
      {isFolded ? formatDuration(Math.min(to, now) - from) : size / view.size > 0.2 && <Instant at={from} />}
    </span>
  ));
}

/** The axis, laid out anew when the run has changed or outlasted it; a live one has room for what comes. */
function useAxis({ rows, clock }: RunPage, now: number): Piece[] {
  const end = useRef(0);
  if (!clock.isRunning) end.current = clock.to;
  else if (now > end.current) end.current = now + Math.max(2000, (now - clock.from) / 50);
  return useMemo(() => {
    const segments = rows.flatMap((row) => row.segments);
    return layOutAxis(segments, clock.from, end.current);
  }, [rows, end.current, clock.from]);
}

function findMiddle(pieces: readonly Piece[], row: PageRow | undefined, now: number): number {
  const [first, last] = [row?.segments[0], row?.segments.at(-1)];
  if (first === undefined || last === undefined) return placeInstant(pieces, now);
  return (placeInstant(pieces, first.from) + placeInstant(pieces, last.to ?? now)) / 2;
}

function useMedia(media: MediaQueryList): boolean {
  const [matches, setMatches] = useState(media.matches);
  useEffect(() => {
    const look = () => setMatches(media.matches);
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, [media]);
  return matches;
}

/** Which rows the window shows, as the page is scrolled. */
function useWindow(list: { current: HTMLElement | null }, height: number, gap: number): readonly [number, number] {
  const [seen, setSeen] = useState<readonly [number, number]>([0, 60]);
  useLayoutEffect(() => {
    const look = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor((-top - gap) / height) - AROUND);
      const last = Math.max(0, Math.ceil((innerHeight - top) / height)) + AROUND;
      setSeen((now) => (now[0] === first && now[1] === last ? now : [first, last]));
    };
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [height, gap]);
  return seen;
}

/** How much room the details take below their row, in pixels. */
function useGap(aside: { current: HTMLElement | null }, isUnder: boolean): number {
  const [gap, setGap] = useState(0);
  useLayoutEffect(() => {
    if (!isUnder || aside.current === null) return setGap(0);
    const watcher = new ResizeObserver(([entry]) =>
      setGap(entry?.target instanceof HTMLElement ? entry.target.offsetHeight : 0),
    );
    watcher.observe(aside.current);
    return () => watcher.disconnect();
  });
  return isUnder ? gap : 0;
}
