import { describe, expect, it } from 'vitest';
import { coversGlob } from '../../../src/documents/globs.js';
import { checkPlan } from '../../../src/plan/check/check.js';
import type { PlanDemands } from '../../../src/plan/check/parts.js';
import { runsWholeSuite } from '../../../src/plan/check/suite-commands.js';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { aCommand, aPlan, aTodo } from './fixture.js';

function findings(value: unknown, demands?: PlanDemands): string[] {
  const checked = checkPlan(value, demands);
  return checked.ok ? [] : checked.findings.map((finding) => `${finding.pointer}: ${finding.problem}`);
}

type Requirement = NonNullable<PlanContent['requirements']>[number];
const needs = (id: string, change: Partial<Requirement> = {}): Requirement => ({
  id,
  quote: 'Add JWT auth',
  from: 'request',
  text: 'Requests without a token get 401',
  ...change,
});
const proving = (id: string, proves: string[], run = ['node', '--test', 'test/a.js']) => ({
  ...aCommand(id, run),
  proves,
});
const todo = (id: string, change = {}) =>
  aTodo(id, { serves: ['r-1'], acceptance: [proving('ac-1', ['r-1'])], ...change });
const traced = (change: Partial<PlanContent> = {}) =>
  aPlan({ requirements: [needs('r-1')], todos: [todo('a')], ...change });

