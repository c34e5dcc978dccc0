import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderLintReport } from '../../../src/recipe/lint/report.js';
import { loadDemo } from '../../core/recipe/library-fixture.js';
import { expectLinear } from '../../support/growth.js';

/** Checks that loading any text gives problems with positions or a captured recipe, and never throws. */
function holdsUp(text: string): void {
  const { captured, problems, texts } = loadDemo(text);
  expect(captured === null).toBe(problems.some(({ severity }) => severity === 'error'));
  for (const { line, column, length, message } of problems) {
    expect(line).toBeGreaterThan(0);
    expect(column).toBeGreaterThan(0);
    expect(length).toBeGreaterThan(0);
    expect(message).not.toBe('');
  }
  expect(renderLintReport(problems, texts)).not.toContain('undefined');
  if (captured !== null) expect(JSON.parse(JSON.stringify(captured))).toEqual(captured);
}

/** The size of hostile texts in characters: most are not much smaller than the largest recipe that is read. */
const SIZE = 60_000;

/** Values for positions where the language expects something else. */
const value = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      'a',
      '{goal}',
      'dev-cli cleanup',
      'x | y',
      'halt',
      '../a',
      '',
      null,
      3,
      -1,
      true,
      [],
      {},
    ),
  },
  fc.jsonValue({ maxDepth: 2 }),
);
const keys = [
  'id',
  'type',
  'instruction',
  'instructionFile',
  'read',
  'choices',
  'save',
  'sections',
  'exitCheck',
  'exitWhen',
  'command',
  'write',
  'agents',
  'parallel',
  'onComplete',
  'maxRounds',
  'revise',
  'human',
  'when',
  'onError',
  'stale',
  'then',
  '__proto__',
];
const block = fc.tuple(
  fc.constantFrom('cli', 'llm', 'llm-loop', 'llm+cli', 'subagent', 'subagent-loop', 'wait-for-user', 'x'),
  fc.array(fc.tuple(fc.constantFrom(...keys), value), { maxLength: 6 }),
);

describe('any text for a recipe', () => {
  it('is answered with problems', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), holdsUp), { numRuns: 100 });
  });

  it('is answered with problems when it looks like YAML', () => {
    const token = fc.constantFrom(
      'name',
      'type',
      ': ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&a',
      '*a',
      '!t',
      '"',
      "'",
      '|',
      '>',
      '#',
      '? ',
      '---',
      '\t',
      '<<',
      '%',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => holdsUp(tokens.join(''))),
      { numRuns: 150 },
    );
  });

  it('is answered with problems when fields hold what they should not', () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), (blocks) => {
        const written = blocks.map(([type, fields], index) => {
          const members = [['id', `b${index}`], ['type', type], ...fields];
          return `  - {${members.map(([key, member]) => `${JSON.stringify(key)}: ${JSON.stringify(member)}`).join(', ')}}`;
        });
        holdsUp(`name: demo\ntype: sequential\nblocks:\n${written.join('\n')}\n`);
      }),
      { numRuns: 150 },
    );
  });

  it('is answered with problems when the fields of an engine hold what they should not', () => {
    const handler = fc.tuple(
      fc.constantFrom('scan', 'scan_all', 'worker', 'done', 'constructor', '__proto__', 'Scan', 'a', 'b'),
      fc.record(
        {
          actor: fc.constantFrom<unknown>('cli', 'subagent', 'human', 'robot', null),
          agent: fc.oneof(fc.constant<unknown>('security-reviewer'), value),
          message: value,
          command: value,
          promptFile: value,
          timeout: value,
          after: fc.constantFrom<unknown>(
            'verify',
            'worker',
            'commit',
            'scan',
            'a',
            'b',
            'constructor',
            '__proto__',
            3,
          ),
          when: fc.constantFrom<unknown>('todo.risk == "high"', 'todo.risk == "hihg"', 'todo', '(', 'goal', 1),
        },
        { requiredKeys: [] },
      ),
    );
    const policies = fc.dictionary(
      fc.constantFrom('max_retries', 'parallel_limit', 'triage_precedence', 'verify_enabled', 'max_retrys'),
      fc.oneof(fc.constantFrom<unknown>(1, true, ['halt', 'adapt', 'retry'], ['halt']), value),
    );
    const config = fc.oneof(fc.record({ depth: value, policies, handlers: value }, { requiredKeys: [] }), value);
    fc.assert(
      fc.property(fc.array(handler, { maxLength: 5 }), config, (handlers, config) => {
        const written = handlers.map(([key, fields]) => `${JSON.stringify(key)}: ${JSON.stringify(fields)}`);
        holdsUp(
          `name: demo\ntype: engine\nconfig: ${JSON.stringify(config)}\nhandlers: {${[...new Set(written)].join(', ')}}\n`,
        );
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    [
      'deeply nested lists',
      (size: number) => `name: demo\nvars: {a: ${'['.repeat(size / 12)}${']'.repeat(size / 12)}}\n`,
    ],
    ['an unclosed abyss', (size: number) => '['.repeat(size)],
    ['nothing but quotes', (size: number) => '"'.repeat(size)],
    ['lists of lists of lists', (size: number) => '- '.repeat(size / 2)],
    [
      'thousands of keys',
      (size: number) => Array.from({ length: size / 12 }, (_, index) => `key${index}: 1`).join('\n'),
    ],
    [
      'a bomb of aliases',
      (size: number) =>
        `a: &a [x, x]\n${[...'bcdefghijklmnop'.slice(0, size / 4_000)].map((c, i) => `${c}: &${c} [${`*${'abcdefghijklmnop'[i]},`.repeat(9)}]`).join('\n')}\n`,
    ],
    ['an alias of itself', () => 'name: &a [*a]\n'],
    ['an alias of nobody', () => 'name: *nobody\n'],
    ['a file that is too large', (size: number) => `# ${'x'.repeat(size * 5)}`],
    ['a key of a prototype', () => '__proto__: { polluted: true }\nname: demo\ntype: sequential\nblocks: []\n'],
    ['a key that is a list', () => '? [a, b]\n: c\n'],
    ['binary', () => '\u0000\u0001\u0002'],
    ['a merge key', () => 'x: &x { id: a }\nname: demo\ntype: sequential\nblocks: [{ <<: *x, type: llm }]\n'],
    [
      'a condition of many brackets',
      (size: number) =>
        `name: demo\ntype: sequential\nblocks: [{ id: a, type: llm, instruction: x, when: "${'('.repeat(size / 60)}" }]\n`,
    ],
  ])('is answered with problems, in linear time: %s', (_what, make) => {
    expectLinear(make, holdsUp, SIZE);
    expect(loadDemo(make(SIZE)).captured).toBeNull();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('is a recipe with anchors, where each is used once or twice', () => {
    const { captured, problems } = loadDemo(
      'name: demo\ntype: sequential\nvars: { a: &w hello }\nblocks: [{ id: a, type: llm, instruction: *w }]\n',
    );
    expect(problems).toEqual([]);
    expect(captured?.recipe.blocks[0]).toMatchObject({ instruction: 'hello' });
  });
});
