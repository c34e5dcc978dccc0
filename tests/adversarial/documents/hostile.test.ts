import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { assumeMissing } from '../../../src/documents/assume.js';
import { createDraft, readDraft, readDraftStatus } from '../../../src/documents/draft.js';
import { updateDraft } from '../../../src/documents/draft-edit.js';
import { maskSecrets, renderForeignBlock, toBoundedLine } from '../../../src/documents/foreign.js';
import { splitFrontMatter } from '../../../src/documents/front-matter.js';
import { importReports } from '../../../src/documents/import-reports.js';
import { checkReport } from '../../../src/documents/report.js';
import { parseJson, parseSections } from '../../../src/documents/section-data.js';
import { splitStatements } from '../../../src/documents/sentences.js';
import { checkPlan } from '../../../src/plan/check/check.js';
import { listUncovered } from '../../../src/plan/check/coverage.js';
import { isEdited, readBoxes, tickBox } from '../../../src/plan/page/boxes.js';
import { renderProse } from '../../../src/plan/page/prose.js';
import { renderPlan } from '../../../src/plan/page/render.js';
import { createPlanExtras, readPlanExtras } from '../../../src/plan/page/setting.js';
import { buildPlanSummary } from '../../../src/plan/page/summary.js';
import { aCommand, aPlan, aTodo } from '../../core/plan/fixture.js';
import { expectLinear } from '../../support/growth.js';
import { chosenSeed } from '../../support/seeded.js';

const draft = createDraft('x');
const plan = aPlan();
const traced = aPlan({ requirements: [{ id: 'r-1', quote: 'x', from: 'user', text: 'x' }] });

/** All functions that read text from outside dev-cli. */
const READERS: Record<string, (text: string) => unknown> = {
  readDraft,
  draftStatus: (text) => readDraftStatus(text, ['intent']),
  updateDraft: (text) => updateDraft(text, { intent: text }),
  'updateDraft with it': (text) =>
    readDraft(updateDraft(draft, { purpose: text, boundaries: [text, { [text]: text }] })),
  'updateDraft, appending': (text) =>
    updateDraft(updateDraft(draft, { findings: text }), { findings: text }, { append: true }),
  importReports: (text) =>
    importReports(updateDraft(draft, { findings: text }), [{ agent: text, path: text, status: 'done', summary: text }]),
  autoAssume: (text) => assumeMissing(draft, { goal: text, missing: ['intent', 'purpose', 'criteria'], reports: [] }),
  parseSections,
  parseJson,
  splitFrontMatter,
  checkReport: (text) => checkReport(text, { agent: 'a', verdict: true }),
  'checkReport with it': (text) => checkReport(`---\nagent: a\ntimestamp: 2026-01-01\nsummary: ${text}\n---\n${text}`),
  splitStatements,
  uncovered: (text) => listUncovered(text, [text.slice(10, 200)]),
  renderProse,
  'PLAN.md with it': (text) => readPlanExtras(renderPlan(plan, {}, createPlanExtras(traced, 'x', text))),
  readPlanSetting: readPlanExtras,
  readBoxes,
  tickBox: (text) => tickBox(text, 'todo-1'),
  isEdited: (text) => isEdited(text),
  maskSecrets,
  foreignBlock: (text) => renderForeignBlock(text, { label: text, cap: 1000 }),
  foreignLine: (text) => toBoundedLine(text, 1000),
  renderPlan: (text) =>
    renderPlan(
      aPlan({
        todos: [aTodo('a', { title: text, steps: [text], files: [text], acceptance: [aCommand('c', [text])] })],
      }),
    ),
};

function refusedCleanly(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    expect(error.message).not.toBe('');
  }
}

const piece = fc.oneof(
  fc.constantFrom(
    '## ',
    '## intent\n',
    '<!-- section: intent -->',
    '<!-- empty: ',
    '-->',
    '```',
    '~~~~',
    '\n',
    '\r\n',
    '\r',
    '---\n',
    '...\n',
    '---\nagent: a\n',
    ': ',
    '&a ',
    '*a',
    '!!js/function ',
    '? ',
    '- ',
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    '\\u',
    ',',
    '1e999',
    '### [x] todo-1: ',
    '\x1b[',
    '\x1b]',
    '\u202e',
    '\ud800',
    '__proto__',
    'constructor',
    '\0',
    '\ufeff',
    '%YAML 9.9\n',
    '%TAG ! x\n',
    '<<: ',
    '|2\n',
    '>-\n',
    '\t',
    'password=',
    '-----BEGIN PRIVATE KEY-----',
    '://a:',
  ),
  fc.string({ unit: 'binary' }),
);
const fuzz = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));

