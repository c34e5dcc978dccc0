import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCommandLine } from '../../../src/documents/plan-text.js';
import { renderBriefSummary, renderRunSummary } from '../../../src/documents/run-summary.js';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { followsFrom, isEdited, readBoxes, rerenderPlan, tickBox } from '../../../src/plan/page/boxes.js';
import { renderCell, renderProse } from '../../../src/plan/page/prose.js';
import { renderPlan } from '../../../src/plan/page/render.js';
import { createPlanExtras, type PlanExtras, readPlanExtras } from '../../../src/plan/page/setting.js';
import { buildPlanSummary } from '../../../src/plan/page/summary.js';
import { carryBoxes } from '../../../src/plan/read-back/unchanged-todos.js';
import { CHANGES } from '../../support/changes.mjs';
import { aCommand, aPlan, aTodo } from './fixture.js';
import { HOSTILE, hostilePlan, ids } from './hostile.js';

const SETTING: PlanExtras = {
  name: 'add-auth',
  request: 'Add JWT auth. Remove the old login.',
  uncovered: ['- Remove the old login.'],
};
const whole = (id: string) =>
  aTodo(id, { serves: ['r-1'], acceptance: [{ ...aCommand('ac-1'), proves: ['r-1'] } as never] });

/** Returns a plan with every possible part. */
function wholePlan(): PlanContent {
  const { originalRequest: _, ...context } = aPlan().context;
  return aPlan({
    size: 'large',
    context: { ...context, assumptions: '- Clients can wait\n' },
    requirements: [{ id: 'r-1', quote: 'Add JWT auth', from: 'request', text: 'Requests without a token get 401' }],
    decisions: [
      { text: 'HS256', reason: 'RS256 was turned down: no keys', by: 'agent', serves: ['r-1'] },
      { text: 'Tokens last an hour', by: 'assumed' },
    ],
    objectives: { ...aPlan().objectives, mustNotDo: [{ text: 'Change routes', paths: ['routes/**'] }] },
    todos: [
      whole('todo-1'),
      aTodo('todo-2', { dependsOn: ['todo-1'] }),
      aTodo('todo-3', {
        dependsOn: ['todo-1'],
        serves: ['r-1'],
        files: ['a', 'b', 'c', 'd', 'e'],
        acceptance: [
          { id: 'as-1', kind: 'assertion', text: 'x', proves: ['r-1'] },
          { id: 'h-1', kind: 'human', text: 'It reads well' },
          { id: 'h-2', kind: 'human', text: 'x' },
        ],
      }),
    ],
    commits: [{ afterTodo: 'todo-1', message: 'Tokens' }],
    risks: [{ text: 'It breaks', severity: 'high' }],
    externalDependencies: [{ when: 'pre', text: 'keys' }],
  });
}
describe('PLAN.md', () => {
  it('has two layers: what somebody decides on, then a line, then what workers do', () => {
    const text = renderPlan(wholePlan(), { 'todo-2': true }, SETTING);
    expect(text.match(/^(?:#{1,3} .*|---)$/gm)).toEqual([
      '# Plan: add-auth (large)',
      '## Requirements',
      '## What changes',
      '## Decisions',
      '## Must not be done',
      '## Unconfirmed',
      '## Words of the request that no requirement covers',
      '## Todos',
      '## What a person has to do',
      '## Risks',
      '## Commands, run by dev-cli',
      '---',
      '### [ ] todo-1: Title of todo-1',
      '### [x] todo-2: Title of todo-2',
      '### [ ] todo-3: Title of todo-3',
      '## Commits',
      '## Context',
      '## Request',
    ]);
    for (const line of [
      '| r-1 | Requests without a token get 401 | the request: "Add JWT auth" | todo-1/ac-1, todo-3/as-1 (agent) |',
      '- done when: tests',
      '| HS256 | RS256 was turned down: no keys | agent | r-1 |',
      '| Tokens last an hour |  | assumed | all |',
      '- Change routes (`routes/**`)',
      '- Clients can wait',
      '- Remove the old login.',
      '| todo-3: Title of todo-3 | todo-1 | `a`, `b`, `c`, `d`, 1 more | an agent, 2 checks by a person | low |',
      '  t1["todo-1: Title of todo-1"]',
      '  t1 --> t3',
      '- before: keys',
      '- judge todo-3/h-1: It reads well',
      '- high: It breaks',
      '- `npm test` exit 0 (todo-1/ac-1, todo-2/ac-1)',
      'work, risk low, after todo-1, serves r-1',
      '**Files** `a`, `b`, `c`, `d`, `e`',
      '- after todo-1: Tokens',
      'Add JWT auth. Remove the old login.',
    ])
      expect(text.split('\n')).toContain(line);
  });

  it('leaves out what is empty: a small one has at most 40 lines', () => {
    const { plan: planOf, goal, name } = CHANGES.small;
    const plan = planOf(0) as PlanContent;
    const text = renderPlan(plan, {}, createPlanExtras(plan, name, goal));
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(text).not.toMatch(/## (?:Must not|Unconfirmed|Words|Todos|Commands|Commits|Risks|Request)/);
    expect(followsFrom(text, plan)).toBe(true);
    const asked = renderPlan(plan, {}, createPlanExtras(plan, name, `${goal}\nAt once.`));
    expect(asked).toContain(`\n## Request\n\`\`\`text\n${goal}\nAt once.\n\`\`\`\n`);
  });

  it('of four todos shows what is decided on in two screens', () => {
    const todos = [1, 2, 3, 4].map((n) => ({ ...whole(`todo-${n}`), dependsOn: n > 1 ? [`todo-${n - 1}`] : [] }));
    const text = renderPlan({ ...wholePlan(), todos }, {}, SETTING);
    expect(text.split('\n---\n')[0]?.split('\n').length).toBeLessThanOrEqual(100);
  });

  it('shows what a command does to the last detail', () => {
    const run = ['sh', '-c', 'rm -rf "$X"\n\x1b[1m\u202e`x`'];
    const item = (expect: object) => ({ ...aCommand('ac-1', run), cwd: 'pkg', timeout: 9, expect }) as never;
    const shown = (expect: object) =>
      renderPlan(aPlan({ todos: [aTodo('a', { acceptance: [item(expect)] })] })).match(/^- ac-1: .*$/m)?.[0];
    const command = '``sh -c "rm -rf \\"$X\\"\\n\\u001b[1m\\u{202e}`x`"``';
    expect(shown({ exitCode: [2, 3], stdoutContains: 'ok', stdoutLacks: 'not ok' })).toBe(
      `- ac-1: ${command} exit 2 or 3, prints \`ok\`, not \`not ok\`, in \`pkg\`, 9 s`,
    );
    expect(shown({ stdoutLacks: '`' })).toBe(`- ac-1: ${command} exit 0, prints not \`\` \` \`\`, in \`pkg\`, 9 s`);
    expect(formatCommandLine(['a', 'b c', ''])).toBe('a "b c" ""');
  });

  it.each([
    ['Use <T>, not any; see [the docs](http://x).', 'Use `<T>`, not any; see `[the docs](http://x`).'],
    ['**Important** and *this* (`a|b`)', '**Important** and *this* (`a|b`)'],
    ['__init__.py, _private and snake_case', '`__init__.py`, `_private` and snake_case'],
    ['src/**/*.ts and 2 * 3', '`src/**/*.ts` and 2 * 3'],
    ['~5 times, ~/x, a~b, ~~c~~', '~5 times, ~/x, `a~b`, `~~c~~`'],
    ['# Title #', '`#` Title `#`'],
    ['- [x] item', '`- [x]` item'],
    ['1. first', '`1`. first'],
    ['$5, $HOME, a & b, &amp; C:\\x', '$5, `$HOME`, a & b, `&amp`; `C:\\x`'],
    ['a < b, x<y && z>w, <=', 'a < b, `x<y` && z>w, <='],
    ['a ``` b ` c `d`', 'a ```` ``` ```` b `` ` c `d` ``'],
    ['a ` b', 'a `` ` `` b'],
    ['a `b\\` c', 'a `b\\` c'],
    ['a \\`b` c', 'a `` \\`b` `` c'],
    ['http://x/`a', '``http://x/`a``'],
    ['http://x/?a=1&b=2 as ever', 'http://x/?a=1&b=2 as ever'],
    ['<!-- x -->', '`<!--` x -->'],
    [
      'a Plugin<T extends Args = any>, not Map<K, V> or f<A => B>',
      'a `Plugin<T extends Args = any>`, not `Map<K, V>` or `f<A => B>`',
    ],
    ['f([1, 1], x) and a[i]', '`f([1, 1]`, x) and `a[i]`'],
    ['For plugins [a, b]: one, [so] it is, [ and ]', 'For plugins `[a, b]`: one, `[so]` it is, `[ and ]`'],
    ['List<a that nothing closes', '`List<a` that nothing closes'],
    [' lines\nbecome\tone ', 'lines become one'],
    ['prints  `(default 3000)  (env PORT)`  twice', 'prints `(default 3000)  (env PORT)` twice'],
    ['`  `  and ``a  ` b``', '`  ` and ``a  ` b``'],
    ['`a\n  b`  and `c\td`', '`a b` and `c\\u{9}d`'],
    ['a \\`b  c`  d', 'a `` \\`b c` `` d'],
    ['[`a  b`](x)  y', '``[`a  b`](x``) y'],
    ['a `b  c', 'a `` `b `` c'],
    ['\u202ehidden', '`\\u{202e}hidden`'],
    ['添加<端点>', '添加<端点>'],
  ])('reads %j as %j, in a terminal as in a viewer', (text, shown) => {
    expect(renderProse(text)).toBe(shown);
    expect(renderProse(shown)).toBe(shown);
  });

  it('escapes nothing but bars in tables', () => {
    expect(renderCell('a | `b|c`')).toBe('a \\| `b\\|c`');
    expect(renderCell('\\|')).toBe('`\\\\u{7c}`');
  });

  it('has exactly the structure of a harmless plan, whatever its texts hold', () => {
    const bars = (line: string) => `row of ${line.replace(/\\./g, '').split('|').length}`;
    const skeleton = (text: string) =>
      text
        .replace(/\n## Request\n[\s\S]*/, '')
        .split('\n')
        .filter((line) => /^(#|`{3,}[^`]*$|~~~|<|=|---|\|)/.test(line))
        .map((line) => (line.startsWith('|') ? bars(line) : line))
        .map((line) => line.replace(/(### \[.\] [\w-]+:).*/, '$1').replace(/\([0-9a-f]{12}\)/, '()'));
    fc.assert(
      fc.property(hostilePlan, (plan) => {
        const harmless = JSON.parse(JSON.stringify(plan), (key, value) =>
          typeof value === 'string' &&
          !['id', 'kind', 'name', 'type', 'risk', 'severity', 'when', 'afterTodo', 'from', 'by'].includes(key) &&
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

  it('are carried and compared with whatever the run shows besides', () => {
    const { originalRequest: _, ...context } = aPlan().context;
    const request = fc.array(fc.oneof(fc.constantFrom(...HOSTILE, '\n', '## Request', '\t'), fc.string()), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(request, fc.boolean(), (parts, isTraced) => {
        const requirements = [{ id: 'r-1', quote: 'x', from: 'user' as const, text: 'x' }];
        const plan = aPlan({ context, ...(isTraced ? { requirements } : {}) });
        const setting = createPlanExtras(plan, 'add-auth', parts.join('\n'));
        const text = renderPlan(plan, { 'todo-1': true }, setting);
        // A request that a requirement quotes in full is not shown a second time.
        const { request: quoted, ...others } = setting;
        expect(readPlanExtras(text)).toEqual(isTraced && quoted === 'x' ? others : setting);
        expect([followsFrom(text, plan), isEdited(text)]).toEqual([true, false]);
        expect(rerenderPlan(text, plan, carryBoxes(text, plan))).toBe(text);
        expect(followsFrom(text, aPlan({ context, risks: [{ text: 'x', severity: 'low' }] }))).toBe(false);
      }),
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
    expect(carryBoxes(old.replace('[x] todo-1: Title', '[x] todo-1: Another'), after)).toEqual({});
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

  it('beside a report is half a page, however long that is, with a link to it', () => {
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at}: ${'x'.repeat(1000)}`);
    const requirement = (id: string, result: string) => ({ id, text: 'A', proof: 'p', result });
    const text = renderBriefSummary(
      {
        goal: 'Add auth',
        outcome: 'halted',
        at: '2026-11-21T22:00:00.000Z',
        requirements: [requirement('r-1', 'met'), requirement('r-2', 'not met'), requirement('r-3', 'met, as it says')],
        done: lines,
        failed: lines,
        unconfirmed: lines,
        decisions: lines.map((line) => ({ text: line, by: 'agent' })),
        changedFiles: lines,
        verification: lines,
        openIssues: ['<b>', ...lines],
        next: ['/execute'],
      },
      'report.md',
    );
    expect(text).toContain(
      '\n2 of 3 requirements met, 60 changed files, 0 commits. All of it: [report.md](report.md)\n',
    );
    expect(text).toContain('\n- &lt;b>\n');
    expect(text).toContain('\n- and 57 more\n');
    expect(text.split('\n').length).toBeLessThan(60);
    expect(text.length).toBeLessThan(6000);
    expect(text).not.toContain('## Verification');
  });
});
