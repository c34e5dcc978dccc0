import { formatDuration } from '../../base/duration.js';
import type { CommandFormatter, Instruction } from '../../base/invocation.js';
import type { Line, Span } from '../../base/spans.js';
import { renderCount } from '../../base/words.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { HomeGroup, HomeRow, HomeView } from '../home.js';
import { SIGNS } from '../signs.js';
import { measureText, padLine, wrapSpans } from './columns.js';

/** The options for laying out home. */
export interface Options {
  /** The current time in milliseconds; durations that still run are measured up to it. */
  now: number;
  /** The width of the terminal. */
  columns: number;
  /** Returns a function that writes commands for an absolute root; undefined stands for the call's own root. */
  format: (root: string | undefined) => CommandFormatter;
  /** Whether words replace signs. */
  inWords?: boolean;
}

/** With fewer columns than this, wrapped lines begin near the left edge rather than below the text. */
const WIDE = 80;

/** The largest number of columns of a frame, since longer lines are hard to read. */
const MOST = 120;

/** Lays out home in lines that fit the columns: text wraps, and nothing is cut off. */
export function renderHome(home: HomeView, options: Options): Line[] {
  const columns = Math.min(options.columns, MOST);
  const body =
    home.groups.length === 0
      ? renderNothing(options, columns)
      : home.groups.flatMap((group) => renderGroup(group, options, columns));
  return [...renderTitle(home, columns), ...body];
}

/** Lays out the first line: the project, its number of runs, its branch, and the goals that wait. */
export function renderTitle(home: HomeView, columns: number): Line[] {
  const parts = [
    home.project,
    home.runs === 0 ? 'no runs' : renderCount(home.runs, 'run'),
    home.branch ?? '',
    home.goals ?? '',
  ];
  const shown = parts.filter((part) => part !== '').map((part) => toBoundedLine(part, 100));
  const [project = '', ...more] = shown;
  const head: Line = [{ text: project, as: 'strong' }, { text: more.map((part) => ` · ${part}`).join('') }];
  return wrapSpans(head, columns, 2);
}

/** Lays out suggestions for a person who has no runs yet. */
export function renderNothing({ format }: Options, columns: number): Line[] {
  const written = format(undefined);
  const rows: [string, string][] = [
    ['in your agent', '/specify what you want'],
    ['see how it goes', written({ command: 'demo', input: {} })],
    ['all commands', written({ command: 'help', input: {} })],
  ];
  const lines = rows.flatMap(([what, how]) =>
    wrapSpans([...padLine([{ text: what, as: 'quiet' }], 17), { text: how, as: 'strong' }], columns, 2),
  );
  return [[], ...lines];
}

function renderGroup({ title, rows, more }: HomeGroup, options: Options, columns: number): Line[] {
  const names = measureNames(rows, columns);
  const left: Line[] = [
    [{ text: `  and ${more} more: ${options.format(undefined)({ command: 'list', input: {} })}`, as: 'quiet' }],
  ];
  return [
    [],
    [{ text: title, as: 'strong' }],
    ...rows.flatMap((row) => layOutHomeRow(row, names, options, columns)),
    ...(more === 0 ? [] : left),
  ];
}

/** Returns the width of the column of names, limited so that there is room for the text beside them. */
export function measureNames(rows: readonly HomeRow[], columns: number): number {
  return Math.min(Math.floor(columns / 3), Math.max(...rows.map(({ name }) => measureText(name))));
}

/**
 * Lays out a row and, below it, what the person can do.
 * @param names the width of the column of names
 */
export function layOutHomeRow(row: HomeRow, names: number, { now, format, inWords }: Options, columns: number): Line[] {
  const { sign, word, as } = SIGNS[row.sign];
  const { root, progress, text, since, silent } = row;
  const ago = (at: number) => formatDuration(now - at);
  const tree = root?.split('/').at(-1);
  const facts: Span[] = [
    ...(tree === undefined ? [] : [{ text: `in ${toBoundedLine(tree, 60)}`, as: 'quiet' as const }]),
    ...(progress === undefined ? [] : [{ text: progress }]),
    ...(text === '' ? [] : [{ text }]),
    ...(since === undefined ? [] : [{ text: ago(since), as: 'quiet' as const }]),
    ...(silent === undefined ? [] : [{ text: `silent for ${ago(silent)}`, as: 'bad' as const }]),
  ];
  const head: Line = [
    { text: inWords === true ? `${word}:` : sign, as },
    { text: ' ' },
    { text: row.name, as: 'strong' },
  ];
  const begun = facts.length === 0 || columns < WIDE || inWords === true ? head : padLine(head, names + 2);
  const spans = [...begun, ...facts.flatMap((fact) => [{ text: '  ' }, fact])];
  const indent = columns < WIDE ? 4 : names + 4;
  return [...wrapSpans(spans, columns, indent), ...renderYou(row.you, format(root), columns)];
}

/** Renders what the reader can do, below a row: the command if there is one, otherwise the words. */
function renderYou(you: Instruction | undefined, format: CommandFormatter, columns: number): Line[] {
  const [command] = (you ?? []).flatMap((part) => (typeof part === 'string' ? [] : [format(part)]));
  const words = (you ?? []).filter((part) => typeof part === 'string').join('');
  if (command === undefined)
    return words === '' || words === 'nothing to do' ? [] : wrapSpans([{ text: `    ${words}` }], columns, 4);
  return wrapSpans([{ text: '    ' }, { text: command, as: 'busy' }], columns, 6, ' \\');
}
