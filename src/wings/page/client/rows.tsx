import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { PageRow, RunPage } from '../wire.js';
import { type AxisSegment, layOutAxis, placeInstant, zoomTo } from './axis.js';
import { RowLine, Scale } from './bars.js';
import { Details } from './details.js';
import type { Source } from './source.js';
import { useGap, useMedia, useWindow } from './window.js';

interface Props {
  page: RunPage;
  source: Source;
  /** The rows that match the search. */
  found: readonly PageRow[];
  /** The time by the run's clock. */
  now: number;
  zoom: number;
  chosen: { id: string | null; isOpen: boolean };
  /** The index of the chosen row in `found`, or -1. */
  index: number;
  choose: (id: string) => void;
}

/** Height in pixels of the sticky line above the rows. */
const HEAD = 90;

/** The rows with their time. Only the visible part of the list is in the document. */
export function Rows({ page, source, found, now, zoom, chosen, index, choose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const aside = useRef<HTMLElement>(null);
  const [isNarrow, isPrinted] = [useMedia('(max-width: 899px)'), useMedia('print')];
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
    // After a long jump, scrolls further, so that the rows around the chosen one are visible, too.
    const top = Math.abs(over) > 4 * height ? over + (Math.sign(over) * innerHeight) / 3 : over;
    if (top !== 0) scrollBy({ top, behavior: 'instant' });
  }, [chosen.id, index < 0]);
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
            <RowLine row={one} pieces={pieces} view={view} now={now} />
          </div>
        ))}
      </div>
      {row && (
        <aside
          ref={aside}
          tabIndex={-1}
          aria-label={`Details of ${row.id}`}
          style={{ '--y': `${(index + 1) * height}px` }}
        >
          <Details key={row.id} {...{ row, page, source, now, choose }} />
        </aside>
      )}
    </section>
  );
}

/**
 * Lays out the axis, and does so again when the rows change or the time passes the axis's end. A live run's axis has
 * room for the near future.
 */
function useAxis({ rows, clock }: RunPage, now: number): AxisSegment[] {
  const end = useRef(0);
  if (!clock.isRunning) end.current = clock.to;
  else if (now > end.current) end.current = now + Math.max(2000, (now - clock.from) / 50);
  return useMemo(() => {
    const segments = rows.flatMap((row) => row.segments);
    return layOutAxis(segments, clock.from, end.current);
  }, [rows, end.current, clock.from]);
}

function findMiddle(pieces: readonly AxisSegment[], row: PageRow | undefined, now: number): number {
  const [first, last] = [row?.segments[0], row?.segments.at(-1)];
  if (first === undefined || last === undefined) return placeInstant(pieces, now);
  return (placeInstant(pieces, first.from) + placeInstant(pieces, last.to ?? now)) / 2;
}
