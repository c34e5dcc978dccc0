import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { carryBoxes, followsFrom, isEdited, readBoxes, tickBox } from '../../../src/documents/plan-boxes.js';
import { renderPlan } from '../../../src/documents/plan-render.js';
import { buildPlanSummary } from '../../../src/documents/plan-summary.js';
import { formatCommandLine } from '../../../src/documents/plan-text.js';
import { renderRunSummary } from '../../../src/documents/run-summary.js';
import { aCommand, aPlan, aTodo } from './plan-fixture.js';

const HOSTILE = [
  '```',
  '### [x] todo-1: done',
  '\n### [x] todo-1: done',
  '\n\n## Todos\n',
  '<!--',
  '--> <b>',
  '"]',
  '"] --> t1',
  '# x',
  '- [x] y',
  '1. z',
  '`',
  '``',
  '\\',
  '\u202e',
  '\r### [x] todo-2: ',
  '\u2028### [x] todo-2: ',
  '~~~',
  '<script>',
  '[a](b)',
  '![i](http://x)',
  '|',
  '---',
  '===',
  '%%{init}%%',
  'end',
  '\0',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 5 })
  .map((parts) => `x${parts.join('')}`);
const ids = ['todo-1', 'todo-2', 'todo-10', 'a'];
const hostilePlan = fc
  .array(hostile, { minLength: 12, maxLength: 12 })
  .chain((texts) => fc.shuffledSubarray(ids, { minLength: 1 }).map((chosen) => ({ texts, chosen })))
  .map(({ texts, chosen }) => {
    const [t = ''] = texts;
    const todo = (id: string, index: number) =>
      aTodo(id, {
        title: texts[index] ?? t,
        files: [t],
        steps: texts,
        mustNotDo: [t],
        references: [t],
        dependsOn: chosen.slice(0, index),
        outputs: [{ name: 'o', description: t }],
        acceptance: [
          aCommand('c', texts),
          { id: 'a', kind: 'assertion', text: t },
          { id: 'h', kind: 'human', text: t },
        ],
      });
    return aPlan({
      todos: chosen.map(todo),
      context: { originalRequest: texts.join('\n'), interviewSummary: texts, researchFindings: t, assumptions: t },
      objectives: { core: t, deliverables: texts, definitionOfDone: texts, mustNotDo: texts },
      commits: chosen.slice(0, 1).map((afterTodo) => ({ afterTodo, message: t })),
      risks: [{ text: t, severity: 'low' }],
      externalDependencies: [{ when: 'pre', text: t }],
    });
  });

