import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Line, Paragraph } from '../../../src/base/spans.js';
import { layOutGuide, layOutHelp } from '../../../src/cli/help-lines.js';
import { paint } from '../../../src/cli/paint.js';
import { toBoundedLine } from '../../../src/documents/foreign.js';
import { renderInvocation } from '../../../src/registry/render.js';
import { measureText } from '../../../src/views/frames/columns.js';
import { layOutHistory } from '../../../src/views/frames/history.js';
import { layOutList } from '../../../src/views/frames/list.js';
import { fitColumns, layOutParagraphs } from '../../../src/views/frames/paragraphs.js';
import { layOutRow } from '../../../src/views/frames/rows.js';
import type { HistoryItem } from '../../../src/views/history-items.js';
import type { HistoryView } from '../../../src/views/history-text.js';
import type { RunListRow as Run } from '../../../src/views/list.js';
import { renderTextRow, type TextRow } from '../../../src/views/rows.js';

/** view.md, Width: views fit terminals of every width. */

const NOW = Date.parse('2026-11-27T20:00:00.000Z');
const WIDTHS = [40, 80, 120, 200];
const format = renderInvocation;

const textOf = (lines: readonly Line[]): string => paint(lines, false);
const fitted = (build: (columns: number) => readonly Paragraph[], columns: number): Line[] =>
  layOutParagraphs(build(fitColumns(columns)), columns);

/** Returns the recorded frame. With DEV_CLI_TEST_RECORD=1, first records `text` as the frame. */
function recorded(name: string, text: string): string {
  const file = join(import.meta.dirname, 'frames', `${name}.txt`);
  if (process.env['DEV_CLI_TEST_RECORD'] === '1') writeFileSync(file, text);
  return readFileSync(file, 'utf8');
}

/** Returns the lines that a terminal shows, and how many of them it wrapped itself. */
async function shown(text: string, columns: number): Promise<{ lines: string[]; wrapped: number }> {
  const terminal = new Terminal({
    cols: columns,
    rows: 10,
    scrollback: 10_000,
    convertEol: true,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_, row) => active.getLine(row));
  const lines = rows.map((row) => row?.translateToString(true) ?? '');
  return { lines, wrapped: rows.filter((row) => row?.isWrapped === true).length };
}

const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const RUNS: Run[] = [
  {
    name: 'add-auth',
    skill: 'specify',
    recipe: 'specify-standard-interactive',
    state: 'live',
    where: 'approve-plan',
    waitsFor: 'user',
    updated: ago(40),
  },
  {
    name: 'delete-todos',
    skill: 'execute',
    recipe: 'execute-standard',
    state: 'live',
    where: 'execution-engine',
    waitsFor: 'agent',
    updated: ago(3),
  },
  {
    name: `a-name-of-64-${'x'.repeat(51)}`,
    skill: 'execute',
    recipe: 'execute-quick',
    state: 'halted',
    where: 'execution-engine',
    waitsFor: '',
    updated: ago(3000),
  },
  {
    name: 'done',
    skill: 'execute',
    recipe: 'execute-quick',
    state: 'completed',
    where: '',
    waitsFor: '',
    updated: ago(90),
  },
  { name: 'torn', skill: '', recipe: '', state: 'STATE_CORRUPT', where: '', waitsFor: '', updated: '' },
];
const view = { runs: RUNS, active: 'add-auth', now: NOW, first: { command: 'init', input: { name: 'x' } } };
const listIn = (columns: number, runs = RUNS) =>
  fitted((room) => layOutList({ ...view, runs }, { format, columns: room }), columns);

/** One row of each kind that status has. */
const ROWS: TextRow[] = [
  ['', 'delete-todos', 'execute-standard', 'live 1h03m'],
  ['goal   ', 'Todos can be deleted, singly and all at once, and come back within a minute'],
  ['now    ', 'waiting for the agent: 2 tasks out: todo-2 worker, todo-3 worker (3m00s)'],
  [''],
  ['todos  ', '1/3 done, 2 at work'],
  ['✓ ', 'todo-1   ', 'A route that deletes one todo, by its number', '12m01s', 'fde7c0c', '1 command green'],
  ['◐ ', 'todo-2   ', '全部のタスクを一度に削除するルートを追加する。      ', '3m00s ', 'worker out, a6 (attempt 2)'],
  ['    ', '◐ worker  · verify  · wrapUp  · commit'],
  ['✗ ', '└ todo-3 ', 'Undo for a minute (added)                   ', '      ', 'The service that this needs is down.'],
  ['⋮ ', '12 done, 3 to come'],
  ['', '✓ approve commands (by human)   · commit the rest   · code review   · final verification   · report'],
  ['!      ', 'src/app.js changed since this run began'],
];
const rowsIn = (rows: readonly TextRow[], columns: number) =>
  fitted((room) => rows.map((row) => layOutRow(row, room)), columns);