describe('requirements', () => {
  it('that lead from the words to a proof hold up', () => {
    expect(findings(traced(), { request: 'Please add JWT  auth.', complete: true })).toHaveLength(1);
    const { originalRequest: _, ...context } = traced().context;
    expect(findings(traced({ context }), { request: 'Please add JWT  auth.', complete: true })).toEqual([]);
  });

  it('are optional, unless they are demanded', () => {
    const demanded = [
      '/requirements: there are no requirements: state each thing that was asked for, with the words that it comes from',
    ];
    expect(findings(aPlan())).toEqual([]);
    expect(
      findings(aPlan({ todos: [todo('a', { serves: [], acceptance: [aCommand('a')] })] }), { complete: true }),
    ).toEqual(demanded);
    expect(findings(aPlan({ requirements: [], todos: [aTodo('a')] }), { complete: true })).toEqual(demanded);
  });

  it('demanded, come from the request itself and no copy of it', () => {
    const copy = traced({ context: { ...traced().context, originalRequest: 'Add  jwt auth' } });
    expect(findings(copy, { request: 'Add JWT auth', complete: true })).toEqual([]);
    expect(findings(copy, { request: 'Add JWT auth, and rate limits', complete: true })).toEqual([
      '/context/originalRequest: differs from the request; leave it out, and the goal of the run is used',
    ]);
    expect(findings(copy, { request: 'Add JWT auth, and rate limits' })).toEqual([]);
  });

  it.each<[string, Partial<PlanContent>, string[]]>([
    [
      'a doubled and a reserved id',
      {
        requirements: [needs('r-1'), needs('r-1'), needs('constructor')],
        todos: [todo('a', { serves: ['r-1', 'constructor'], acceptance: [proving('x', ['r-1', 'constructor'])] })],
      },
      [
        '/requirements/1/id: id "r-1" is already taken by /requirements/0',
        '/requirements/2/id: "constructor" is a reserved word',
      ],
    ],
    [
      'names of what there is not',
      {
        decisions: [{ text: 'x', by: 'agent', serves: ['r-7'] }],
        todos: [todo('a', { serves: ['r-1', 'r-8'], acceptance: [proving('x', ['r-1', 'r-9'])] })],
      },
      [
        '/decisions/0/serves/0: there is no requirement "r-7"',
        '/todos/0/serves/1: there is no requirement "r-8"',
        '/todos/0/acceptance/0/proves/1: there is no requirement "r-9"',
      ],
    ],
    [
      'a proof of what the todo is not for',
      {
        requirements: [needs('r-1'), needs('r-2')],
        todos: [
          todo('a', { acceptance: [proving('x', ['r-1', 'r-2'])] }),
          todo('b', { serves: ['r-2'], acceptance: [proving('x', ['r-2'])] }),
        ],
      },
      ['/todos/0/acceptance/0/proves/1: "r-2" is not among what a serves'],
    ],
    [
      'nobody serves, nobody proves',
      {
        requirements: [needs('r-1'), needs('r-2'), needs('r-3')],
        todos: [todo('a', { serves: ['r-1', 'r-2'] })],
      },
      [
        '/requirements/1: nothing proves r-2: name it in "proves" of an acceptance',
        '/requirements/2: no todo serves r-3',
      ],
    ],
  ])('%s', (_what, change, expected) => {
    expect(findings(traced(change))).toEqual(expected);
  });

  it.each([
    [['true'], 'the text of the plan itself'],
    [['env', 'CI=1', 'true'], 'the text of the plan itself'],
    [['npx', 'true'], 'the text of the plan itself'],
    [['/bin/echo', 'r-1 holds'], 'the text of the plan itself'],
    [['sh', '-c', 'printf ok && exit 0'], 'the text of the plan itself'],
    [['test', '${a.outputs.verdict}', '=', 'met'], 'what the worker of a reported'],
    [['sh', '-c', '[ x = x ]; true'], 'the text of the plan itself'],
    [['sh', '-c', ''], 'the text of the plan itself'],
    [['node', '-e', ''], 'the text of the plan itself'],
    [['node', '-e', 'console.log("ok"); process.exit(0)'], 'the text of the plan itself'],
    [['git', 'status', '--porcelain'], 'the text of the plan itself'],
    [['node', '--version'], 'the text of the plan itself'],
  ])('proved in a circle by %j', (run, by) => {
    const plan = traced({
      todos: [
        todo('a', { serves: [], acceptance: [aCommand('x')], outputs: [{ name: 'verdict', description: 'x' }] }),
        todo('b', { acceptance: [proving('x', ['r-1'], run)], dependsOn: ['a'] }),
      ],
    });
    expect(findings(plan)).toEqual([
      `/todos/1/acceptance/0/run: proves nothing, because it looks only at ${by}; run a command that checks the changed files`,
    ]);
  });

  it.each([
    [['test', '-f', '${a.outputs.path}']],
    [['grep', '-q', 'x', 'src/a.js']],
    [['sh', '-c', 'test "$(cat src/a.js)" = x']],
    [['sh', '-c', 'echo x | node src/a.js']],
    [['sh', '-c', 'echo x > /dev/null; npm run lint']],
    [['sh', 'true']],
    [['node', '-e', 'require("./src/a.js")']],
    [['python3', '-c', `print(${' '.repeat(4_000)}x)`]],
    [['git', 'diff', '--exit-code', 'README.md']],
    [['bin/tool', '--version']],
    [['node', 'echo']],
  ])('proved by %j, which looks at something', (run) => {
    const plan = traced({
      todos: [
        todo('a', { serves: [], acceptance: [aCommand('x')], outputs: [{ name: 'path', description: 'x' }] }),
        todo('b', { acceptance: [proving('x', ['r-1'], run)], dependsOn: ['a'] }),
      ],
    });
    expect(findings(plan)).toEqual([]);
  });

  it('quote the request, and the plan itself where there is no run', () => {
    const lies = traced({ requirements: [needs('r-1', { quote: 'Add SAML' })] });
    const found = [
      '/requirements/0/quote: "Add SAML" does not occur in the request; quote it word for word, or name its source: "from": "user"',
    ];
    expect(findings(lies, { request: 'Add JWT auth' })).toEqual(found);
    expect(findings(lies, { request: null })).toEqual(found);
    expect(findings(lies)).toEqual([]);
    const said = traced({ requirements: [needs('r-1', { quote: 'Add SAML', from: 'user' })] });
    expect(findings(said, { request: 'Add JWT auth' })).toEqual([]);
  });

  it('may be 200', () => {
    const ids = Array.from({ length: 200 }, (_, index) => `r-${index}`);
    const plan = traced({
      requirements: ids.map((id) => needs(id)),
      todos: [todo('a', { serves: ids, acceptance: [proving('x', ids)] })],
    });
    expect(findings(plan, { request: 'Add JWT auth' })).toEqual([]);
    expect(findings({ ...plan, todos: [todo('a')] })).toHaveLength(199);
  });

  it('of a plan are of the size of the run, if it states one', () => {
    const { originalRequest: _, ...context } = traced().context;
    const sized = (size?: 'small' | 'middle') =>
      findings(traced({ context, ...(size === undefined ? {} : { size }) }), { complete: true, size: 'small' });
    expect([sized(), sized('small')]).toEqual([[], []]);
    expect(sized('middle')).toEqual([
      '/size: is "middle" in a run of size small; if the work is larger, grow the run first: dev-cli init RUN --size SIZE',
    ]);
  });

  it('that do not fit the schema cause no further findings', () => {
    const broken = traced({ requirements: [{ ...needs('r-1'), from: 'nobody' as 'user' }] });
    expect(findings(broken)).toEqual(['/requirements/0/from: is "nobody"']);
    const faulty = { ...todo('a'), title: 7 } as never;
    expect(findings(traced({ todos: [faulty, aTodo('b')] }))).toEqual(['/todos/0/title: is 7, not a text']);
  });
});

