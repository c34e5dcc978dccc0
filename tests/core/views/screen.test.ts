import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openGatePage } from '../../../src/app/screens/gate.js';
import { spellOutSigns } from '../../../src/app/words.js';
import type { Decision } from '../../../src/base/decision.js';
import type { TerminalSize } from '../../../src/base/screen.js';
import type { Line } from '../../../src/base/spans.js';
import { paintChanges, paintLine } from '../../../src/cli/paint.js';
import { createFormatterFor } from '../../../src/registry/render.js';
import { measureText } from '../../../src/views/frames/columns.js';
import { FIRST, pressKey, type ScreenCursor } from '../../../src/views/frames/cursor.js';
import { renderGateFrame } from '../../../src/views/frames/gate-page.js';
import { listHomeRows, renderHomeFrame } from '../../../src/views/frames/home-screen.js';
import { listShownRows, renderRunFrame } from '../../../src/views/frames/run.js';
import type { RunModel } from '../../../src/views/frames/run-model.js';
import type { HomeView } from '../../../src/views/home.js';
import type { TimelineRow } from '../../../src/views/timeline-rows.js';
import { emulate } from '../../support/emulator.js';
import { expectLinear } from '../../support/growth.js';

/** The screen of one run, its keys, and how it is drawn (view.md, Run screen; view.md, Keys; view.md, Drawing). */

const NOW = Date.parse('2026-11-27T20:00:00.000Z');
const MINUTE = 60_000;
const WIDTHS = [40, 80, 120, 200];

const segment = (of: Partial<TimelineRow['segments'][number]>): TimelineRow['segments'][number] => ({
  ...{ from: NOW - 9 * MINUTE, to: NOW - 8 * MINUTE, who: 'agent', what: 'worker', ok: true, seq: 3, documents: [] },
  ...of,
});

const row = (id: string, of: Partial<TimelineRow>): TimelineRow => ({
  ...{ id, title: `Title of ${id}`, kind: 'todo', state: 'pending', after: [], wave: 0 },
  ...{ attempts: 0, commit: null, why: null, segments: [] },
  ...of,
});

const FAILING = segment({
  ...{ who: 'commands', what: 'npm test', ok: false },
  documents: [{ seq: 4, path: 'actions/a2/command.log' }],
});

const MODEL: RunModel = {
  ...{ name: 'delete-todos', recipe: 'execute-standard', isLive: true, isHeld: false, fault: null, at: NOW },
  waits: { sign: 'waiting', text: 'waiting for you: May these two commands be run?', since: NOW - 40 * MINUTE },
  split: { agent: 50 * MINUTE, commands: 5 * MINUTE, you: 40 * MINUTE, idle: 5 * MINUTE },
  rows: [
    row('todo-1', { state: 'done', commit: '0123456789abcdef', attempts: 1, segments: [segment({})] }),
    row('todo-2', { state: 'failed', attempts: 3, why: 'npm test: 2 of 40 failed', segments: [segment({}), FAILING] }),
    row('todo-3', { state: 'running', attempts: 1, segments: [segment({ to: null, ok: null })] }),
    row('todo-4', { after: ['todo-2', 'todo-3'] }),
    row('todo-5', { state: 'waiting', segments: [segment({ to: null, ok: null, who: 'you', what: 'question' })] }),
    row('review', { kind: 'stage', state: 'stale' }),
  ],
};

const HOME: HomeView = {
  ...{ project: 'todo-api', branch: 'main', runs: 4 },
  groups: [
    {
      ...{ title: 'Waiting for you', more: 0 },
      rows: [
        {
          ...{
            name: 'delete-todos',
            sign: 'waiting',
            text: 'May these two commands be run?',
            since: NOW - 40 * MINUTE,
          },
          you: [{ command: 'approve', input: { name: 'delete-todos' } }],
        },
      ],
    },
    {
      ...{ title: 'Agents at work', more: 0 },
      rows: [{ name: 'add-auth', sign: 'running', progress: '12/40', text: '2 tasks out', since: NOW - 3 * MINUTE }],
    },
    {
      ...{ title: 'Ended', more: 0 },
      rows: Array.from({ length: 8 }, (_, n) => ({ name: `done-${n}`, sign: 'done' as const, text: 'all done' })),
    },
  ],
};