const by = { kind: 'agent' as const, via: 'cli' as const };
const ITEMS: HistoryItem[] = [
  {
    kind: 'other',
    type: 'plan-captured',
    seq: 2,
    at: ago(60),
    by,
    summary: 'executing 3 todos; plan approved by a person',
  },
  { kind: 'other', type: 'command-finished', seq: 10, at: ago(50), by, summary: 'todo-1 ac-1: command exit 0' },
  { kind: 'other', type: 'committed', seq: 12, at: ago(49), by, summary: 'todo-1: commit made' },
  {
    kind: 'action',
    seq: 13,
    at: ago(30),
    block: 'review',
    actionId: 'a8',
    action: 'subagents',
    cause: 'enter',
    result: 'done',
    endSeq: 120,
    endAt: ago(29),
    seconds: 60,
    by,
    refused: [],
    without: [],
    evidence: [{ path: 'reviews/1.md', sha256: '16fb031c2245aa', verdict: 'OKAY', summary: 'No blocking points.' }],
  },
];
const HISTORY: HistoryView = {
  name: 'delete-todos',
  runs: [
    {
      runId: '20261126T191617Z-1482c1',
      recipe: 'execute-standard',
      recipeHash: '',
      goal: 'Todos can be deleted',
      mode: {},
      cliVersion: '0.2.0',
      forkedFrom: null,
      at: ago(61),
      by,
      first: 1,
      last: 120,
      status: 'live',
      lastAt: ago(29),
      items: ITEMS,
      left: 0,
    },
  ],
  of: 2,
  detailed: false,
  warnings: [],
  now: NOW,
};
const SUBJECTS = new Map([
  [10, 'test -f made/todo-1.txt'],
  [12, 'fde7c0c'],
]);
const historyIn = (columns: number) =>
  fitted((room) => layOutHistory(HISTORY, SUBJECTS, { format, columns: room }), columns);

const HELP = `Usage: dev-cli demo [options] [name]

Show something.

Options:
  --root <DIR>             The directory that holds .dev; else found from here upward, not beyond the top level.
  -h, --help               Explain the command.

Examples:
  dev-cli demo add-auth --note 'two words' --data @a/data.md
      The data is in the file that the action named.

Exit codes:
  0   done as asked
  130 interrupted
`;
const helpIn = (columns: number) => fitted((room) => layOutHelp(HELP, Math.min(room, 100)), columns);