describe('whatever the text', () => {
  it.each(Object.keys(READERS))('%s answers or refuses with the one error type', (name) => {
    const read = READERS[name] as (text: string) => unknown;
    fc.assert(
      fc.property(fuzz, fc.boolean(), (text, inDraft) => {
        refusedCleanly(() => read(inDraft ? draft.replace('<!-- empty: what must not change -->', text) : text));
      }),
      { numRuns: 200 },
    );
  });

  it('checkPlan reports findings on any value', () => {
    const value = fc.oneof(
      fc.anything(),
      fc.json().map((json): unknown => JSON.parse(json)),
    );
    fc.assert(
      fc.property(
        value,
        value,
        value,
        fc.constantFrom('id', 'dependsOn', 'inputs', 'acceptance', 'files', 'title'),
        (a, b, c, key) => {
          expect(checkPlan(a).ok).toBe(false);
          const checked = checkPlan({ ...plan, todos: [{ ...plan.todos[0], [key]: b }, ...plan.todos, c] });
          expect(checked.ok).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });
});

/**
 * The unit in which the sizes of the texts of `large` are given. The texts are made so that a search that backtracks
 * would take forever on them.
 */
const MEGABYTE = 1024 * 1024;
const large = (size: number): Record<string, string> => {
  const lines = Math.min(2000, Math.floor(4 * Math.sqrt(size)));
  const fill = (unit: string): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
  return {
    blanks: fill(' '),
    'blanks before a letter': `${fill(' ')}x`,
    newlines: fill('\n'),
    'lines of blanks': fill('        \n'),
    hashes: fill('#'),
    headings: fill('## x\n'),
    'fences that nothing closes': fill('```js\n'),
    'fences of both kinds': fill('```\n~~~\n'),
    'longer and shorter fences': Array.from({ length: lines }, (_, index) => `${'`'.repeat(lines + 3 - index)}x`).join(
      '\n',
    ),
    backticks: fill('`'),
    'backticks and letters': fill('`a'),
    backslashes: fill('\\'),
    markers: fill('<!-- section: intent -->\n'),
    'open placeholders': fill('<!-- empty: '),
    'comment ends': `<!-- empty: ${fill('-->')}`,
    'front matter fences': fill('---\n'),
    'front matter never closed': `---\n${fill('a: 1\n')}`,
    'nested brackets': fill('['),
    'nested braces': fill('{"a":'),
    'one JSON text': `"${fill('\\u0041')}`,
    digits: fill('1'),
    escapes: fill('\x1b]'),
    'escapes and parameters': fill('\x1b[1;'),
    'key blocks never closed': fill('-----BEGIN PRIVATE KEY-----'),
    'tokens never finished': fill('eyJabcdefgh-'),
    'tokens with dots': fill('eyJabcdefgh.'),
    'one long token': `sk-proj-${fill('a')}`,
    assignments: fill('token='),
    'password and blanks': fill('password        '),
    'credentials never finished': fill('://a:b'),
    bearers: fill('Bearer a'),
    surrogates: fill('\ud800'),
    boxes: fill('### [ ] todo-1: x\n'),
    bullets: fill('- a\n'),
    text: fill('The quick brown fox jumps over the lazy dog.\n'),
  };
};

function readAll(name: string, most: number): void {
  const make = (size: number) => large(size)[name] as string;
  for (const [reader, read] of Object.entries(READERS))
    expectLinear(make, (text) => refusedCleanly(() => read(text)), most, reader);
}

describe('large texts', () => {
  // The seed chooses one third of the texts; DEV_CLI_HOSTILE=all tries all.
  const third = process.env['DEV_CLI_HOSTILE'] === 'all' ? null : chosenSeed() % 3;
  const names = Object.keys(large(0)).filter((_, at) => third === null || at % 3 === third);
  it.each(names)('%s', (name) => readAll(name, MEGABYTE / 4), 300_000);

  it.each(['text', 'blanks before a letter', 'one JSON text', 'nested brackets'])(
    'two megabytes of %s',
    (name) => readAll(name, 2 * MEGABYTE),
    300_000,
  );
});

describe('large plans', () => {
  it('of 10,000 todos in one chain are checked, rendered and summed up', () => {
    const chain = Array.from({ length: 10_000 }, (_, index) =>
      aTodo(`t${index}`, { dependsOn: index === 0 ? [] : [`t${index - 1}`] }),
    );
    const long = aPlan({ todos: chain });
    expect(checkPlan(long).ok).toBe(true);
    expect(buildPlanSummary(long).line).toContain('10000 todos (10000 waves, at most 1 at once)');
    const text = renderPlan(long, { t9999: true });
    expect(isEdited(text)).toBe(false);
    expect(readBoxes(text)['t9999']).toBe(true);
  });

  it('of 10,000 todos in one circle get one finding', () => {
    const circle = Array.from({ length: 10_000 }, (_, index) =>
      aTodo(`t${index}`, { dependsOn: [`t${(index + 1) % 10_000}`] }),
    );
    const checked = checkPlan(aPlan({ todos: circle }));
    expect(checked.ok ? [] : checked.findings).toHaveLength(1);
    expect(checked.ok ? '' : checked.findings[0]?.problem.length).toBeLessThan(200);
  });

  it('that are nothing but faults are refused within bounds', () => {
    const numbers = Array.from({ length: 2_000_000 }, () => 1);
    const checked = checkPlan({ ...plan, todos: numbers });
    expect(checked).toEqual({
      ok: false,
      findings: [{ pointer: '', problem: 'the plan holds more than 1000000 values' }],
    });
    const many = checkPlan({ ...plan, todos: numbers.slice(0, 200_000) });
    expect(many.ok ? 0 : many.findings.length).toBe(501);
  });
});