const DECISION: Decision = {
  title: 'delete-todos waits for you',
  sections: [
    { heading: 'Question', lines: ['Shall this plan be carried out as it stands?'] },
    {
      heading: 'Todos',
      lines: Array.from({ length: 40 }, (_, n) => `todo-${n}: what is to be done, and in which file`),
    },
    { heading: 'What changed since you last answered', lines: ['todo-3 is new'] },
  ],
  answers: [
    { id: 'approve', label: 'carry it out' },
    { id: 'revise', label: 'again', reason: 'required' },
  ],
  looks: [],
};

const LOOK = { key: 'p', label: 'the plan', look: async () => 'plan' };
const QUESTION = 'Your choice (1 to 2; Enter alone: leave it open): ';
const told = { now: NOW, notice: null, format: (root: string | undefined) => createFormatterFor(root) };
const gate = (size: TerminalSize, top = 0) => renderGateFrame(DECISION, size, { top, typed: '', notice: '' }, QUESTION);

/** Returns the output that makes a terminal show these frames, one after the other. */
function write(...frames: (readonly Line[])[]): string {
  let shown: string[] = [];
  let text = '\u001b[?1049h\u001b[?25l\u001b[?7l';
  for (const frame of frames) {
    const lines = frame.map((line) => paintLine(line, true));
    text += paintChanges(lines, shown);
    shown = lines;
  }
  return text;
}

/** Returns the recorded frame. With DEV_CLI_TEST_RECORD=1, first records `text` as the frame. */
function recorded(name: string, text: string): string {
  const file = join(import.meta.dirname, 'frames', `${name}.txt`);
  if (process.env['DEV_CLI_TEST_RECORD'] === '1') writeFileSync(file, text);
  return readFileSync(file, 'utf8');
}

/** Checks that a frame has as many lines as the screen, none too wide, and that a terminal shows it unchanged. */
async function expectFrame(frame: readonly Line[], { columns, rows }: TerminalSize): Promise<string[]> {
  expect(frame).toHaveLength(rows);
  for (const line of frame) {
    const end = line.reduce((used, { text, at }) => (at ?? used) + measureText(text), 0);
    expect(end, JSON.stringify(line)).toBeLessThanOrEqual(columns);
  }
  const { lines, wrapped, scrolled } = await emulate(write(frame), columns, rows);
  expect([lines.length, wrapped, scrolled]).toEqual([rows, 0, 0]);
  return lines;
}

