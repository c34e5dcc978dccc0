import { formatDuration } from '../../../base/duration.js';
import type { PageRow } from '../wire.js';
import { type AxisSegment, measureSpans, placeInstant, type View } from './axis.js';
import { Sign } from './sign.js';
import { Instant } from './time.js';

/** Maximum number of segments drawn per row: the newest ones. */
const DRAWN = 40;

/** A row in one line: what it is, when it was worked on, and for how long. */
export function RowLine({
  row,
  pieces,
  view,
  now,
}: {
  row: PageRow;
  pieces: readonly AxisSegment[];
  view: View;
  now: number;
}) {
  const { state, id, title, commit, segments } = row;
  const length = segments.length === 0 ? '' : formatDuration(measureSpans(segments, now));
  return (
    <>
      <Sign name={state} />
      <bdi class="id">{id}</bdi>
      <bdi title={title}>{title === id ? '' : title}</bdi>
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
  const share = (at: number) => Math.min(1, Math.max(0, (at - view.from) / view.size));
  return { '--left': `${share(begin) * 100}%`, '--size': `${(share(end) - share(begin)) * 100}%` };
}

/** Labels instants, and the length of folded pieces. */
export function Scale({ pieces, view, now }: { pieces: readonly AxisSegment[]; view: View; now: number }) {
  const parts = pieces.filter(({ at, size }) => at + size > view.from && at < view.from + view.size);
  return parts.map(({ from, to, at, size, isFolded }) => (
    <span class={isFolded ? 'fold' : ''} style={place(view, at, at + size)}>
      {isFolded ? formatDuration(Math.min(to, now) - from) : size / view.size > 0.2 && <Instant at={from} />}
    </span>
  ));
}
