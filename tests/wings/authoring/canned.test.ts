import { describe, expect, it } from 'vitest';
import { checkReport } from '../../../src/documents/report.js';
import { checkPlan } from '../../../src/plan/check/check.js';
import { validateBySchema } from '../../../src/recipe/user-schema.js';
import type { PendingAction } from '../../../src/run/action.js';
import { buildValue } from '../../../src/wings/authoring/canned/data.js';
import { buildPlan } from '../../../src/wings/authoring/canned/plan.js';
import { buildCannedReport, changeReport, listAwaitedWords } from '../../../src/wings/authoring/canned/report.js';
import { createRandom } from '../../../src/wings/authoring/simulate.js';
import { renderJunit } from '../../../src/wings/authoring/tests/junit.js';
import { openSnapshots } from '../../../src/wings/authoring/tests/snapshots.js';
import { NOTES, runText, TRIED } from './theatre.js';

describe('what is canned (authoring.md, Simulations)', () => {
  it.each(['small', 'middle', 'large'] as const)(
    'is a plan of %s size that holds up, with or without a goal',
    (size) => {
      for (const goal of [null, 'Let clients remove to-dos', `x${'y'.repeat(900)}\nmore`, '"quoted": {braces}']) {
        const plan = { ...buildPlan(goal, size, 'high') };
        expect(checkPlan({ ...plan, context: { ...plan.context, originalRequest: goal ?? 'nothing' } })).toMatchObject({
          ok: true,
        });
        expect(plan.todos).toHaveLength(size === 'large' ? 3 : 1);
      }
    },
  );

  it('is a report as its prompt demands it, and what a script makes of it', () => {
    const report = buildCannedReport('plan-reviewer', { verdict: true, words: ['SHIP'] });
    const judge = (text: string) => checkReport(text, { agent: 'plan-reviewer', verdict: true });
    expect(judge(report)).toMatchObject({
      ok: true,
      report: { verdict: 'OKAY' },
      body: expect.stringContaining('SHIP'),
    });
    expect(judge(changeReport(report, 'REJECT'))).toMatchObject({ ok: true, report: { verdict: 'REJECT' } });
    expect(judge(changeReport(report, { verdict: 'REJECT', questions: 2, body: 'Two.' }))).toMatchObject({
      ok: true,
      report: { verdict: 'REJECT', questions: 2 },
      body: expect.stringContaining('Two.'),
    });
    expect(changeReport(report, 'nothing\nof this')).toBe('nothing\nof this');
    expect(listAwaitedWords(`agents["a"].verdict == "OKAY" || result contains DONE`)).toEqual(['OKAY', 'DONE']);
  });

  it.each([
    {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string', pattern: '^v\\d+$' }, b: { type: 'integer', minimum: 5 } },
    },
    { type: 'array', minItems: 2, items: { enum: ['x', 'y'] } },
    {
      $defs: { t: { type: 'string', minLength: 30 } },
      type: 'object',
      required: ['t'],
      properties: { t: { $ref: '#/$defs/t' } },
    },
    { oneOf: [{ type: 'object', required: ['k'], properties: { k: { const: 1 } } }, { type: 'null' }] },
    { type: 'object', required: ['d'], properties: { d: { type: 'boolean', default: true } } },
  ])('is a value that fits its schema, the same for the same seed: %j', async (schema) => {
    const text = JSON.stringify(schema);
    for (const seed of [1, 2, 3]) {
      const value = await buildValue(text, seed);
      expect(validateBySchema(text, value)).toEqual([]);
      expect(await buildValue(text, seed)).toEqual(value);
    }
  });

  it('is chance that repeats itself and leaves nothing out', () => {
    const draw = (seed: number) =>
      Array.from(
        { length: 60 },
        (
          (chance) => () =>
            chance.below(4)
        )(createRandom(seed)),
      );
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(new Set(draw(7))).toEqual(new Set([0, 1, 2, 3]));
  });
});

describe('snapshots (authoring.md, Snapshots)', () => {
  const action = (instruction: string) =>
    ({ run: 'r', block: 'b', actionId: 'a1', action: 'llm', instruction, progress: '1/1' }) as PendingAction;

  it('are kept with update, held to without, and dropped where no case has them', () => {
    const made = openSnapshots('{"old":{"1":{}}}', true);
    expect(made.compare('a', 0, action('Do it.'))).toBeNull();
    const text = made.render();
    expect(JSON.parse(text ?? '')).toEqual({ a: { 1: expect.objectContaining({ instruction: 'Do it.' }) } });
    const held = openSnapshots(text, false);
    expect(held.compare('a', 0, action('Do it.'))).toBeNull();
    expect(held.compare('a', 0, action('Do that.'))).toBe(
      'The action differs from its snapshot at /instruction: expected "Do it.", got "Do that.".',
    );
    expect(held.compare('a', 1, action('Do it.'))).toContain('No snapshot');
    expect(held.render()).toBeNull();
    const again = openSnapshots(text, true);
    again.compare('a', 0, action('Do it.'));
    expect(again.render()).toBeNull();
    expect(openSnapshots('{ torn', false).compare('a', 0, action('Do it.'))).toContain('No snapshot');
  });
});

describe('snapshots of a case that went wrong (authoring.md, Snapshots)', () => {
  const WRONG = 'recipe: tried\ncases: [{ name: whole, steps: [{ expect: { block: part }, choose: nowhere }] }]\n';
  const kept = JSON.stringify({ whole: { 1: { block: 'part' } }, gone: { 1: {} } });

  it('stay when they are updated, those of no case do not', async () => {
    const snapshots = openSnapshots(kept, true);
    await runText(TRIED, WRONG, { snapshots, files: { '.dev/recipes/notes.json': NOTES } });
    expect(JSON.parse(snapshots.render() ?? '')).toEqual({ whole: { 1: { block: 'part' } } });
  });
});

describe('a report in the form of JUnit (authoring.md, recipe test)', () => {
  it('is XML whatever a test says', () => {
    const problem = {
      severity: 'error',
      message: 'a <b> & "c"\u0001',
      file: 'x.test.yaml',
      line: 1,
      column: 2,
      length: 1,
    } as const;
    const xml = renderJunit([
      {
        file: 'x.test.yaml',
        recipe: 'x',
        cases: [
          { name: 'good & "so" 🙂', actions: 1, problems: [] },
          { name: 'bad', actions: 1, problems: [problem] },
        ],
        coverage: null,
        problems: [problem, { ...problem, message: 'of the file' }],
        text: '',
      },
    ]);
    expect(xml).toContain('<testsuite name="x.test.yaml" tests="3" failures="2">');
    expect(xml).toContain('name="good &amp; &quot;so&quot; 🙂"/>');
    expect(xml).toContain('<failure message="x.test.yaml:1:2: a &lt;b&gt; &amp; &quot;c&quot;�">');
    expect(xml).not.toMatch(/[\u0000-\u0008]/);
  });
});