describe('a frame', () => {
  it.each(WIDTHS)('is as recorded in %i columns', async (columns) => {
    const size = { columns, rows: 24 };
    const frames = {
      run: renderRunFrame(MODEL, size, { ...FIRST, showsDetails: true }, told),
      'home-screen': renderHomeFrame(HOME, size, FIRST, told),
      gate: gate(size).lines,
    };
    for (const [name, frame] of Object.entries(frames)) {
      const text = `${(await expectFrame(frame, size)).join('\n')}\n`;
      expect(text).toBe(recorded(`${name}.${columns}`, text));
    }
  });

  it('has the lines of its screen, and none too wide, whatever the text and the size', async () => {
    const sign = fc.constantFrom(
      ...[
        'a',
        ' ',
        '字',
        '👩‍👩‍👧‍👦',
        '🇩🇪',
        'é',
        'ש',
        'ا',
        '\u202e',
        '\t',
        '\n',
        '\u0007',
        '\u001b[31m',
        '\u001b]8;;x\u0007',
        '✓',
        'ﷺ',
        '\ufe0f',
      ],
    );
    const text = fc.array(sign, { maxLength: 120 }).map((signs) => signs.join(''));
    const states = ['failed', 'waiting', 'running', 'stale', 'pending', 'done', 'skipped'] as const;
    const rows = fc.array(
      fc.record({ id: text, title: text, state: fc.constantFrom(...states), why: text, commit: text }),
      { maxLength: 30 },
    );
    const size = fc.record({ columns: fc.constantFrom(1, 39, ...WIDTHS), rows: fc.integer({ min: 1, max: 50 }) });
    const choices = fc.record({
      inOrder: fc.boolean(),
      onlyFailed: fc.boolean(),
      showsDetails: fc.boolean(),
      find: text,
    });
    await fc.assert(
      fc.asyncProperty(rows, size, choices, text, fc.boolean(), async (made, screen, chosen, foreign, isTyping) => {
        const segments = [segment({ to: null, what: foreign, documents: [{ seq: 1, path: foreign }] })];
        const model = {
          ...MODEL,
          ...{ name: foreign, recipe: foreign, waits: { ...MODEL.waits, text: foreign.replaceAll(/\p{Cc}/gu, '') } },
          rows: made.map(({ id, ...of }) => row(id, { ...of, segments })),
        };
        const cursor: ScreenCursor = { ...FIRST, ...chosen, isTyping };
        await expectFrame(renderRunFrame(model, screen, cursor, { now: NOW, notice: foreign }), screen);
        const home = {
          ...HOME,
          groups: [
            {
              title: 'Ended',
              more: 0,
              rows: made.map(({ title }) => ({ name: title, sign: 'done' as const, text: foreign })),
            },
          ],
        };
        await expectFrame(renderHomeFrame(home, screen, cursor, { ...told, notice: foreign }), screen);
        const sections = [{ heading: foreign, lines: made.map(({ title }) => title) }];
        const page = renderGateFrame(
          { ...DECISION, sections },
          screen,
          { top: 3, typed: '1', notice: foreign },
          QUESTION,
        );
        await expectFrame(page.lines, screen);
      }),
      { numRuns: 60 },
    );
  });

  it('of ordinary and of wide signs fits a terminal that wraps', async () => {
    const model = { ...MODEL, rows: MODEL.rows.map((one) => ({ ...one, title: `標題 ${one.title}`.repeat(9) })) };
    for (const columns of WIDTHS) {
      const frame = renderRunFrame(model, { columns, rows: 20 }, FIRST, told);
      const { wrapped } = await emulate(write(frame).replace('\u001b[?7l', ''), columns, 20);
      expect(wrapped).toBe(0);
    }
  });

  it('shows the second frame whole where only what differs was written', async () => {
    const size = { columns: 80, rows: 24 };
    const frames = [0, 1, 2].map((n) => renderRunFrame(MODEL, size, { ...FIRST, at: `todo-${n + 1}` }, told));
    const [last = []] = frames.slice(-1);
    expect((await emulate(write(...frames), 80, 24)).lines).toEqual((await emulate(write(last), 80, 24)).lines);
    expect(paintChanges(['a', 'b'], ['a', 'b'])).toBe('');
  });

  it('ends with the keys, ? first, in any width from 40 on', () => {
    for (let columns = 40; columns <= 200; columns += 1)
      for (const frame of [
        renderRunFrame(MODEL, { columns, rows: 8 }, FIRST, { now: NOW, notice: 'x '.repeat(300) }),
        renderHomeFrame(HOME, { columns, rows: 8 }, FIRST, told),
      ])
        expect(
          frame
            .at(-1)
            ?.map(({ text }) => text)
            .join(''),
        ).toMatch(/^\? keys {2}q leave/);
  });

  it('on a screen below 40 by 8 says what waits, and nothing else', () => {
    const text = (lines: readonly Line[]) =>
      lines
        .map((line) => line.map((one) => one.text).join(''))
        .join('\n')
        .trim();
    const size = { columns: 39, rows: 7 };
    expect(text(renderHomeFrame(HOME, size, FIRST, told))).toBe('● delete-todos  40m00s');
    expect(text(renderRunFrame(MODEL, size, FIRST, told))).toMatch(/^● delete-todos 40m00s\nwaiting for you/);
  });

  it('of 40,000 todos is drawn in linear time', () => {
    const list = (size: number) =>
      Array.from({ length: size }, (_, n) => row(`todo-${n}`, { after: [`todo-${n - 1}`] }));
    const draw = (rows: TimelineRow[], at = `todo-${Math.floor(rows.length * 0.7)}`) =>
      renderRunFrame({ ...MODEL, rows }, { columns: 120, rows: 40 }, { ...FIRST, at }, told);
    const frame = draw(list(40_000));
    expect(frame.some((line) => line.some(({ text }) => text === 'todo-28000'))).toBe(true);
    expectLinear(list, draw, 40_000);
  });
});

