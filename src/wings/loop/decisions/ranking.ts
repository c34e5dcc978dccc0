/** Which alternative of a decision is the best, by figures alone (loop-operations.md, Decisions). Pure. */

/** An alternative as it was measured. */
export interface Measured {
  alternative_id: string;
  /** Its line exited with 0. */
  passed: boolean;
  /** Null where the line had no end of its own. */
  exit_code: number | null;
  duration_ms: number;
  /** Of what was kept. */
  changed_files: number;
  diff_lines: number;
  ref: string | null;
}

/** By what two are compared, in this order; less is better, but for `passed`. */
export const WINNER_REASONS = ['passed', 'diff_lines', 'changed_files', 'alternative_id'] as const;

export interface Ranking {
  /** The best first. */
  ranked: readonly Measured[];
  winner: Measured | null;
  /** What tells the first from the second. */
  reason: (typeof WINNER_REASONS)[number] | 'no_passing';
}

/** Ranks alternatives, two or more, whatever the order they come in. */
export function rank(measured: readonly Measured[]): Ranking {
  const ranked = [...measured].sort((one, other) => {
    const by = findDifference(one, other);
    return one[by] < other[by] === (by !== 'passed') ? -1 : 1;
  });
  const [first, second] = ranked;
  if (first === undefined || second === undefined || !first.passed)
    return { ranked, winner: null, reason: 'no_passing' };
  return { ranked, winner: first, reason: findDifference(first, second) };
}

const findDifference = (one: Measured, other: Measured) =>
  WINNER_REASONS.find((by) => one[by] !== other[by]) ?? 'alternative_id';

/** What has to hold of a winner before its ticket is accepted. */
export interface Guards {
  acceptIfReason?: readonly string[] | undefined;
  acceptMaxDiffLines?: number | undefined;
  acceptMaxChangedFiles?: number | undefined;
}

/** Says which guards do not hold. */
export function findGuardFailures({ winner, reason }: Ranking, guards: Guards): string[] {
  if (winner === null) return ['no_passing: no alternative has passed'];
  const { acceptIfReason: reasons = [reason], acceptMaxDiffLines: lines, acceptMaxChangedFiles: files } = guards;
  const over = (key: 'diff_lines' | 'changed_files', most = Number.POSITIVE_INFINITY): string[] =>
    winner[key] > most ? [`${key}: ${winner[key]}, more than ${most}`] : [];
  return [
    ...(reasons.includes(reason) ? [] : [`winner_reason_code: ${reason}`]),
    ...over('diff_lines', lines),
    ...over('changed_files', files),
  ];
}