describe('a plan that contradicts itself', () => {
  const expecting = (stdoutContains: string, stdoutLacks: string) => ({
    ...aCommand('x'),
    expect: { stdoutContains, stdoutLacks },
  });
  it.each<[string, Partial<PlanContent>, string[]]>([
    [
      'must-nots with paths that lead out',
      {
        objectives: { ...aPlan().objectives, mustNotDo: [{ text: 'x', paths: ['lib/**', '../x'] }] },
        todos: [aTodo('a', { mustNotDo: ['y', { text: 'x', paths: ['.dev/**'] }] })],
      },
      [
        '/objectives/mustNotDo/0/paths/1: path "../x" holds ".."; paths stay inside the project',
        '/todos/0/mustNotDo/1/paths/0: path ".dev/**" reaches into .dev/, which belongs to dev-cli',
      ],
    ],
    [
      'files that a must-not forbids',
      {
        objectives: { ...aPlan().objectives, mustNotDo: [{ text: 'x', paths: ['lib'] }] },
        todos: [
          aTodo('a', { files: ['src/a.js', 'src/**', 'lib/b.js'], mustNotDo: [{ text: 'x', paths: ['src/a.js'] }] }),
        ],
      },
      [
        '/todos/0/files/0: "src/a.js" may be touched, but /todos/0/mustNotDo/0 forbids all of it',
        '/todos/0/files/2: "lib/b.js" may be touched, but /objectives/mustNotDo/0 forbids all of it',
      ],
    ],
    [
      'output that has to print what it must not',
      {
        todos: [
          aTodo('a', { acceptance: [expecting('not ok', 'ok')] }),
          aTodo('b', { acceptance: [expecting('ok', 'not ok')] }),
        ],
      },
      ['/todos/0/acceptance/0/expect/stdoutLacks: can never pass: whatever prints "not ok" prints "ok"'],
    ],
  ])('%s', (_what, change, expected) => {
    expect(findings(aPlan(change))).toEqual(expected);
  });

  const SMALL = '/size: small is exactly one work todo, judged by commands and no assertion; this plan is "middle"';
  const assertion = { id: 'y', kind: 'assertion' as const, text: 'x' };
  it.each<[string, PlanContent['todos'], string[]]>([
    ['one todo with a command', [aTodo('a')], []],
    [
      'one that a person looks at, too',
      [aTodo('a', { acceptance: [aCommand('x'), { id: 'h', kind: 'human', text: 'x' }] })],
      [],
    ],
    ['two todos', [aTodo('a'), aTodo('b', { type: 'verification' })], [SMALL]],
    ['an assertion', [aTodo('a', { acceptance: [aCommand('x'), assertion] })], [SMALL]],
    ['no command', [aTodo('a', { acceptance: [assertion] })], [SMALL]],
    ['no work', [aTodo('a', { type: 'verification' })], [SMALL]],
  ])('small with %s', (_what, todos, expected) => {
    expect(findings(aPlan({ size: 'small', todos }))).toEqual(expected);
    expect(findings(aPlan({ size: 'large', todos }))).toEqual([]);
  });

  it('a plan without a size is small where the run is', () => {
    const run = { complete: true, size: 'small' as const };
    const said =
      '/todos: the run is small, and small is exactly one work todo, judged by commands and no assertion; if the work is larger, grow the run first: dev-cli init RUN --size SIZE';
    expect(findings(aPlan({ todos: [aTodo('a'), aTodo('b', { dependsOn: ['a'] })] }), run)).toContain(said);
    expect(findings(aPlan({ todos: [aTodo('a')] }), run)).not.toContain(said);
  });

  it.each(['**', './**', '*', '*/x.js'])('a small plan that may touch %s', (glob) => {
    const plan = aPlan({ size: 'small', todos: [aTodo('a', { files: ['src/a.js', glob, 'test/**'] })] });
    const said = `/todos/0/files/1: ${JSON.stringify(glob)} matches any place; a small plan must name its places`;
    expect(findings(plan, { complete: true }).filter((one) => one.includes('/files'))).toEqual([said]);
    expect(findings(plan)).toEqual([]);
  });

  it.each([
    ['src/**', 'src/a.js', true],
    ['src/**', 'src/a/**', true],
    ['./src/', 'src/a.js', true],
    ['src', 'src', true],
    ['**', '.env', true],
    ['.', 'src/**', true],
    ['**/*.sql', 'db/x.sql', true],
    ['**/*', 'a', true],
    ['src/a/**', 'src/**', false],
    ['src/*', 'src/a.js', false],
    ['sr', 'src/a.js', false],
    ['**/*.sql', 'db/*', false],
    ['src/**', '{src,lib}/**', false],
  ])('%s covers %s: %s', (outer, inner, covered) => {
    expect(coversGlob(outer, inner)).toBe(covered);
  });
});

