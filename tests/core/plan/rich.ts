import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown, gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { toMarkdown } from 'mdast-util-to-markdown';
import { gfmTable } from 'micromark-extension-gfm-table';
import type { PlanAcceptance, PlanContent, PlanRule, PlanTodo } from '../../../src/plan/model/schema.js';
import { hostile } from './hostile.js';

/** Generators of plans that use every feature, and whose texts may look like markup of PLAN.md. */

const MISLEADING = [
  'done when: it is there',
  'Change routes (`routes/**`)',
  'Change routes (`a`, `b`)',
  'before: noon',
  'judge todo-1/ac-1: x',
  '**Steps**',
  '**Steps** and more',
  'todo-1: x',
  'work, risk high, after todo-2',
  'ac-1: `npm test` exit 0',
  'ac-1, agent: x',
  'the request: "x"',
  'interview: x',
  'high: x',
  'after todo-1: x',
  'a, b and c.',
  'Fix: the login',
  '*all* of **it** and __init__.py, _so_ to ***say***',
  'Use <T>, not any; see [the docs](http://x).',
  'two  blanks,\na break\tand a tab',
  'prints `(default 3000)  (env PORT)`,  `a\tb` and `one\n  line`',
  'a | b \\| c `d|e`',
  'hidden \u202e and \u200b here',
  'naïve · 添加登录 · добавить вход · إضافة · ログイン · प्रवेश · 👩\u200d💻',
  'src/app.js:12',
  'x (no code)',
  '100 % & <= 3 * 4',
  '"quoted"',
  'https://example.org/a?b=c&d=e',
];
/** Generates texts of which PLAN.md shows every character. */
export const plainText = fc
  .array(
    fc.constantFrom(
      'the',
      'route',
      'answers',
      '404',
      'Token',
      'expires',
      'in',
      'src/app.js',
      '`npm`',
      '`a  b`',
      'été',
      '添加',
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((words) => words.join(' '));

/** Generates any texts that a plan can contain. */
export const anyText = fc.oneof({ weight: 3, arbitrary: plainText }, fc.constantFrom(...MISLEADING), hostile);

const proves = fc.option(fc.subarray(['r-1', 'r-2']), { nil: undefined });
const word = fc.oneof(
  anyText,
  fc.constantFrom('npm', 'test', '--', '-q', '', 'a b', '$X', '${todo-1.outputs.path}', "it's", '"', '\\'),
);
const withProves = (item: PlanAcceptance, ids: readonly string[] | undefined): PlanAcceptance =>
  ids === undefined ? item : { ...item, proves: ids };
const whole = <T extends object>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Generates any acceptance of a todo. */
export const anyAcceptance = (id: string): fc.Arbitrary<PlanAcceptance> =>
  fc.oneof(
    fc
      .record({
        run: fc.array(word, { minLength: 1, maxLength: 4 }),
        cwd: fc.option(fc.constantFrom('.', 'api', 'a b/`c`'), { nil: undefined }),
        timeout: fc.option(fc.constantFrom(1, 300, 900), { nil: undefined }),
        expect: fc.option(
          fc.record({
            exitCode: fc.option(fc.constantFrom(0, 1, [0], [0, 1], [2, 3]), { nil: undefined }),
            stdoutContains: fc.option(anyText, { nil: undefined }),
            stdoutLacks: fc.option(anyText, { nil: undefined }),
          }),
          { nil: undefined },
        ),
        proves,
      })
      .map((fields) => whole({ id, kind: 'command', ...fields }) as PlanAcceptance),
    fc.tuple(anyText, proves).map(([text, ids]) => withProves({ id, kind: 'assertion', text }, ids)),
    fc.tuple(anyText, proves).map(([text, ids]) => withProves({ id, kind: 'human', text }, ids)),
  );

/** Generates any must-not. */
export const anyRule: fc.Arbitrary<PlanRule> = fc.oneof(
  anyText,
  fc.record({ text: anyText, paths: fc.array(fc.constantFrom('a/**', 'b', '`c`'), { minLength: 1, maxLength: 2 }) }),
);

const some = <T>(of: fc.Arbitrary<T>) => fc.array(of, { maxLength: 3 });

/** Generates todos that depend on some of `earlier`. */
const anyTodo = (id: string, earlier: readonly string[]): fc.Arbitrary<PlanTodo> =>
  fc
    .record({
      title: anyText,
      type: fc.constantFrom('work' as const, 'verification' as const),
      risk: fc.constantFrom('low' as const, 'medium' as const, 'high' as const),
      dependsOn: fc.subarray([...earlier]),
      inputs: fc.subarray([
        { name: 'path', from: '${todo-1.outputs.path}' },
        { name: 'literal', from: 'x `y` "z"' },
      ]),
      outputs: anyText.map((description) => [{ name: 'path', description }]),
      files: some(fc.oneof(fc.constantFrom('src/**', 'a/__tests__/*.ts', 'hidden.ts'), anyText)),
      steps: some(anyText),
      mustNotDo: some(anyRule),
      references: some(fc.oneof(fc.constantFrom('src/app.js:12', 'docs/a.md'), anyText)),
      serves: fc.option(fc.subarray(['r-1', 'r-2']), { nil: undefined }),
      acceptance: fc
        .tuple(anyAcceptance('ac-1'), anyAcceptance('b'), anyAcceptance('ac-7'))
        .chain((all) => fc.subarray(all)),
    })
    .map((fields) => whole({ id, ...fields }) as PlanTodo);

const prose = fc.oneof(
  anyText,
  fc.array(anyText, { maxLength: 3 }),
  fc.array(anyText, { maxLength: 3 }).map((lines) => lines.map((line) => `- ${line}\n`).join('\n')),
);

/** Generates plans that use every feature. */
export const anyPlan: fc.Arbitrary<PlanContent> = fc
  .record({
    size: fc.option(fc.constantFrom('small', 'middle', 'large'), { nil: undefined }),
    context: fc.record({
      originalRequest: fc.option(anyText, { nil: undefined }),
      interviewSummary: prose,
      researchFindings: prose,
      assumptions: fc.option(prose, { nil: undefined }),
    }),
    requirements: fc.option(
      fc.tuple(anyText, anyText, anyText).map(([a, b, c]) => [
        { id: 'r-1', quote: a, from: 'request', text: b },
        { id: 'r-2', quote: c, from: 'user', text: a },
      ]),
      { nil: undefined },
    ),
    decisions: fc.option(
      some(
        fc.record({
          text: anyText,
          reason: fc.option(anyText, { nil: undefined }),
          by: fc.constantFrom('user', 'agent', 'assumed'),
          serves: fc.option(fc.subarray(['r-1', 'r-2']), { nil: undefined }),
        }),
      ),
      { nil: undefined },
    ),
    objectives: fc.record({
      core: anyText,
      deliverables: some(fc.oneof(fc.constant('hidden.ts'), anyText)),
      definitionOfDone: some(anyText),
      mustNotDo: some(anyRule),
    }),
    todos: fc.tuple(
      anyTodo('todo-1', []).map((todo) => ({ ...todo, inputs: [] })),
      anyTodo('todo-2', ['todo-1']),
      anyTodo('a', ['todo-1', 'todo-2']),
    ),
    commits: fc.option(
      anyText.map((message) => [{ afterTodo: 'todo-1', message }]),
      { nil: undefined },
    ),
    risks: fc.option(some(fc.record({ text: anyText, severity: fc.constantFrom('low', 'medium', 'high') })), {
      nil: undefined,
    }),
    externalDependencies: fc.option(
      some(fc.record({ when: fc.constantFrom('pre', 'during', 'post'), text: anyText })),
      { nil: undefined },
    ),
  })
  .map((plan) => whole(plan) as PlanContent);

/** Rewrites a document as a formatter would: parses it and prints the result. */
export function printAnew(text: string, bullet: '*' | '+' | '-', emphasis: '_' | '*'): string {
  const tree = fromMarkdown(text, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
  return toMarkdown(tree, {
    bullet,
    bulletOther: bullet === '*' ? '-' : '*',
    emphasis,
    incrementListMarker: false,
    rule: '_',
    extensions: [gfmTableToMarkdown()],
  });
}

/** The path of a value in a plan. */
export type Path = readonly (string | number)[];

/** Returns the value at a path. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], value);
}

/** Returns a plan with another value at a path; `undefined` leaves the value out. */
export function withAt(plan: PlanContent, path: Path, value: unknown): PlanContent {
  const copy = whole(plan);
  const parent = valueAt(copy, path.slice(0, -1)) as Record<string | number, unknown>;
  const key = path.at(-1) ?? '';
  if (value === undefined) delete parent[key];
  else parent[key] = value;
  return copy;
}
