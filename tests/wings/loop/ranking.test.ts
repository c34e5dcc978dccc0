import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findGuardFailures,
  type Measurement,
  rankAlternatives,
  WINNER_REASONS,
} from '../../../src/wings/loop/decisions/ranking.js';

// loop-operations.md, Decisions: which alternative wins, and by which criterion.

const measure = (alternative_id: string, more: Partial<Measurement> = {}): Measurement => ({
  ...{ alternative_id, passed: true, exit_code: 0, duration_ms: 1, changed_files: 1, diff_lines: 1, ref: null },
  ...more,
});

const several = fc.uniqueArray(
  fc.record({
    alternative_id: fc.constantFrom(...'abcdefgh'),
    passed: fc.boolean(),
    exit_code: fc.constantFrom(0, 1, null),
    duration_ms: fc.nat(9),
    changed_files: fc.nat(2),
    diff_lines: fc.nat(2),
    ref: fc.constant(null),
  }),
  { selector: ({ alternative_id: id }) => id, minLength: 2 },
);

describe('a ranking', () => {
  it.each([
    ['passed', measure('b', { diff_lines: 9 }), measure('a', { passed: false })],
    ['diff_lines', measure('b', { diff_lines: 0, changed_files: 9 }), measure('a')],
    ['changed_files', measure('b', { changed_files: 0 }), measure('a')],
    ['alternative_id', measure('B', { duration_ms: 9 }), measure('a')],
  ] as const)('%s decides', (reason, better, worse) => {
    for (const given of [
      [better, worse],
      [worse, better],
    ])
      expect(rankAlternatives(given)).toEqual({ ranked: [better, worse], winner: better, reason });
  });

  it('has no winner where none has passed', () => {
    const [a, b] = [measure('a', { passed: false }), measure('b', { passed: false, diff_lines: 0 })];
    expect(rankAlternatives([a, b])).toEqual({ ranked: [b, a], winner: null, reason: 'no_passing' });
  });

  it('does not depend on the order, loses none, and nothing behind is better', () => {
    fc.assert(
      fc.property(several, fc.infiniteStream(fc.nat()), (measured, chance) => {
        const { ranked, winner, reason } = rankAlternatives(measured);
        const shuffled = measured.map((one) => ({ one, at: chance.next().value })).sort((x, y) => x.at - y.at);
        expect(rankAlternatives(shuffled.map(({ one }) => one))).toEqual({ ranked, winner, reason });
        expect(new Set(ranked)).toEqual(new Set(measured));
        const key = ({ passed, diff_lines, changed_files, alternative_id }: Measurement) =>
          `${passed ? 0 : 1}${diff_lines}${changed_files}${alternative_id}`;
        expect(ranked.map(key)).toEqual(measured.map(key).sort());
        expect(winner).toBe(measured.some(({ passed }) => passed) ? ranked[0] : null);
        if (reason === 'no_passing') return;
        const differs = (by: (typeof WINNER_REASONS)[number]) => ranked[0]?.[by] !== ranked[1]?.[by];
        expect(reason).toBe(WINNER_REASONS.find(differs));
      }),
    );
  });

  it.each([
    [{}, []],
    [{ acceptIfReason: ['passed', 'diff_lines'] }, []],
    [{ acceptIfReason: ['passed'] }, ['winner_reason_code: diff_lines']],
    [{ acceptMaxDiffLines: 5, acceptMaxChangedFiles: 2 }, []],
    [
      { acceptMaxDiffLines: 4, acceptMaxChangedFiles: 1, acceptIfReason: ['passed'] },
      ['winner_reason_code: diff_lines', 'diff_lines: 5, more than 4', 'changed_files: 2, more than 1'],
    ],
  ])('guards: %j', (guards, failures) => {
    const ranking = rankAlternatives([
      measure('a', { diff_lines: 5, changed_files: 2 }),
      measure('b', { diff_lines: 6, changed_files: 2 }),
    ]);
    expect(findGuardFailures(ranking, guards)).toEqual(failures);
    expect(findGuardFailures({ ...ranking, winner: null, reason: 'no_passing' }, guards)).toEqual([
      'no_passing: no alternative has passed',
    ]);
  });
});
