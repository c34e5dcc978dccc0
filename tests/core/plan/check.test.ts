import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPlan } from '../../../src/plan/check/check.js';
import { listUncovered } from '../../../src/plan/check/coverage.js';
import { type DependencyGraph, findCycles, splitIntoWaves } from '../../../src/plan/model/graph.js';
import { findPathProblem } from '../../../src/plan/model/paths.js';
import type { PlanContent } from '../../../src/plan/model/schema.js';
import { renderPlanTemplate } from '../../../src/plan/model/template.js';
import { aCommand, aPlan, aTodo } from './fixture.js';

function findings(value: unknown): string[] {
  const checked = checkPlan(value);
  return checked.ok ? [] : checked.findings.map((finding) => `${finding.pointer}: ${finding.problem}`);
}

describe('a plan that holds up', () => {
  it('is given back', () => {
    const plan = aPlan();
    expect(checkPlan(plan)).toEqual({ ok: true, plan });
  });

  it('may use every optional part', () => {
    const plan = aPlan({
      todos: [
        aTodo('a', { outputs: [{ name: 'path', description: 'x' }] }),
        aTodo('b', {
          inputs: [{ name: 'p', from: '${a.outputs.path}' }],
          acceptance: [
            {
              id: '1',
              kind: 'command',
              run: ['sh', '-c', 'echo ${HOME} "$0"', '${a.outputs.path}'],
              cwd: 'packages/x',
              timeout: 5,
              expect: { exitCode: 1, stdoutContains: 'x' },
            },
            { id: '2', kind: 'human', text: 'look' },
          ],
        }),
        aTodo('c', { type: 'verification', files: [], acceptance: [], dependsOn: ['b'] }),
      ],
      commits: [{ afterTodo: 'a', message: 'm' }],
      risks: [{ text: 'r', severity: 'high' }],
      externalDependencies: [{ when: 'pre', text: 'e' }],
      context: { originalRequest: 'x', interviewSummary: ['a', 'b'], researchFindings: '', assumptions: [] },
    });
    expect(findings(plan)).toEqual([]);
  });

  it('is the one in the template, which is short and shows every key of the schema', () => {
    const template = renderPlanTemplate();
    expect(Buffer.byteLength(template)).toBeLessThan(4500);
    const code = /```json\n([\s\S]*?)\n```/.exec(template)?.[1] ?? '';
    const plan = JSON.parse(code) as PlanContent;
    const request = /answers "(.*)"/.exec(template)?.[1] ?? '';
    expect(checkPlan(plan, { complete: true, request })).toEqual({ ok: true, plan });
    expect(listUncovered(request, plan.requirements?.map(({ quote }) => quote) ?? [])).toEqual([]);
    const keys = Object.keys(plan).concat(plan.todos.flatMap((todo) => Object.keys(todo)));
    expect(keys).toEqual(
      expect.arrayContaining([
        ...['size', 'requirements', 'decisions', 'commits', 'risks', 'externalDependencies'],
        ...['references', 'mustNotDo', 'serves'],
      ]),
    );
    for (const key of ['"stdoutLacks"', '"proves"', '"paths"', '"reason"', '"assumptions"'])
      expect(code).toContain(key);
    expect(template.match(/```/g)).toHaveLength(2);
  });
});

describe('findings on the shape', () => {
  it('are one readable line each, with pointer and suggestion, all at once', () => {
    const plan = aPlan() as unknown as { todos: Record<string, unknown>[]; extra: unknown; objectives?: unknown };
    plan.extra = 1;
    delete plan.objectives;
    plan.todos[0] = { ...plan.todos[0], dependson: [], type: 'wrok', title: ' ', steps: 'one', id: '../x' };
    delete plan.todos[0]['dependsOn'];
    plan.todos[1] = {
      ...plan.todos[1],
      acceptance: [
        { id: 'a', kind: 'comand', run: ['x'] },
        { id: 'b', run: ['x'] },
        { id: 'c', kind: 'command', run: [] },
        { id: 'd', kind: 'command', run: ['x'], timeout: 0 },
        7,
      ],
    };
    expect(findings(plan).sort()).toEqual(
      [
        ': "objectives" is missing',
        ': unknown key "extra"',
        '/todos/0: "dependsOn" is missing',
        '/todos/0: unknown key "dependson"; did you mean "dependsOn"?',
        '/todos/0/id: is "../x"; an id has letters, digits, "-" and "_" and begins with a letter or digit',
        '/todos/0/steps: is "one", not a list',
        '/todos/0/title: is empty',
        '/todos/0/type: is "wrok"; did you mean "work"?',
        '/todos/1/acceptance/0/kind: is "comand"; did you mean "command"?',
        '/todos/1/acceptance/1: "kind" is missing',
        '/todos/1/acceptance/2/run: is an empty list; at least one entry is needed',
        '/todos/1/acceptance/3/timeout: is 0, which is not >= 1',
        '/todos/1/acceptance/4: is 7, not an object',
        // A todo that does not fit the schema can still be depended on; a renamed todo counts as missing.
        '/todos/2/dependsOn/0: there is no todo "todo-1"',
      ].sort(),
    );
  });

  it.each([null, [], 'x', 7, {}])('refuse %j', (value) => {
    expect(findings(value).length).toBeGreaterThan(0);
  });

  it('show foreign values cleaned and cut', () => {
    const [line] = findings(aPlan({ todos: [aTodo('x', { type: `${'a'.repeat(500)}\u202e\n` as 'work' })] }));
    expect(line?.length).toBeLessThan(150);
    expect(line).not.toMatch(/[\n\u202e]/);
  });
});

describe('findings on the sense', () => {
  const todo1 = aTodo('todo-1', { outputs: [{ name: 'path', description: 'x' }] });
  it.each<[string, Partial<PlanContent>, string[]]>([
    ['a doubled id', { todos: [aTodo('a'), aTodo('a')] }, ['/todos/1/id: id "a" is already taken by /todos/0']],
    ['a reserved id', { todos: [aTodo('constructor')] }, ['/todos/0/id: "constructor" is a reserved word']],
    [
      'an unknown dependency',
      { todos: [aTodo('a', { dependsOn: ['b'] })] },
      ['/todos/0/dependsOn/0: there is no todo "b"'],
    ],
    ['a self-dependency', { todos: [aTodo('a', { dependsOn: ['a'] })] }, ['/todos/0/dependsOn/0: a depends on itself']],
    [
      'a self-reference',
      {
        todos: [
          aTodo('a', { outputs: [{ name: 'p', description: 'x' }], inputs: [{ name: 'i', from: '${a.outputs.p}' }] }),
        ],
      },
      ['/todos/0/inputs/0/from: a depends on itself'],
    ],
    [
      'a cycle',
      {
        todos: [
          aTodo('a', { dependsOn: ['c'] }),
          aTodo('b', { dependsOn: ['a'] }),
          aTodo('c', { dependsOn: ['b'] }),
          aTodo('d', { dependsOn: ['c'] }),
        ],
      },
      ['/todos/0/dependsOn: these depend on each other in a cycle: a → c → b → a'],
    ],
    [
      'a cycle closed by an input',
      {
        todos: [
          aTodo('a', { dependsOn: ['b'], outputs: [{ name: 'p', description: 'x' }] }),
          aTodo('b', { inputs: [{ name: 'i', from: 'x ${a.outputs.p}' }] }),
        ],
      },
      ['/todos/0/dependsOn: these depend on each other in a cycle: a → b → a'],
    ],
    [
      'inputs from nowhere',
      {
        todos: [
          todo1,
          aTodo('b', {
            inputs: [
              { name: 'i', from: '${todo-1.outputs.nope}' },
              { name: 'j', from: '${todo-9.outputs.path}' },
              { name: 'k', from: '${todo-1.path}' },
              { name: 'i', from: 'a literal $x {y}' },
            ],
          }),
        ],
      },
      [
        '/todos/1/inputs/0/from: todo-1 has no output "nope"',
        '/todos/1/inputs/1/from: there is no todo "todo-9"',
        '/todos/1/inputs/2/from: "${todo-1.path}" is not a reference',
        '/todos/1/inputs/3/name: "i" is already taken by /todos/1/inputs/0',
      ],
    ],
    [
      'a command that takes a value from nowhere',
      { todos: [todo1, aTodo('b', { acceptance: [aCommand('c', ['cat', '${todo-1.outputs.nope}'])] })] },
      ['/todos/1/acceptance/0/run/1: todo-1 has no output "nope"'],
    ],
    [
      'commands whose program or script is a value of another todo: it could be approved as nothing and run as anything',
      {
        todos: [
          todo1,
          aTodo('b', {
            acceptance: [
              aCommand('c', ['${todo-1.outputs.path}', 'x']),
              aCommand('d', ['env', 'A=1', '/bin/bash', '-euc', 'cd x && ${todo-1.outputs.path}']),
              aCommand('e', ['node', '--eval=${todo-1.outputs.path}']),
            ],
          }),
        ],
      },
      [
        '/todos/1/acceptance/0/run/0: a value of another todo is data: it cannot be a program or a script',
        '/todos/1/acceptance/1/run/4: a value of another todo is data: it cannot be a program or a script',
        '/todos/1/acceptance/2/run/1: a value of another todo is data: it cannot be a program or a script',
      ],
    ],
    [
      'work that only a person judges',
      { todos: [aTodo('a', { acceptance: [{ id: 'h', kind: 'human', text: 'x' }] })] },
      ['/todos/0/acceptance: work todo a has neither a command nor an assertion'],
    ],
    [
      'doubled acceptance ids and an empty program',
      { todos: [aTodo('a', { acceptance: [aCommand('x'), aCommand('x', [' ', 'y'])] })] },
      [
        '/todos/0/acceptance/1/id: "x" is already taken by /todos/0/acceptance/0',
        '/todos/0/acceptance/1/run/0: the program to run is empty',
      ],
    ],
    [
      'paths that lead out',
      {
        todos: [
          aTodo('a', { files: ['src/**', '../x'], acceptance: [{ ...aCommand('x'), cwd: '.dev/specs' } as never] }),
        ],
      },
      [
        '/todos/0/files/1: path "../x" holds ".."; paths stay inside the project',
        '/todos/0/acceptance/0/cwd: path ".dev/specs" reaches into .dev/, which belongs to dev-cli',
      ],
    ],
    [
      'commits after nothing, twice, after a verification',
      {
        todos: [aTodo('a'), aTodo('v', { type: 'verification' })],
        commits: ['a', 'a', 'b', 'v'].map((afterTodo) => ({ afterTodo, message: 'm' })),
      },
      [
        '/commits/2/afterTodo: there is no todo "b"',
        '/commits/3/afterTodo: v is a verification todo and commits nothing',
        '/commits/1/afterTodo: "a" already has the commit message of /commits/0',
      ],
    ],
  ])('%s', (_what, change, expected) => {
    expect(findings(aPlan(change))).toEqual(expected);
  });

  it('come together with findings on the shape, without echoes of them', () => {
    const broken = { ...aTodo('todo-1'), title: 7 } as never;
    expect(findings(aPlan({ todos: [broken, aTodo('b', { dependsOn: ['todo-1', 'nope'] })] }))).toEqual([
      '/todos/0/title: is 7, not a text',
      '/todos/1/dependsOn/1: there is no todo "nope"',
    ]);
  });

  it('name the todo', () => {
    const checked = checkPlan(aPlan({ todos: [aTodo('a', { dependsOn: ['zz'] })] }));
    expect(checked.ok ? [] : checked.findings.map(({ target }) => target)).toEqual(['a']);
  });
});

describe('paths of a plan', () => {
  it.each([
    'src/**',
    './src/a.ts',
    'app/[id]/page.tsx',
    'app/(group)/x.tsx',
    '.github/workflows/*.yml',
    '**/*.ts',
    '*',
    'a/.dev/x',
    '{src,test}/**',
    '.develop/x',
    '.env',
    'a..b',
    '*dev/x',
    '.',
    'src/{a,b{c,d}}.ts',
    '?dev/x',
    '?git/x',
    '**',
    'src/.*',
    '.gitignore',
    '.github/**',
    'git/x',
    '.claude-plugin/plugin.json',
    'claude/skills/x.md',
    'mcp.json',
  ])('%j is fine', (path) => {
    expect(findPathProblem(path)).toBeNull();
  });

  it.each([
    '',
    ' ',
    '/etc/passwd',
    '~/x',
    'C:/x',
    '../x',
    'a/../../x',
    'a/..',
    '.dev',
    '.dev/',
    './.dev/x',
    './/.dev/x',
    '.DEV/x',
    '.dev/**',
    '**/.dev/x',
    '**/./**/.dev',
    '.d*/x',
    '.*/x',
    '.*',
    '.d?v/x',
    '.[d]ev/x',
    '.d[a-f]v',
    '[.]dev/x',
    '{.dev,src}/**',
    '{a,{b,.dev}}/x',
    '.{dev,x}/y',
    '{a,../x}',
    '!src/**',
    '!(src)/**',
    '@(.dev)/x',
    '.git',
    'a/.git/x',
    '.GiT/x',
    '.g*/x',
    '{a,.git}/x',
    '.git./x',
    '.claude',
    'a/**/.claude/**',
    '.c[k-m]aude/x',
    '.claude/ſettings.json',
    '.mcp.json',
    '.codex/x',
    '.agents/x',
    '.gemini/x',
    'a\\b',
    'a\nb',
    'a\0',
    'x'.repeat(2000),
    '{a,b}'.repeat(20),
  ])('%j is not', (path) => {
    expect(findPathProblem(path)).not.toBeNull();
  });
});

describe('paths that a plan only names', () => {
  it('may be those of a harness, and never those of git or outside', () => {
    for (const path of ['.claude/**', '.mcp.json', '.codex/x']) expect(findPathProblem(path, 'named')).toBeNull();
    for (const path of ['.git/x', '.dev/x', '../x']) expect(findPathProblem(path, 'named')).not.toBeNull();
  });
});

describe('the dependency graph', () => {
  const graph = fc
    .array(fc.array(fc.nat({ max: 9 }), { maxLength: 3 }), { minLength: 1, maxLength: 10 })
    .map((edges): DependencyGraph => {
      const ids = edges.map((_, index) => `t${index}`);
      return new Map(
        edges.map((to, index) => [`t${index}`, [...new Set(to.map((n) => `t${n}`))].filter((id) => ids.includes(id))]),
      );
    });

  it('has waves in which nothing depends on its own or a later wave', () => {
    fc.assert(
      fc.property(graph, (each) => {
        const { waves: found, stuck } = splitIntoWaves(each);
        const level = new Map(found.flatMap((wave, index) => wave.map((id) => [id, index] as const)));
        for (const [id, index] of level) for (const to of each.get(id) ?? []) expect(level.get(to)).toBeLessThan(index);
        expect(level.size + stuck.size).toBe(each.size);
      }),
    );
  });

  it('has cycles exactly when something is stuck for another reason than itself, and each is one', () => {
    fc.assert(
      fc.property(graph, (each) => {
        const loose: DependencyGraph = new Map([...each].map(([id, to]) => [id, to.filter((next) => next !== id)]));
        const found = findCycles(each);
        expect(found.length > 0).toBe(splitIntoWaves(loose).stuck.size > 0);
        for (const cycle of found) {
          expect(cycle.length).toBeGreaterThan(1);
          cycle.forEach((id, index) => {
            expect(each.get(id)).toContain(cycle[(index + 1) % cycle.length]);
          });
        }
        // `findCycles` need not list every cycle, but any other cycle must lead to a todo of one that it lists.
        const named = new Set(found.flat());
        const rest: DependencyGraph = new Map(
          [...loose].filter(([id]) => !named.has(id)).map(([id, to]) => [id, to.filter((next) => !named.has(next))]),
        );
        expect(named.size === found.flat().length).toBe(true);
        for (const cycle of findCycles(rest)) expect(cycle.some((id) => reaches(loose, id, named))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

function reaches(graph: DependencyGraph, from: string, goals: Set<string>): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (goals.has(id)) return true;
    if (!seen.has(id)) open.push(...(graph.get(id) ?? []));
    seen.add(id);
  }
  return false;
}
