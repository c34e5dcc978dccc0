import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createConditionChecker, type DeclaredNames } from '../../../src/recipe/conditions/check.js';
import { evaluateCondition, prepareCondition } from '../../../src/recipe/conditions/conditions.js';
import { evaluatePlain } from '../../../src/recipe/conditions/plain.js';
import { findImpossible } from '../../../src/recipe/conditions/satisfiable.js';

const scope = {
  mode: { depth: 'quick', interaction: 'autopilot' },
  vars: { team: 'core', limit: 3 },
  goal: null,
  preferences: { external_research: true, unset: null },
  round: 2,
  size: 'small',
  draft: { intent: { filled: true, text: 'Bug' } },
  agents: { 'plan-reviewer': { status: 'done', verdict: 'OKAY', summary: null, questions: 2 } },
  result: 'This is okay, mostly.',
};
const declared: DeclaredNames = {
  mode: ['depth', 'interaction'],
  vars: { team: 'core', limit: 3, list: [1] },
  preferences: {
    external_research: { type: 'bool', description: '' },
    pull_request: { type: 'string', description: '', values: ['auto', true, false] },
  },
  sections: ['intent', 'findings'],
  agents: ['plan-reviewer'],
};

describe('evaluating conditions', () => {
  const cases: [string, boolean][] = [
    ['agents["plan-reviewer"].verdict == "OKAY"', true],
    ['agents["plan-reviewer"].verdict != "OKAY"', false],
    ['preferences.external_research', true],
    ['!preferences.external_research', false],
    ['mode.depth == "quick" && round > 1', true],
    ['round == 2 && vars.limit == 3', true],
    ['draft.intent.filled && draft.intent.text == "Bug"', true],
    ['goal == null', true],
    // An unset name is null, an operation on null is null, and a null condition is false.
    ['preferences.unset', false],
    ['preferences.never_set', false],
    ['!preferences.never_set', true],
    ['preferences.never_set == null', true],
    ['agents["nobody"].verdict == "OKAY"', false],
    ['agents["nobody"].verdict == null', true],
    ['agents["plan-reviewer"].questions > 1', true],
    ['agents["plan-reviewer"].questions > 2', false],
    ['agents["nobody"].questions > 0', false],
    ['size == "small" || size == "middle"', true],
    ['size != "small"', false],
    ['size(vars.team) == 4 && size == "small"', true],
    ['goal.contains("auth")', false],
    ['preferences.unset && round > 1', false],
    // `result contains` matches whole words, ignoring case; inside a string literal it is plain text.
    ['result contains OKAY', true],
    ['result contains "okay"', true],
    ['result contains OK', false],
    ['result contains most', false],
    ['!(result contains REJECT) && round > 1', true],
    ['goal == "result contains OKAY"', false],
  ];
  it.each(cases)('%s is %s', (source, expected) => {
    expect(evaluateCondition(source, scope)).toBe(expected);
  });

  it('leaves the scope as it was', () => {
    const before = JSON.stringify(scope);
    evaluateCondition('agents["nobody"].verdict == preferences.other', scope);
    expect(JSON.stringify(scope)).toBe(before);
  });

  it('finds a word beside letters of any language only when it stands alone', () => {
    expect(evaluateCondition('result contains ja', { result: 'Na ja, gut' })).toBe(true);
    expect(evaluateCondition('result contains ja', { result: 'jaß' })).toBe(false);
    expect(evaluateCondition('result contains OKAY', { result: null })).toBe(false);
  });

  it.each(['1 +', 'round + "x"', '"text"', 'nobody == 1', `round == ${'1 + '.repeat(400)}1`, '(('.repeat(200)])(
    'refuses what has no truth value: %s',
    (source) => {
      expect(() => evaluateCondition(source, scope)).toThrow(expect.objectContaining({ code: 'RECIPE_INVALID' }));
    },
  );
});

describe('evaluating plain conditions without the library', () => {
  const attempt = (decide: () => boolean | null) => {
    try {
      return decide();
    } catch {
      return 'refused';
    }
  };

  it('is what the library finds, or is left to it', () => {
    const key = fc.constantFrom('a', 'verdict', 'toString', 'null', 'in', 'plan-reviewer', 'a b', '1');
    const step = fc.tuple(key, fc.boolean()).map(([name, dotted]) => (dotted ? `.${name}` : `["${name}"]`));
    const text = fc.constantFrom('large', '', 'a b', '\u2028', "it's", '$&');
    const rest = fc.oneof(
      fc.constantFrom('', ' > 0', '>12'),
      fc.tuple(fc.constantFrom('==', ' != '), text).map(([operator, literal]) => `${operator}"${literal}"`),
    );
    const name = fc.constantFrom('size', 'vars', 'agents', 'nobody', 'true');
    const source = fc
      .tuple(name, fc.array(step, { maxLength: 2 }), rest)
      .map(([first, steps, end]) => first + steps.join('') + end);
    const value = fc.oneof(
      text,
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
      fc.constant(undefined),
      fc.constant([]),
    );
    const tree = fc.oneof(value, fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value))));
    let decided = 0;
    fc.assert(
      fc.property(source, fc.record({ size: value, vars: tree, agents: tree }), (condition, found) => {
        const plain = evaluatePlain(condition, found);
        if (plain === null) return;
        decided += 1;
        expect(attempt(() => prepareCondition(condition).evaluate(found))).toBe(plain);
      }),
      { numRuns: 5_000 },
    );
    expect(decided).toBeGreaterThan(100);
  });

  it.each([
    ['size == "small"', true],
    ['preferences.external_research', true],
    ['agents["plan-reviewer"].verdict != "OKAY"', false],
    ['round > 1', true],
    ['preferences.unset', false],
    ['round == 2', null],
    ['size == "small" && goal', null],
  ])('%s: %j', (source, expected) => {
    expect(evaluatePlain(source, scope)).toBe(expected);
  });
});

