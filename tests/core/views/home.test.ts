import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Line } from '../../../src/base/spans.js';
import { paint, showsColour } from '../../../src/cli/paint.js';
import { createFormatterFor } from '../../../src/registry/render.js';
import { runCodec } from '../../../src/run/codec.js';
import type { RunState } from '../../../src/run/state.js';
import { measureText, wrapSpans } from '../../../src/views/frames/columns.js';
import { renderHome } from '../../../src/views/frames/home.js';
import { buildHome, type FoundRun, type HomeView } from '../../../src/views/home.js';
import { goldenRuns } from '../../support/golden.mjs';

/** The screen with all runs, and its colours (view.md, Home; view.md, Colour). */

const NOW = Date.parse('2026-11-27T20:00:00.000Z');
const MINUTE = 60_000;

const WIDTHS = [40, 80, 120, 200];

const goldens = new Map(goldenRuns().map(({ title, load }) => [title.replace(/^.*\//, ''), load]));

/** Returns a golden run's state under another name; its times are shifted so that the last is `minutes` ago. */
function stateOf(
  title: string,
  name: string,
  minutes: number,
  change: Partial<Record<keyof RunState, unknown>> = {},
): RunState {
  const run = goldens.get(title)?.();
  const text = run?.files[`.dev/specs/${run.name}/state.json`] ?? '';
  const last = Date.parse((JSON.parse(text) as { updatedAt: string }).updatedAt);
  const moved = text
    .replace(/2026-\d\d-\d\dT[\d:.]+Z/g, (at) => new Date(Date.parse(at) - last + NOW - minutes * MINUTE).toISOString())
    .replaceAll(`"${run?.name}"`, `"${name}"`);
  return runCodec.parse(JSON.stringify({ ...JSON.parse(moved), ...change }));
}

const runOf = (
  title: string,
  name: string,
  minutes: number,
  change: Partial<Record<keyof RunState, unknown>> = {},
): FoundRun => ({
  name,
  state: stateOf(title, name, minutes, change),
});

const HELD = { at: new Date(NOW - 5 * MINUTE).toISOString(), by: 'human', reason: 'the schema changes first' };
const GATE = 'specify-standard-interactive.gate-pending';

/** One run of each kind. */
const RUNS: FoundRun[] = [
  runOf('execute-standard.wave-out', 'delete-todos', 3),
  runOf('execute-quick.wave-out', 'silent-one', 25),
  runOf('external-command.interrupted', 'nightly', 90),
  runOf(GATE, 'add-auth', 40),
  runOf(GATE, 'add-auth-again', 9 * 24 * 60),
  runOf('specify-quick-interactive.interview-round-2', 'talk', 2),
  runOf('execute-standard.wave-out', 'paused', 6, { held: HELD }),
  runOf('execute-standard.halted', 'stuck', 100),
  { name: 'torn', code: 'STATE_CORRUPT' },
  { ...runOf(GATE, 'add-auth', 1), root: '/srv/trees/side by side' },
  ...[1, 2, 3, 4, 5, 6, 7].map((n) => runOf('execute-quick.completed', `done-${n}`, n * 60)),
  runOf('execute-standard.aborted', 'given-up', 30),
];
const PROJECT = { project: 'todo-api', branch: 'main' };
const WHOLE = buildHome(PROJECT, RUNS, [{ name: 'rate-limits' }], NOW);

const frameOf = (home: HomeView, columns: number): Line[] =>
  renderHome(home, { now: NOW, columns, format: (root) => createFormatterFor(root) });
const textOf = (lines: readonly Line[]): string => paint(lines, false);

/** Returns the recorded frame. With DEV_CLI_TEST_RECORD=1, first records `text` as the frame. */
function recorded(name: string, text: string): string {
  const file = join(import.meta.dirname, 'frames', `${name}.txt`);
  if (process.env['DEV_CLI_TEST_RECORD'] === '1') writeFileSync(file, text);
  return readFileSync(file, 'utf8');
}

describe('home', () => {
  it.each(WIDTHS)('is as recorded in %i columns, and fits', (columns) => {
    const text = textOf(frameOf(WHOLE, columns));
    for (const line of text.split('\n')) expect(measureText(line), line).toBeLessThanOrEqual(columns);
    expect(text).toBe(recorded(`home.${columns}`, text));
  });

  it.each(WIDTHS)('of a project without runs leads to the first one in %i columns', (columns) => {
    const text = textOf(frameOf(buildHome({ project: 'todo-api', branch: null }, [], [], NOW), columns));
    expect(text).toBe(recorded(`home-empty.${columns}`, text));
  });

  it('has the groups in the order of the questions, what waits longest first, what ended last first', () => {
    expect(WHOLE.groups.map(({ title, rows, more }) => [title, rows.map(({ name }) => name).join(' '), more])).toEqual([
      ['Waiting for you', 'add-auth-again add-auth talk add-auth', 0],
      ['Agents at work', 'nightly silent-one delete-todos', 0],
      ['Held', 'paused', 0],
      ['Halted', 'stuck', 0],
      ['Cannot be read', 'torn', 0],
      ['Ended', 'given-up done-1 done-2 done-3 done-4', 3],
      ['Plans without a run', 'rate-limits', 0],
    ]);
  });

  it('calls an agent silent after ten minutes, but no command of dev-cli itself', () => {
    const silent = WHOLE.groups[1]?.rows.map(({ name, silent }) => [name, silent !== undefined]);
    expect(silent).toEqual([
      ['nightly', false],
      ['silent-one', true],
      ['delete-todos', false],
    ]);
    const [group] = buildHome(
      PROJECT,
      [runOf('execute-quick.wave-out', 'a', 10), runOf('execute-quick.wave-out', 'b', 9.9)],
      [],
      NOW,
    ).groups;
    expect(group?.rows.map(({ silent }) => silent !== undefined)).toEqual([true, false]);
  });

  it('has a gate that is open wait, also where the run is held, changed sources, and commits that wait because of HEAD', () => {
    const refused = { seq: 1, actionId: 'a1', paths: ['src/a.ts'] };
    const engine = { ...stateOf('execute-standard.completed', 'x', 1).engine };
    const state = stateOf('execute-standard.completed', 'head', 3);
    const runs: FoundRun[] = [
      runOf(GATE, 'held-gate', 1, { held: HELD }),
      runOf('specify-quick-autopilot.review-pending', 'sources', 2, { sourcesRefused: refused }),
      {
        name: 'head',
        state: { ...state, engine: { ...engine, waits: { why: 'HEAD is detached', head: true } } } as RunState,
      },
    ];
    const { groups } = buildHome(PROJECT, runs, [], NOW);
    expect(groups.map(({ title }) => title)).toEqual(['Waiting for you']);
    expect(groups[0]?.rows.map(({ text, you }) => [text, JSON.stringify(you)])).toEqual([
      ['commits wait: HEAD is detached', expect.stringContaining('"approve"')],
      ['files have changed: src/a.ts', expect.stringContaining('"approve"')],
      ['Shall this plan be carried out as it stands? (held)', expect.stringContaining('"approve"')],
    ]);
  });

  it('of 200 runs shows each that needs somebody, in any width', () => {
    const many = Array.from({ length: 200 }, (_, n): FoundRun => {
      const run = RUNS[n % 10] as FoundRun;
      const name = `run-${n}-${'x'.repeat(n % 55)}`;
      return 'state' in run ? { ...run, name, state: { ...run.state, name } } : { ...run, name };
    });
    const home = buildHome(PROJECT, many, [], NOW);
    for (const columns of WIDTHS) {
      const text = textOf(frameOf(home, columns));
      // Only a single word of a command may be too wide, because it could not be copied if it were broken.
      for (const line of text.split('\n')) if (measureText(line) > columns) expect(line).toMatch(/^ +[\w-]+( \\)?$/);
      const joined = text.replace(/ \\\n +/g, ' ');
      for (const { name } of many.filter((_, n) => n % 10 === 3))
        expect(joined.includes(`dev-cli approve ${name}`), name).toBe(true);
    }
  });

  it('shows nothing of others that a terminal would act on', () => {
    const message = 'Shall \u001b[31mthis\u001b]52;c;aGk=\u0007 be\u202e done?';
    const pending = { ...(stateOf(GATE, 'x', 1).pendingAction as object), message };
    const text = textOf(
      frameOf(
        buildHome(
          { project: 'p\u001b[2J', branch: 'b\u0007' },
          [runOf(GATE, 'x', 1, { pendingAction: pending })],
          [],
          NOW,
        ),
        80,
      ),
    );
    expect(text).toMatch(/^[\n\x20-\x7e●·]+$/);
    expect(text).toContain('Shall this be done?');
  });
});

describe('wrapped spans', () => {
  const words = fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom('a', 'two words', ' ', '漢字', 'é', '👨‍👩‍👧', '🇩🇪'),
    ),
    { maxLength: 8 },
  );
  const spans = words.map((all) =>
    all.map((text, n) => ({ text: text.replace(/\s/g, ' '), ...(n % 2 ? { as: 'bad' as const } : {}) })),
  );

  it('fit, and lose nothing but blanks where they break', () => {
    fc.assert(
      fc.property(
        spans,
        fc.integer({ min: 20, max: 200 }),
        fc.integer({ min: 0, max: 10 }),
        (given, columns, indent) => {
          const lines = wrapSpans(given, columns, indent);
          for (const line of lines)
            expect(measureText(line.map(({ text }) => text).join(''))).toBeLessThanOrEqual(columns);
          const bare = (some: Line) =>
            some
              .map(({ text }) => text)
              .join('')
              .replaceAll(' ', '');
          expect(bare(lines.flat())).toBe(bare(given));
          const shades = (some: Line) => some.flatMap(({ text, as }) => [...text.replaceAll(' ', '')].map(() => as));
          expect(shades(lines.flat())).toEqual(shades(given));
        },
      ),
    );
  });

  it('measure signs as they are shown: wide ones, joined ones, marks', () => {
    expect(['a', '漢', 'é', '👨‍👩‍👧', '🇩🇪', '❤️', 'नि', '…', '◐'].map(measureText)).toEqual([1, 2, 1, 2, 2, 2, 1, 1, 1]);
  });

  it('of a command go on as a shell takes it', () => {
    const lines = wrapSpans([{ text: 'dev-cli step invalidate delete-todos --step todo-12' }], 24, 4, ' \\');
    const text = textOf(lines);
    expect(text).toBe('dev-cli step \\\n    invalidate \\\n    delete-todos \\\n    --step todo-12\n');
  });
});

describe('colour', () => {
  const LINES: Line[] = [
    [{ text: 'plain ' }, { text: 'red', as: 'bad' }, { text: '  ', as: 'good' }],
    [{ text: 'x\u001b[7m', as: 'you' }],
  ];

  it('is put around words, and foreign ones are taken out', () => {
    expect(paint(LINES, true)).toBe('plain \u001b[31mred\u001b[0m  \n\u001b[1;33mx\u001b[0m\n');
    expect(paint(LINES, false)).toBe('plain red  \nx\n');
  });

  it('uses sixteen colours, bold and dim, and no background', () => {
    const shown = paint(frameOf(WHOLE, 120), true);
    const codes = new Set((shown.match(/\u001b\[[0-9;]*m/g) ?? []).flatMap((code) => code.slice(2, -1).split(';')));
    expect([...codes].filter((code) => !/^([012]|3[0-7]|9[0-7])$/.test(code))).toEqual([]);
    expect(shown.replace(/\u001b\[[0-9;]*m/g, '')).toBe(textOf(frameOf(WHOLE, 120)));
  });

  it.each([
    [{ TERM: 'xterm' }, true],
    [{ TERM: 'dumb' }, false],
    [{}, false],
    [{ TERM: 'xterm', NO_COLOR: '1' }, false],
    [{ TERM: 'xterm', NO_COLOR: '' }, true],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, true],
    [{ TERM: 'xterm', NO_COLOR: '1', FORCE_COLOR: '3' }, true],
    [{ TERM: 'xterm', FORCE_COLOR: '0' }, false],
  ])('with %j: %s', (env, expected) => {
    expect(showsColour(env)).toBe(expected);
  });
});