// Histories are recorded in one time zone. The original zone is restored for other test files in this process.
const zone = process.env['TZ'];
beforeAll(() => {
  process.env['TZ'] = 'Europe/Berlin';
});
afterAll(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

describe.each(WIDTHS)('in %i columns', (columns) => {
  it.each([
    ['list', listIn],
    ['status', (room: number) => rowsIn(ROWS, room)],
    ['history', historyIn],
    ['help', helpIn],
  ])('%s is as recorded, and no terminal wraps it', async (name, build) => {
    const text = textOf(build(columns));
    expect(text).toBe(recorded(`${name}.${columns}`, text));
    const painted = await shown(paint(build(columns), true), columns);
    expect(painted.wrapped).toBe(0);
    expect(painted.lines.join('\n').trimEnd()).toBe(text.replace(/ +$/gm, '').trimEnd());
  });
});

describe('columns', () => {
  const head = (columns: number, runs?: Run[]) => textOf(listIn(columns, runs)).split('\n')[0]?.split(/ {2,}/);

  it('of list leave in their order: step and recipe below 100, and where there is no room recipe, step, age', () => {
    const short = RUNS.filter(({ name }) => name.length < 20);
    expect(head(100, short)).toEqual(['NAME', 'STATE', 'WAITS FOR', 'AGE', 'STEP', 'RECIPE']);
    expect(head(99, short)).toEqual(['NAME', 'STATE', 'WAITS FOR', 'AGE']);
    const long = short.map((run) => ({ ...run, where: 'w'.repeat(40) }));
    expect(head(100, long)).toEqual(['NAME', 'STATE', 'WAITS FOR', 'AGE', 'STEP']);
    expect(
      head(
        100,
        short.map((run) => ({ ...run, where: 'w'.repeat(90) })),
      ),
    ).toEqual(['NAME', 'STATE', 'WAITS FOR', 'AGE']);
    expect(head(42, short)).toEqual(['NAME', 'STATE', 'WAITS FOR']);
  });

  it('of history are the entry, local time, and what happened with its command or commit', () => {
    const text = textOf(historyIn(200));
    const local = new Date(NOW - 50 * 60_000);
    const two = (value: number) => String(value).padStart(2, '0');
    const time = [local.getHours(), local.getMinutes(), local.getSeconds()].map(two).join(':');
    expect(text).toMatch(
      new RegExp(`^ 10  \\d{4}-\\d\\d-\\d\\d ${time}  · todo-1 ac-1: .*  test -f made/todo-1.txt$`, 'm'),
    );
    expect(text).toMatch(/^ 12 {2}.* commit made .* fde7c0c$/m);
    expect(text).toMatch(/^120 {2}.* ✓ review a8: done after 1m00s, by agent$/m);
  });

  it('only a title is cut', () => {
    const words = (text: string) =>
      text
        .replaceAll('\u00a0', ' ')
        .split(/\s+/)
        .filter((word) => word !== '');
    const narrow = words(textOf(rowsIn(ROWS, 40)));
    const titles = new Set(
      ['todo-1', 'todo-2', 'todo-3'].flatMap((id) =>
        words(ROWS.find((row) => row[1]?.includes(id) === true && row.length > 3)?.[2] ?? ''),
      ),
    );
    const timeless = ROWS.flatMap((row) =>
      row.length > 4 ? [[row[0], row[1], row[2], ...row.slice(4)] as unknown as TextRow] : [row],
    );
    const lost = words(timeless.map(renderTextRow).join('\n')).filter(
      (word) => !titles.has(word) && !narrow.includes(word),
    );
    expect(lost).toEqual([]);
  });
});

describe('whatever the text', () => {
  const foreign = fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 50 }),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '漢字',
        '👨‍👩‍👧',
        '🇩🇪',
        'é',
        'שלום עולם',
        'السلام عليكم',
        '\u202eabc',
        '\u001b[31mred',
        '\u001b]8;;x\u0007',
        '\t',
        '\u200b',
        '❤️',
        '1️⃣',
        'नि',
        '\u0000',
      ),
    ),
    { maxLength: 6 },
  );
  const line = foreign.map((parts) => toBoundedLine(parts.join(' '), 300));
  const width = fc.integer({ min: 40, max: 200 });

  it('no terminal wraps a line of status, and none is longer than it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 4, maxLength: 4 }),
        width,
        async ([goal = '', id = '', title = '', note = ''], columns) => {
          const rows: TextRow[] = [
            ['goal   ', goal],
            ['✓ ', id, title, '3m00s', note],
            ['    ', note],
            ['', title],
          ];
          const lines = rowsIn(rows, columns);
          for (const one of lines) expect(measureText(textOf([one]).trimEnd())).toBeLessThanOrEqual(columns);
          const { wrapped } = await shown(paint(lines, true), columns);
          expect(wrapped).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a guide fits, and loses no word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(line, fc.constantFrom('# head', '- point', '```', '| a | b |', '')), { maxLength: 12 }),
        width,
        (lines, columns) => {
          const text = textOf(fitted(() => layOutGuide(lines.join('\n')), columns));
          for (const one of text.split('\n')) expect(measureText(one)).toBeLessThanOrEqual(columns);
          expect(text.replace(/\s/g, '')).toBe(textOf([[{ text: lines.join('\n') }]]).replace(/\s/g, ''));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a command that has no room stands alone, and a shell takes it as one', () => {
    const command = "dev-cli release add-auth --root '/srv/trees/side by side'";
    const spans = [{ text: 'go on with ' }, { text: command, command: true as const }, { text: ' (choices: a, b)' }];
    const text = textOf(layOutParagraphs([{ spans, indent: 2 }], 40));
    expect(text).toBe(
      "go on with \n  dev-cli release add-auth --root \\\n    '/srv/trees/side by side'\n   (choices: a, b)\n",
    );
    expect(textOf(layOutParagraphs([{ spans, indent: 2 }], 120))).toBe(`go on with ${command} (choices: a, b)\n`);
  });
});
