import { useMemo } from 'preact/hooks';
import { SIGNS } from '../../../views/signs.js';
import type { PageRow } from '../wire.js';

/** From so many todos on a column is a bar, and so many columns there are at most. */
const MANY = 400;
const COLUMNS = 120;

interface Props {
  rows: readonly PageRow[];
  chosen: string | null;
  choose: (id: string) => void;
}

/** Todos by their depth in the graph: what the chosen one builds on, and what on it, is ringed. */
export function Waves({ rows, chosen, choose }: Props) {
  const { todos, columns, each } = useMemo(() => arrange(rows), [rows]);
  const rings = useMemo(() => findRings(todos, chosen), [todos, chosen]);
  if (columns.length === 0) return null;
  const isMany = todos.length >= MANY;
  const label = `${todos.length} todos in waves`;
  return (
    <section class={isMany ? 'waves many' : 'waves'} aria-label={label}>
      {columns.map((column, wave) => (
        <div title={`wave ${wave * each + 1}${each > 1 ? ` to ${(wave + 1) * each}` : ''}: ${column.length}`}>
          {isMany ? (
            <Stack column={column} rings={rings} />
          ) : (
            column.map((row) => <Cell key={row.id} {...{ row, choose }} ring={rings.get(row.id)} />)
          )}
        </div>
      ))}
    </section>
  );
}

function Cell({ row, ring, choose }: { row: PageRow; ring: string | undefined; choose: (id: string) => void }) {
  const { sign, word, as } = SIGNS[row.state];
  return (
    <button
      type="button"
      tabIndex={-1}
      class={`${as} ${ring ?? ''}`}
      aria-label={`${row.id}, ${word}${ring ? `, ${RINGS[ring]}` : ''}`}
      title={`${row.id}: ${row.title}`}
      onClick={() => choose(row.id)}
    >
      {sign}
    </button>
  );
}

const RINGS: Readonly<Record<string, string>> = {
  here: 'chosen',
  before: 'the chosen one builds on it',
  behind: 'builds on the chosen one',
};

const STATES = ['done', 'skipped', 'running', 'waiting', 'stale', 'failed', 'pending'] as const;

function Stack({ column, rings }: { column: readonly PageRow[]; rings: ReadonlyMap<string, string> }) {
  const ring =
    column
      .map(({ id }) => rings.get(id))
      .filter((one) => one !== undefined)
      .toSorted()
      .at(-1) ?? '';
  const shares = STATES.map((state) => [state, column.filter((row) => row.state === state).length] as const);
  return (
    <span class={`stack ${ring}`}>
      {shares.map(
        ([state, count]) => count > 0 && <i key={state} class={SIGNS[state].as} style={{ '--share': String(count) }} />,
      )}
    </span>
  );
}

function arrange(rows: readonly PageRow[]) {
  const todos = rows.filter(({ wave }) => wave !== null);
  const depth = todos.reduce((most, { wave }) => Math.max(most, (wave ?? 0) + 1), 0);
  const each = Math.ceil(depth / COLUMNS);
  const columns: PageRow[][] = Array.from({ length: Math.ceil(depth / Math.max(1, each)) }, () => []);
  for (const row of todos) columns[Math.floor((row.wave ?? 0) / each)]?.push(row);
  return { todos, columns, each };
}

function findRings(todos: readonly PageRow[], chosen: string | null): Map<string, string> {
  const rings = new Map<string, string>();
  for (const { id, after } of todos) {
    if (chosen !== null && after.includes(chosen)) rings.set(id, 'behind');
    if (id === chosen) for (const one of after) rings.set(one, 'before');
  }
  if (chosen !== null) rings.set(chosen, 'here');
  return rings;
}