describe('the keys of a run', () => {
  const shown = (cursor: ScreenCursor) => ({
    ...{ on: 'run' as const, page: 2, isHeld: false },
    rows: listShownRows(MODEL, cursor).map(({ id, title }) => ({ id, text: `${id} ${title}` })),
  });
  const press = (...keys: string[]) =>
    keys.reduce((now, key) => pressKey(now.cursor, key, shown(now.cursor)), {
      cursor: FIRST,
      wish: null,
      notice: null,
    } as ReturnType<typeof pressKey>);

  it('begin on the first row shown, which is the one that failed, and stay on a row by its id', () => {
    expect(listShownRows(MODEL, FIRST)[0]?.id).toBe('todo-2');
    expect(press('j').cursor.at).toBe('todo-5');
    expect(press('down', 't').cursor).toMatchObject({ at: 'todo-5', inOrder: true });
    expect(press('G', 'g', 'k').cursor.at).toBe('todo-2');
    expect(press('pagedown', 'pageup', 'end').cursor.at).toBe('todo-1');
  });

  it('find, and find the next', () => {
    expect(press('/', ...'TODO-3', 'return').cursor).toMatchObject({ at: 'todo-3', find: 'TODO-3', isTyping: false });
    expect(press('/', ...'title', 'return', 'n', 'n').cursor.at).toBe('todo-3');
    expect(press('/', 'q', 'backspace', 'escape').cursor).toMatchObject({ find: '', isTyping: false });
    expect(press('/', 'space').cursor.find).toBe(' ');
  });

  it('ask before a run is held, and only y does it', () => {
    expect(press('h').cursor.asksHold).toBe(true);
    expect(press('h', 'y').wish).toEqual({ do: 'hold' });
    expect(press('h', 'return')).toMatchObject({ cursor: { asksHold: false }, wish: null });
  });

  it('do not ask before a release, which asks itself, and say why neither is possible', () => {
    expect(pressKey(FIRST, 'h', { ...shown(FIRST), isHeld: true }).wish).toEqual({ do: 'release' });
    const ended = pressKey(FIRST, 'h', { ...shown(FIRST), isHeld: null });
    expect(ended).toMatchObject({ cursor: FIRST, wish: null, notice: 'Only a live run can be held.' });
  });

  it('say that nothing was found, while one types and at the next', () => {
    const typed = press('/', ...'todo-9');
    expect(typed).toMatchObject({ cursor: { at: 'todo-2' }, notice: 'No row has "todo-9".' });
    const frame = renderRunFrame(MODEL, { columns: 80, rows: 24 }, typed.cursor, { now: NOW, notice: typed.notice });
    expect(frame.flat().map(({ text }) => text)).toContain('No row has "todo-9".');
    expect(press('/', ...'todo-9', 'return', 'n').notice).toBe('No row has "todo-9".');
  });

  it.each([
    ['q', { do: 'leave' }],
    ['ctrl-c', { do: 'leave' }],
    ['escape', { do: 'back' }],
    ['a', { do: 'answer' }],
    ['w', { do: 'page' }],
    ['l', { do: 'show', document: 'log' }],
    ['p', { do: 'show', document: 'plan' }],
    ['d', { do: 'show', document: 'diff' }],
    ['r', { do: 'show', document: 'report' }],
    ['e', null],
    ['Z', null],
  ])('%s', (key, wish) => {
    expect(press(key).wish).toEqual(wish);
  });

  it('leave out what has not failed, close details before going back, and show all keys', () => {
    expect(listShownRows(MODEL, press('f').cursor).map(({ id }) => id)).toEqual(['todo-2']);
    expect(press('return').cursor.showsDetails).toBe(true);
    expect(press('return', 'escape')).toMatchObject({ cursor: { showsDetails: false }, wish: null });
    expect(press('?').cursor.showsKeys).toBe(true);
    expect(press('?', 'a')).toMatchObject({ cursor: { showsKeys: false }, wish: null });
  });
});

