import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinSpans, layOutAxis, measureSpans, placeInstant, zoomTo } from '../../../src/wings/page/client/axis.js';
import type { PageSegment } from '../../../src/wings/page/wire.js';

/** The time axis of the page (view-page.md, In the browser). */

const MINUTE = 60_000;

function work(from: number, to: number | null, who: PageSegment['who'] = 'agent'): PageSegment {
  return { from: from * MINUTE, to: to === null ? null : to * MINUTE, who, what: '', ok: true, seq: 1, documents: [] };
}

/** Renders the axis's pieces in minutes, with folded ones in brackets. */
function pieces(segments: PageSegment[], to: number): string {
  return layOutAxis(segments, 0, to * MINUTE)
    .map(({ from, to: end, isFolded }) =>
      isFolded ? `[${from / MINUTE}-${end / MINUTE}]` : `${from / MINUTE}-${end / MINUTE}`,
    )
    .join(' ');
}

describe('the axis', () => {
  it('folds long spans in which nobody works, a gate of nine days too, and no short ones', () => {
    expect(pieces([work(0, 10), work(190, 200)], 200)).toBe('0-10 [10-190] 190-200');
    expect(pieces([work(0, 10), work(10, 9 * 1440, 'you')], 9 * 1440)).toBe('0-10 [10-12960]');
    expect(pieces([work(0, 10), work(11, 20)], 20)).toBe('0-20');
    expect(pieces([work(5, 20)], 20)).toBe('[0-5] 5-20');
    expect(pieces([], 20)).toBe('0-20');
    expect(pieces([work(0, null)], 20)).toBe('0-20');
  });

  it('gives a folded piece the same size whatever it stands for', () => {
    const laid = layOutAxis([work(0, 10), work(190, 200), work(10_000, 10_010)], 0, 10_010 * MINUTE);
    const folded = laid.filter(({ isFolded }) => isFolded);
    expect(folded).toHaveLength(2);
    expect(new Set(folded.map(({ size }) => size)).size).toBe(1);
  });

  it('is whole, in order, and places each instant within itself', () => {
    const segment = fc.tuple(fc.nat(2000), fc.nat(300), fc.constantFrom('agent', 'you', 'commands'));
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 30 }), fc.nat(2500), (given, at) => {
        const segments = given.map(([from, length, who]) => work(from, from + length, who as PageSegment['who']));
        const laid = layOutAxis(segments, 0, 2500 * MINUTE);
        expect(laid.reduce((sum, { size }) => sum + size, 0)).toBeCloseTo(1, 6);
        expect(laid.at(-1)?.to).toBe(2500 * MINUTE);
        const [place, next] = [placeInstant(laid, at * MINUTE), placeInstant(laid, (at + 1) * MINUTE)];
        expect(place).toBeGreaterThanOrEqual(0);
        expect(next).toBeLessThanOrEqual(1.000001);
        expect(next).toBeGreaterThanOrEqual(place);
      }),
    );
  });

  it('counts what overlaps once', () => {
    expect(joinSpans([work(5, 10), work(0, 6), work(20, null)], 30 * MINUTE)).toEqual([
      [0, 10 * MINUTE],
      [20 * MINUTE, 30 * MINUTE],
    ]);
    expect(measureSpans([work(0, 6), work(5, 10)], 0)).toBe(10 * MINUTE);
  });

  it('shows a part around what is in the middle, and never beyond its ends', () => {
    expect(zoomTo(4, 0.5)).toEqual({ from: 0.375, size: 0.25 });
    expect(zoomTo(4, 0)).toEqual({ from: 0, size: 0.25 });
    expect(zoomTo(1, 0.7)).toEqual({ from: 0, size: 1 });
  });
});