describe('a command that runs every test', () => {
  const WIDE = [
    'npm test',
    'npm t --silent',
    'npm run test -- --coverage',
    'CI=1 pnpm test',
    'npx vitest run',
    'vitest',
    'node --test',
    'node --test --test-reporter=spec',
    'pytest -q',
    'python -m pytest',
    'python3 -m pytest -n 4',
    'poetry run pytest',
    'cargo test -- --nocapture',
    'go test ./...',
    'go test -race ./...',
    'make test',
    './gradlew test',
    'bundle exec rspec',
    'env CI=1 npm test',
  ];
  it.each(WIDE)('%s', (line) => {
    expect(runsWholeSuite(line.split(' '))).toBe(true);
    expect(runsWholeSuite(['sh', '-c', `cd api && ${line}`])).toBe(true);
  });

  it.each([
    'npm test -- routes',
    'npm test -w api',
    'npm run test:unit',
    'npm run lint',
    'npx vitest run test/a.test.ts',
    'vitest run -t=login',
    'node --test test/a.test.js',
    'node test.js',
    'pytest tests/test_a.py',
    'pytest -k login',
    'pytest --pyargs=x -k=a',
    'cargo test -p core',
    'cargo test login',
    'go test ./api',
    'go test -run=Login ./...',
    'go test -run Login ./...',
    'make test-api',
    'make',
    'mvn -pl=api test',
    'echo npm test',
    'npm',
    '',
  ])('not %j', (line) => {
    expect(runsWholeSuite(line.split(' '))).toBe(false);
    expect(runsWholeSuite(['sh', '-c', line])).toBe(false);
  });

  const suite = proving('ac-1', ['r-1'], ['npm', 'test']);
  const beside = (id: string, what: string, remedy: string) =>
    `"npm test" runs every test while ${what} may be half done beside it, and fails ${id} for that; ${remedy}`;
  it('is refused beside work that may be half done', () => {
    const todos = [
      todo('a', { acceptance: [suite] }),
      todo('b', { acceptance: [suite] }),
      todo('v', { type: 'verification', acceptance: [suite] }),
    ];
    const narrow = (id: string) =>
      `narrow it to the tests of ${id}, or put it into a verification todo that depends on both`;
    expect(findings(traced({ todos }))).toEqual([
      `/todos/0/acceptance/0/run: ${beside('a', 'b', narrow('a'))}`,
      `/todos/1/acceptance/0/run: ${beside('b', 'a', narrow('b'))}`,
      `/todos/2/acceptance/0/run: ${beside('v', 'a', 'let v depend on it')}`,
    ]);
  });

  const wide = (change = {}) => todo('a', { acceptance: [suite], ...change });
  it.each<[string, PlanContent['todos']]>([
    ['alone', [wide()]],
    ['one after the other', [wide(), todo('b', { dependsOn: ['a'] })]],
    [
      'at a distance',
      [wide(), todo('b', { dependsOn: ['a'] }), todo('c', { dependsOn: ['b'] }), todo('d', { dependsOn: ['b'] })],
    ],
    ['on the same files, never at once', [wide(), todo('b', { files: ['src/**'] })]],
    ['with files that nobody knows, never at once', [wide({ files: [] }), todo('b')]],
    ['beside a verification', [wide(), todo('v', { type: 'verification' })]],
    ['beside text', [wide(), todo('b', { files: ['README.md', 'docs/**/*.md'] })]],
    ['of another directory', [wide({ acceptance: [{ ...suite, cwd: 'api' }] }), todo('b', { files: ['web/**'] })]],
    [
      'at the end',
      [todo('a'), todo('b'), todo('v', { type: 'verification', dependsOn: ['a', 'b'], acceptance: [suite] })],
    ],
  ])('is fine %s', (_what, todos) => {
    expect(findings(traced({ todos }))).toEqual([]);
  });

  it('is as before in a plan that states no requirements, unless they are demanded', () => {
    const before = aPlan({ todos: [aTodo('a'), aTodo('b')] });
    expect(findings(before)).toEqual([]);
    expect(findings(before, { complete: true })).toHaveLength(3);
  });
});