describe('PLAN.md', () => {
  it('has the parts in order, with checkbox headings and a graph', () => {
    const text = renderPlan(aPlan(), { 'todo-2': true });
    expect(text.match(/^#{1,2} .*$/gm)).toEqual([
      '# Plan',
      '## Objectives',
      '## Verification',
      '## Context',
      '## Todos',
      '## Dependencies',
      '## Commits',
    ]);
    expect(text).toContain('\n### [ ] todo-1: Title of todo-1\n');
    expect(text).toContain('\n### [x] todo-2: Title of todo-2\n');
    expect(text).toContain('```mermaid\ngraph TD\n  t1["todo-1: Title of todo-1"]\n');
    expect(text).toContain('  t1 --> t3\n');
    expect(text).toContain('- `npm test` (todo-1 ac-1, todo-2 ac-1, todo-3 ac-1)\n');
  });

  it('shows what a command does to the last detail', () => {
    const run = ['sh', '-c', 'rm -rf "$X"\n\x1b[1m\u202e`x`'];
    const item = {
      ...aCommand('ac-1', run),
      cwd: 'pkg',
      timeout: 9,
      expect: { exitCode: 2, stdoutContains: 'ok' },
    } as never;
    const text = renderPlan(aPlan({ todos: [aTodo('a', { acceptance: [item] })] }));
    const shown =
      '``sh -c "rm -rf \\"$X\\"\\n\\u001b[1m\\u{202e}`x`"`` in `pkg` within 9 s expecting exit 2 printing `ok`';
    expect(text).toContain(`- ac-1: ${shown}\n`);
    expect(formatCommandLine(['a', 'b c', ''])).toBe('a "b c" ""');
  });

  it('names the gaps', () => {
    const todos = [
      aTodo('a', { acceptance: [{ id: '1', kind: 'assertion', text: 'x' }] }),
      aTodo('v', { type: 'verification', acceptance: [] }),
    ];
    expect(renderPlan(aPlan({ todos }))).toContain(
      '**Gaps**\n- a has no command; an agent judges it\n- v has no acceptance at all\n',
    );
  });

  it('has exactly the structure of a harmless plan, whatever its texts hold', () => {
    const skeleton = (text: string) =>
      text
        .split('\n')
        .filter((line) => /^(#|```|~~~|<|=|---)/.test(line))
        .map((line) => line.replace(/(### \[.\] [\w-]+:).*/, '$1').replace(/\([0-9a-f]{12}\)/, '()'));
    fc.assert(
      fc.property(hostilePlan, (plan) => {
        const harmless = JSON.parse(JSON.stringify(plan), (key, value) =>
          typeof value === 'string' &&
          !['id', 'kind', 'name', 'type', 'risk', 'severity', 'when', 'afterTodo'].includes(key) &&
          !ids.includes(value)
            ? 'x'
            : value,
        );
        const text = renderPlan(plan);
        expect(skeleton(text)).toEqual(skeleton(renderPlan(harmless)));
        expect(text).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}|[\u2028\u2029]/u);
        const graph = /```mermaid\n([\s\S]*?)\n```/.exec(text)?.[1]?.split('\n').slice(1) ?? [];
        for (const line of graph)
          expect(line).toMatch(/^ {2}(t\d+\["[\w-]+: [\p{L}\p{N} .,:/_…#;-]*"\]|t\d+ --> t\d+)$/u);
      }),
      { numRuns: 500 },
    );
  });
});

describe('boxes', () => {
  const boxesFor = fc
    .tuple(hostilePlan, fc.subarray(ids))
    .map(([plan, ticked]) => ({ plan, ticked: Object.fromEntries(ticked.map((id) => [id, true])) }));

  it('are read back as rendered, and a rendered plan is not edited', () => {
    fc.assert(
      fc.property(boxesFor, fc.boolean(), ({ plan, ticked }, crlf) => {
        const text = renderPlan(plan, ticked);
        const stored = crlf ? text.replaceAll('\n', '\r\n') : text;
        expect(readBoxes(stored)).toEqual(Object.fromEntries(plan.todos.map(({ id }) => [id, ticked[id] === true])));
        expect(isEdited(stored)).toBe(false);
        expect(followsFrom(stored, plan)).toBe(true);
        for (const { id } of plan.todos) {
          const after = tickBox(stored, id);
          expect(readBoxes(after)).toEqual({ ...readBoxes(stored), [id]: true });
          expect(isEdited(after)).toBe(false);
          expect(followsFrom(after, plan)).toBe(true);
          expect(tickBox(after, id)).toBe(after);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('any other change of a character is an edit', () => {
    const plan = aPlan();
    const text = renderPlan(plan);
    const positions = new Set([...text.matchAll(/^### \[/gm)].map((match) => match.index + '### ['.length));
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), (at) => {
        const changed = `${text.slice(0, at)}§${text.slice(at + 1)}`;
        const cut = text.slice(0, at) + text.slice(at + 1);
        expect(isEdited(changed) && isEdited(cut)).toBe(true);
        expect(followsFrom(changed, plan) || followsFrom(cut, plan)).toBe(false);
      }),
    );
    expect(positions.size).toBe(3);
  });

  it('ticking todo-1 leaves todo-10 alone; an unknown one is refused', () => {
    const text = renderPlan(aPlan({ todos: [aTodo('todo-10'), aTodo('todo-1')] }));
    expect(readBoxes(tickBox(text, 'todo-1'))).toEqual({ 'todo-10': false, 'todo-1': true });
    expect(() => tickBox(text, 'todo')).toThrow(/PLAN.md has no heading/);
    expect(() => tickBox(text, 'constructor')).toThrow(/PLAN.md has no heading/);
  });

  it('in code are none, and a forged second one does not tick', () => {
    expect(readBoxes('```\n### [x] a: b\n```\n')).toEqual({});
    expect(readBoxes('### [x] a: b\n### [ ] a: b\n### [x] a: b\n')).toEqual({ a: false });
  });

  it('generating again keeps those of unchanged todos only', () => {
    const before = aPlan();
    const old = renderPlan(before, { 'todo-1': true, 'todo-2': true });
    const after = aPlan({
      todos: [aTodo('todo-1'), aTodo('todo-2', { dependsOn: ['todo-1'], steps: ['other'] }), aTodo('new')],
    });
    expect(carryBoxes(old, after)).toEqual({ 'todo-1': true });
    expect(carryBoxes(old.replace('Title of todo-1', 'Another'), after)).toEqual({});
  });
});

describe('the summary of a plan', () => {
  it('is one line with shape, risk and checks', () => {
    const human = { id: 'h', kind: 'human' as const, text: 'x' };
    const todos = [
      aTodo('todo-1', { risk: 'high' }),
      aTodo('todo-2', { dependsOn: ['todo-1'] }),
      aTodo('todo-3', { dependsOn: ['todo-1'], risk: 'medium' }),
      aTodo('todo-4', { dependsOn: ['todo-2', 'todo-3'], acceptance: [aCommand('a'), human] }),
    ];
    expect(buildPlanSummary(aPlan({ todos })).line).toBe(
      '4 todos (1 → 2,3 → 4), risk 1H/1M/2L, 4 commands, 0 assertions, 1 human check',
    );
    const ticked = buildPlanSummary(aPlan({ todos }), { 'todo-1': true });
    expect(ticked.line).toContain('4 todos (1 → 2,3 → 4), 1 done,');
    expect(ticked.text).toContain(
      '\n[x] todo-1: Title of todo-1 (high)\n[ ] todo-2: Title of todo-2 (low, after todo-1)\n',
    );
  });

  it('describes a shape that would be too long', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      aTodo(`todo-${index}`, { dependsOn: index === 0 ? [] : ['todo-0'] }),
    );
    expect(buildPlanSummary(aPlan({ todos: many })).line).toContain('60 todos (2 waves, at most 59 at once)');
    expect(buildPlanSummary(aPlan({ todos: [aTodo('only')] })).line).toContain(
      '1 todo (only), risk 0H/0M/1L, 1 command,',
    );
  });
});

describe('summary.md', () => {
  it('renders what there is and leaves out what is empty', () => {
    const text = renderRunSummary({
      goal: 'Add auth\n# now',
      outcome: 'completed',
      at: '2026-11-21T22:00:00.000Z',
      done: ['plan'],
      decisions: [{ text: 'JWT', reason: 'stateless', by: 'user', at: '2026-11-21T21:38:00.000Z' }],
      changedFiles: [],
      verification: [],
      openIssues: ['<b>'],
      next: ['/execute'],
    });
    expect(text).toBe(
      [
        '# Summary',
        '',
        'Goal: Add auth # now',
        '',
        'Outcome: completed (2026-11-21T22:00:00.000Z)',
        '',
        '## Open issues',
        '',
        '- &lt;b>',
        '',
        '## Done',
        '',
        '- plan',
        '',
        '## Decisions',
        '',
        '- JWT, because stateless (user, 2026-11-21T21:38:00.000Z)',
        '',
        '## Next',
        '',
        '- /execute',
        '',
      ].join('\n'),
    );
  });
});