describe('home as a screen', () => {
  it('has the cursor on the first row shown, and all that have ended by a key', () => {
    expect(listHomeRows(HOME, FIRST)).toHaveLength(7);
    const rows = listHomeRows(HOME, FIRST);
    expect(pressKey(FIRST, 'return', { on: 'home', rows, page: 5, isHeld: null }).wish).toEqual({ do: 'open' });
    const { cursor } = pressKey(FIRST, 'e', { on: 'home', rows, page: 5, isHeld: null });
    expect(listHomeRows(HOME, cursor)).toHaveLength(10);
  });
});

describe('the page of a gate', () => {
  it('has what changed first, answers at the bottom, and says which part of the text is shown', () => {
    const size = { columns: 80, rows: 24 };
    const { lines, last, room } = gate(size);
    const text = lines.map((line) => line.map((one) => one.text).join(''));
    expect(text[0]).toBe('delete-todos waits for you');
    expect(text[2]).toBe('What changed since you last answered');
    expect(text.slice(-3)).toEqual(['1  approve: carry it out', '2  revise: again (requires a reason)', QUESTION]);
    expect(text).toContain(`1–${room} of ${last + room} ↓`);
    expect(
      gate(size, last)
        .lines.flat()
        .map(({ text }) => text),
    ).toContain(`${last + 1}–${last + room} of ${last + room} ↑`);
  });

  it('decides by a number alone, moves by the keys of the screens, and leaves by Enter or Escape', () => {
    const size = { columns: 80, rows: 24 };
    const page = openGatePage({ ...DECISION, looks: [LOOK] }, QUESTION, '');
    const press = (...keys: string[]) => keys.map((key) => page.press(key, size)).at(-1);
    const first = () => page.frame(size)[2]?.map(({ text }) => text);
    expect(press('1', '2', 'backspace', 'return')).toBe('1');
    press('escape');
    expect(press(...'approve', 'return')).toBe('approve');
    press('escape');
    expect(press('j', ...'revise', 'up', 'return')).toBe('revise');
    press('escape');
    expect(press('P')).toBe('p');
    expect([press('return'), press('escape')]).toEqual(['', '']);
    const begin = first();
    for (const [there, back] of [
      ['space', 'b'],
      ['j', 'up'],
      ['G', 'home'],
    ] as const) {
      press(there);
      expect(first(), there).not.toEqual(begin);
      press(back);
      expect(first(), back).toEqual(begin);
    }
  });

  it('takes a name of any length, whole or not at all, also one that begins with the letter of something to look at', () => {
    const size = { columns: 80, rows: 24 };
    const [first, ...rest] = DECISION.answers;
    if (first === undefined) throw new Error('no answer');
    const long = 'b'.repeat(60);
    const answers = [first, { ...first, id: long }, { ...first, id: 'plain' }, ...rest];
    const page = openGatePage({ ...DECISION, answers, looks: [LOOK] }, QUESTION, '');
    const typed = (text: string) => {
      page.press('escape', size);
      return [...text, 'return'].map((key) => page.press(key, size)).at(-1);
    };
    expect([typed(long), typed('plain'), typed('p')]).toEqual([long, 'plain', 'p']);
    const ids = answers.map(({ id }) => id);
    for (const more of [`${long}b`, `${long}yy`]) expect(ids).not.toContain(typed(more));
    const letters = Array.from({ length: 10 }, (_, at) => ({ ...first, id: 'qrstuvwxyz'[at] ?? '' }));
    const many = openGatePage({ ...DECISION, answers: letters }, QUESTION, '');
    expect(['1', '0', '0', 'return'].map((key) => many.press(key, size)).at(-1)).toBe('100');
  });
});

describe('words', () => {
  it('stand for signs wherever a part of a line begins with one', () => {
    const text = '✓ todo-1  Title   done · or not\n  ◐ worker  · verify  – commit\n';
    expect(spellOutSigns(text)).toBe(
      'done: todo-1  Title   done · or not\n  at work: worker  to come: verify  skipped: commit\n',
    );
  });
});