describe('checking conditions', () => {
  it.each([
    'agents["plan-reviewer"].verdict == "OKAY"',
    'agents["plan-reviewer"].verdict == null',
    'agents["plan-reviewer"].questions > 0',
    'preferences.external_research && mode.depth == "standard"',
    'preferences.pull_request == true || preferences.pull_request == "auto"',
    'preferences.pull_request',
    'vars.limit > 2 && vars.team == "core"',
    'size(vars.list) > 0',
    'draft.findings.filled',
    'result contains OKAY',
    'round >= 2 && goal != null',
    'size != "small" && size(goal) > 10',
    'size in ["middle", "large"]',
    'vars.team == "huge"',
  ])('accepts %s', (source) => {
    expect(createConditionChecker(declared)(source)).toEqual([]);
  });

  it.each([
    ['preferences.external_reserch', 'did you mean external_research'],
    ['agents["plan-reviewr"].verdict == "OKAY"', 'did you mean plan-reviewer'],
    ['agents["plan-reviewer"].verdct == "OKAY"', 'did you mean verdict'],
    ['draft.intend.filled', 'did you mean intent'],
    ['vars.teem == "x"', 'did you mean team'],
    ['rund > 1', 'did you mean round'],
    ['round > "1"', 'int > string'],
    ['agents["plan-reviewer"].questions == "1"', 'int == string'],
    ['goal', 'type string'],
    ['round', 'type int'],
    ['preferences.external_research == "yes"', 'bool == string'],
    ['size == "midle"', 'did you mean middle'],
    ['"huge" != size', 'size is one of small, middle, large, never "huge"'],
    ['size > 1', 'string > int'],
    ['size', 'type string'],
    ['1 +', 'is not valid'],
    [`round == ${'1 + '.repeat(400)}1`, 'at most 1000 characters'],
    [`${'('.repeat(100)}true${')'.repeat(100)}`, 'is not valid'],
  ])('refuses %s', (source, part) => {
    const problems = createConditionChecker(declared)(source);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(part);
  });

  it.each(['phase', 'todo'])('knows no size of the work where it is about a %s', (about) => {
    const [problem] = createConditionChecker({ ...declared, [about]: true })('size == "small"');
    expect(problem).toMatch(/uses size, which is not declared; it may use (?!.*size)/);
  });
});

describe('whether a condition can hold at all', () => {
  it.each([
    'blocks.pick.choice == "x" && blocks.pick.choice == "y"',
    'mode.depth == "quick" && mode.depth == "standard"',
    '!(size == "small" || size != "small")',
    'agents["r"].verdict == "OKAY" && agents["r"].verdict == "REJECT"',
    'round > 3 && round < 2',
    'size in ["small", "large"] && size == "middle"',
    'goal == null && goal == "x"',
  ])('%s cannot', (condition) => expect(findImpossible(condition)).toBe('contradiction'));

  it.each(['false', '"false"', '1 > 2'])('%s goes by nothing', (condition) =>
    expect(findImpossible(condition)).toBe('constant'),
  );

  it.each([
    'true',
    'round > 2.5 && round < 2.6',
    'round >= 3 && round <= 3',
    'round < vars.limit',
    'vars.limit > round && round > vars.least',
    'size != "small"',
    'blocks.a.choice == blocks.b.choice && blocks.a.choice != "x"',
    'vars.strict && !preferences.fast',
    'goal == null',
    '"a" in vars.list',
    'vars.list == ["a"]',
    'result contains done',
    'draft.open.size() > 3 && draft.open.size() < 1',
    'blocks.a != null && blocks.a.choice == "x"',
  ])('%s may, or is believed', (condition) => expect(findImpossible(condition)).toBeNull());

  it('agrees with every value of a small domain', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    const leaf = fc.record({ path: fc.constantFrom('vars.x', 'vars.y'), op: fc.constantFrom('==', '!='), word });
    const text = fc
      .array(fc.array(leaf, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((any) =>
        any.map((all) => all.map((one) => `${one.path} ${one.op} "${one.word}"`).join(' && ')).join(' || '),
      );
    const domain = ['a', 'b', 'c', 'd', null];
    fc.assert(
      fc.property(text, (condition) => {
        const some = domain.some((x) => domain.some((y) => evaluateCondition(condition, { vars: { x, y } })));
        expect(findImpossible(condition) === null).toBe(some);
      }),
    );
  });
});
