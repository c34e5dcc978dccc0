import { useMemo } from 'preact/hooks';
import { SIGNS } from '../../../views/signs.js';
import type { PageRow } from '../wire.js';

/** Number of todos from which on each column is drawn as one bar, and the maximum number of columns. */
const MANY = 400;
const COLUMNS = 120;

interface Props {
  rows: readonly PageRow[];
  chosen: string | null;
  choose: (id: string) => void;
}

/**
 * Todos by their depth in the graph. Rings mark the todos that the chosen todo builds on, and those that build on it.
 */
export function Waves({ rows, chosen, choose }: Props) {
  const { todos, columns, each } = useMemo(() => arrange(rows), [rows]);
  const rings = useMemo(() => findRings(todos, chosen), [todos, chosen]);
  if (columns.length === 0) return null;
  const isMany = todos.length >= MANY;
  const deep = columns.reduce((most, column) => Math.max(most, column.todos.length), 1);
  return (
    <section class={isMany ? 'waves many' : 'waves'} aria-label="Waves" style={{ '--deep': String(Math.min(5, deep)) }}>
      {columns.map(({ todos: column, shares }, wave) => (
        <div title={`wave ${wave * each + 1}${each > 1 ? ` to ${(wave + 1) * each}` : ''}: ${column.length}`}>
          {isMany ? (
            <Stack shares={shares} ring={ringOf(column, rings)} />
          ) : (
            column.map((row) => <Cell key={row.id} {...{ row, choose }} ring={rings.get(row.id)} />)
          )}
        </div>
      ))}
    </section>
  );
}

function Cell({ row, ring, choose }: { row: PageRow; ring: Ring | undefined; choose: (id: string) => void }) {
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

const RINGS = {
  here: 'chosen',
  before: 'needed by the chosen one',
  behind: 'builds on the chosen one',
} as const;
type Ring = keyof typeof RINGS;

const STATES = ['done', 'skipped', 'running', 'waiting', 'stale', 'failed', 'pending'] as const;

function Stack({ shares, ring }: { shares: Column['shares']; ring: string }) {
  return (
    <span class={`stack ${ring}`}>
      {shares.map(([state, count]) => (
        <i key={state} class={SIGNS[state].as} style={{ '--share': String(count) }} />
      ))}
    </span>
  );
}

/** The todos of one or several adjacent waves, and how many are in each state. */
interface Column {
  todos: PageRow[];
  shares: (readonly [PageRow['state'], number])[];
}

function arrange(rows: readonly PageRow[]) {
  const todos = rows.filter(({ wave }) => wave !== null);
  const depth = todos.reduce((most, { wave }) => Math.max(most, (wave ?? 0) + 1), 0);
  const each = Math.max(1, Math.ceil(depth / COLUMNS));
  const columns = Array.from({ length: Math.ceil(depth / each) }, (): Column => ({ todos: [], shares: [] }));
  for (const row of todos) columns[Math.floor((row.wave ?? 0) / each)]?.todos.push(row);
  for (const column of columns) {
    const counted = STATES.map((state) => [state, column.todos.filter((row) => row.state === state).length] as const);
    column.shares = counted.filter(([, count]) => count > 0);
  }
  return { todos, columns, each };
}

/** Finds the rings of the chosen todo, of the todos that it builds on, and of those that build on it. */
function findRings(todos: readonly PageRow[], chosen: string | null): Map<string, Ring> {
  const rings = new Map<string, Ring>();
  for (const { id, after } of todos) {
    if (chosen !== null && after.includes(chosen)) rings.set(id, 'behind');
    if (id === chosen) for (const one of after) rings.set(one, 'before');
  }
  if (chosen !== null) rings.set(chosen, 'here');
  return rings;
}

function ringOf(todos: readonly PageRow[], rings: ReadonlyMap<string, Ring>): string {
  const found = rings.size === 0 ? [] : todos.flatMap(({ id }) => rings.get(id) ?? []);
  return (['here', 'before', 'behind'] as const).find((one) => found.includes(one)) ?? '';
}
