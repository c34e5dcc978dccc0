import { formatDuration } from '../../base/duration.js';
import type { CommandFormatter } from '../../base/invocation.js';
import type { Paragraph, Shade, Span } from '../../base/spans.js';
import type { ListOptions, RunList, RunListRow } from '../list.js';
import { SIGNS, type SignName } from '../signs.js';
import { measureText, padLine } from './columns.js';

interface Column {
  title: string;
  cell: (row: RunListRow) => Span;
}

/** From this number of columns there is room for a run's step and recipe. */
const ROOMY = 100;

/** The order in which columns are dropped if there is no room for all. */
const LEAVING = ['RECIPE', 'STEP', 'AGE'];

/** Lays out the runs of a root as a table: name, state, waits for, age; from 100 columns also step and recipe. */
export function layOutList(
  { runs, active, now, first }: RunList & ListOptions,
  { format, columns }: { format: CommandFormatter; columns: number },
): Paragraph[] {
  if (runs.length === 0) {
    const command: Span = { text: format(first), as: 'busy', command: true };
    return [{ spans: [{ text: 'No runs yet. Start one: ' }, command], indent: 2 }];
  }
  const age = ({ updated }: RunListRow) => (updated === '' ? '' : formatDuration(now - Date.parse(updated)));
  const known: Column[] = [
    { title: 'NAME', cell: ({ name }) => ({ text: name === active ? `${name} *` : name, as: 'strong' }) },
    { title: 'STATE', cell: renderState },
    {
      title: 'WAITS FOR',
      cell: ({ waitsFor }) => ({ text: waitsFor === 'user' ? 'you' : waitsFor, ...you(waitsFor) }),
    },
    { title: 'AGE', cell: (row) => ({ text: age(row), as: 'quiet' }) },
    { title: 'STEP', cell: ({ where }) => ({ text: where }) },
    { title: 'RECIPE', cell: ({ recipe }) => ({ text: recipe, as: 'quiet' }) },
  ];
  const widths = new Map(
    known.map(({ title, cell }) => [
      title,
      Math.max(...[title, ...runs.map((row) => cell(row).text)].map(measureText)),
    ]),
  );
  const measure = (some: readonly Column[]) => some.reduce((sum, { title }) => sum + 2 + (widths.get(title) ?? 0), -2);
  let shown = columns < ROOMY ? known.slice(0, 4) : known;
  for (const leaving of LEAVING) if (measure(shown) > columns) shown = shown.filter(({ title }) => title !== leaving);
  // If a name is still too long, the cells after it continue on the next line.
  const names = Math.max(4, columns - measure(shown.slice(1)) - 2);
  widths.set('NAME', Math.min(widths.get('NAME') ?? 0, names));
  const layOutRow = (cells: readonly Span[]): Paragraph => ({
    spans: cells.flatMap((cell, index) => {
      const isLast = cells.slice(index + 1).every(({ text }) => text === '');
      return isLast ? [cell] : [...padLine([cell], widths.get(shown[index]?.title ?? '') ?? 0), { text: '  ' }];
    }),
    indent: 2,
  });
  return [
    layOutRow(shown.map(({ title }) => ({ text: title, as: 'quiet' }))),
    ...runs.map((row) => layOutRow(shown.map(({ cell }) => cell(row)))),
  ];
}

const you = (waitsFor: string): { as?: Shade } => (waitsFor === 'user' ? { as: 'you' } : {});

/** The sign of an ended run, by its state. A run that cannot be read has an error code as its state. */
const ENDS: Readonly<Record<string, SignName>> = { completed: 'done', halted: 'failed', aborted: 'skipped' };

function renderState({ state, waitsFor }: RunListRow): Span {
  const { sign, as } =
    SIGNS[state === 'live' ? (waitsFor === 'user' ? 'waiting' : 'running') : (ENDS[state] ?? 'failed')];
  return { text: `${sign} ${state}`, as };
}
