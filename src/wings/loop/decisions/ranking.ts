/** Finds the best alternative of a decision, by measurements alone (loop-operations.md, Decisions). Pure. */

/** The measurements of an alternative. */
export interface Measurement {
  alternative_id: string;
  /** Whether the shell line that tests the alternative exited with 0. */
  passed: boolean;
  /** The exit code of the alternative's shell line; null if it did not end by itself. */
  exit_code: number | null;
  duration_ms: number;
  /** Counted from the kept commit of the alternative. */
  changed_files: number;
  diff_lines: number;
  ref: string | null;
}

/** The criteria of the comparison, in this order; less is better, except for `passed`. */
export const WINNER_REASONS = ['passed', 'diff_lines', 'changed_files', 'alternative_id'] as const;

export interface Ranking {
  /** The best first. */
  ranked: readonly Measurement[];
  winner: Measurement | null;
  /** The criterion that separates the best alternative from the second-best. */
  reason: (typeof WINNER_REASONS)[number] | 'no_passing';
}

/** Ranks two or more alternatives, regardless of the order in which they are given. */
export function rankAlternatives(measured: readonly Measurement[]): Ranking {
  const ranked = [...measured].sort((one, other) => {
    const by = findDifference(one, other);
    return one[by] < other[by] === (by !== 'passed') ? -1 : 1;
  });
  const [first, second] = ranked;
  if (first === undefined || second === undefined || !first.passed)
    return { ranked, winner: null, reason: 'no_passing' };
  return { ranked, winner: first, reason: findDifference(first, second) };
}

const findDifference = (one: Measurement, other: Measurement) =>
  WINNER_REASONS.find((by) => one[by] !== other[by]) ?? 'alternative_id';

/** Conditions on a winner before its ticket is accepted. */
export interface AcceptanceGuards {
  acceptIfReason?: readonly string[] | undefined;
  acceptMaxDiffLines?: number | undefined;
  acceptMaxChangedFiles?: number | undefined;
}

/** Lists the guards that fail. */
export function findGuardFailures({ winner, reason }: Ranking, guards: AcceptanceGuards): string[] {
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
