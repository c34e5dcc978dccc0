import { formatDuration } from '../base/duration.js';
import type { CommandFormatter, Invocation } from '../base/invocation.js';
import type { RunState } from '../run/state.js';

/** A run as `list` shows it; instants are UTC. */
export type RunListRow = Record<(typeof COLUMNS)[number][0], string>;

const COLUMNS = [
  ['name', 'NAME'],
  ['skill', 'SKILL'],
  ['recipe', 'RECIPE'],
  ['state', 'STATE'],
  ['where', 'WHERE'],
  ['waitsFor', 'WAITS FOR'],
  ['updated', 'UPDATED'],
] as const;

/** Builds the row of a run. */
export function buildRow(state: RunState): RunListRow {
  return {
    name: state.name,
    skill: state.skill,
    recipe: state.recipe,
    state: state.status,
    where: state.currentBlock ?? '',
    waitsFor: state.status === 'live' ? state.phase : '',
    updated: state.updatedAt,
  };
}

/** The content of `list`. */
export interface RunList {
  runs: readonly RunListRow[];
  /** The active run, which gets a mark. */
  active: string | null;
}

/** The options for rendering a list of runs. */
export interface ListOptions extends Pick<RunList, 'active'> {
  /** The current time in milliseconds. */
  now: number;
  /** The command to suggest if there are no runs. */
  first: Invocation;
}

/** Renders the runs of a root as a table, for a person. */
export function renderList(
  rows: readonly RunListRow[],
  { active, now, first }: ListOptions,
  format: CommandFormatter,
): string {
  if (rows.length === 0) return `No runs yet. Start one: ${format(first)}`;
  const shown = rows.map((row) => ({
    ...row,
    name: row.name === active ? `${row.name} *` : row.name,
    updated: row.updated === '' ? '' : `${formatDuration(now - Date.parse(row.updated))} ago`,
  }));
  const lines = [Object.fromEntries(COLUMNS) as RunListRow, ...shown];
  const widths = new Map(COLUMNS.map(([key]) => [key, Math.max(...lines.map((row) => row[key].length))]));
  return lines
    .map((row) =>
      COLUMNS.map(([key]) => row[key].padEnd(widths.get(key) ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
