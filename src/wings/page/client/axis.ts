import type { PageSegment } from '../wire.js';

/** A span of the run's clock. `at` and `size` are its position and length on the axis, as fractions of the axis. */
export interface AxisSegment {
  from: number;
  to: number;
  /** Whether no agent and no command works in this span; such a span is drawn with a fixed size. */
  isFolded: boolean;
  at: number;
  size: number;
}

/** Each folded span takes `FOLD` of the axis (6 %); at most `FOLDS` spans are folded, the longest ones. */
const FOLD = 0.06;
const FOLDS = 8;

/** A gap is folded if it is longer than `SHORT` (a minute) and longer than `SMALL` (8 %) of the run's working time. */
const SHORT = 60_000;
const SMALL = 0.08;

/** Merges overlapping spans of time, in milliseconds. */
export function joinSpans(segments: readonly Pick<PageSegment, 'from' | 'to'>[], now: number): [number, number][] {
  const joined: [number, number][] = [];
  for (const { from, to } of segments.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to ?? now);
    else joined.push([from, Math.max(from, to ?? now)]);
  }
  return joined;
}

/** Sums up the time that segments cover, counting overlaps once, in milliseconds. */
export function measureSpans(segments: readonly Pick<PageSegment, 'from' | 'to'>[], now: number): number {
  return joinSpans(segments, now).reduce((sum, [from, to]) => sum + to - from, 0);
}

/**
 * Lays out the axis of a run: time advances evenly, except in long spans in which neither an agent nor a command works;
 * these are folded.
 * @param segments of all rows
 */
export function layOutAxis(segments: readonly PageSegment[], from: number, to: number): AxisSegment[] {
  const busy = joinSpans(
    segments.filter(({ who }) => who !== 'you'),
    to,
  );
  const work = busy.reduce((sum, [begin, end]) => sum + end - begin, 0);
  const gaps: [number, number][] = [];
  let before = from;
  for (const [begin, end] of [...busy, [to, to] as const]) {
    if (begin - before > Math.max(SHORT, work * SMALL)) gaps.push([before, begin]);
    before = Math.max(before, end);
  }
  const longest = gaps.toSorted((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, work > 0 ? FOLDS : 0);
  const folded = gaps.filter((gap) => longest.includes(gap));
  const rest = Math.max(1, to - from - folded.reduce((sum, [begin, end]) => sum + end - begin, 0));
  const pieces: AxisSegment[] = [];
  let at = 0;
  const add = (begin: number, end: number, isFolded: boolean): void => {
    const size = isFolded ? FOLD : ((end - begin) / rest) * (1 - folded.length * FOLD);
    if (end > begin) pieces.push({ from: begin, to: end, isFolded, at, size });
    at += end > begin ? size : 0;
  };
  before = from;
  for (const [begin, end] of folded) {
    add(before, begin, false);
    add(begin, end, true);
    before = end;
  }
  add(before, to, false);
  return pieces;
}

/** Returns the place of an instant on the axis, from 0 to 1. */
export function placeInstant(pieces: readonly AxisSegment[], instant: number): number {
  const piece = pieces.find(({ to }) => instant <= to) ?? pieces.at(-1);
  if (piece === undefined) return 0;
  return piece.at + piece.size * Math.min(1, Math.max(0, (instant - piece.from) / (piece.to - piece.from)));
}

/** The visible part of the axis. */
export interface View {
  from: number;
  size: number;
}

/** Returns the part that is visible when the axis is `zoom` times as long, centred on `middle`. */
export function zoomTo(zoom: number, middle: number): View {
  const size = 1 / zoom;
  return { from: Math.min(1 - size, Math.max(0, middle - size / 2)), size };
}
