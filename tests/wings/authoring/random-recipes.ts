import fc from 'fast-check';
import { stringify } from 'yaml';

/** Random recipes, for laws that must hold for every recipe. */

/** The schema of the data that blocks in these recipes hand in. */
export const FACTS = JSON.stringify({
  type: 'object',
  required: ['flag', 'level'],
  properties: { flag: { type: 'boolean' }, level: { enum: ['low', 'high'] } },
});

/** All values that conform to this schema. */
export const ALL_FACTS = [true, false].flatMap((flag) => ['low', 'high'].map((level) => ({ flag, level })));

const KINDS = ['plain', 'choices', 'facts', 'writer', 'agents', 'loop', 'command', 'gate'] as const;

/** A block as random numbers; rendering reduces each one modulo the number of options. */
const block = fc.record({
  kind: fc.constantFrom(...KINDS),
  onError: fc.constantFrom('halt', 'continue', 'retry'),
  back: fc.option(fc.nat(20), { nil: null }),
  halts: fc.boolean(),
  maxRounds: fc.integer({ min: 1, max: 3 }),
  when: fc.option(fc.array(fc.tuple(fc.nat(200), fc.boolean()), { minLength: 1, maxLength: 2 }), { nil: null }),
  isAnd: fc.boolean(),
  ends: fc.nat(200),
  reads: fc.option(fc.nat(20), { nil: null }),
  second: fc.option(fc.nat(200), { nil: null }),
});
type Numbers = typeof block extends fc.Arbitrary<infer T> ? T : never;

/** A sequential recipe, as YAML. */
export const randomRecipe: fc.Arbitrary<string> = fc
  .array(block, { minLength: 2, maxLength: 7 })
  .map((blocks) => renderRecipe(blocks));

interface Before {
  id: string;
  numbers: Numbers;
}

const pick = <T>(all: readonly T[], at: number): T | undefined => all[at % Math.max(1, all.length)];

function renderRecipe(all: readonly Numbers[]): string {
  const blocks = all.map((numbers, at) =>
    renderBlock(
      `b${at}`,
      numbers,
      all.slice(0, at).map((other, index) => ({ id: `b${index}`, numbers: other })),
    ),
  );
  return stringify({
    name: 'chance',
    type: 'sequential',
    skill: 'chance',
    mode: { depth: 'quick', interaction: 'interactive' },
    blocks,
  });
}

function renderBlock(id: string, numbers: Numbers, before: readonly Before[]): Record<string, unknown> {
  const { kind, when, isAnd, onError, maxRounds, back, halts, second } = numbers;
  const parts = (when ?? []).flatMap(([at, isNot]) => {
    const one = pick(listConditions(before), at);
    return one === undefined ? [] : [isNot ? `!(${one})` : one];
  });
  const head = { id, ...(parts.length === 0 ? {} : { when: parts.join(isAnd ? ' && ' : ' || ') }) };
  const target = back === null ? undefined : pick(before, back)?.id;
  const files = before.flatMap(({ id: of, numbers: other }) =>
    other.kind === 'writer' || other.kind === 'agents' ? [`${of}.md`] : [],
  );
  const read = numbers.reads === null ? undefined : pick(files, numbers.reads);
  const reads = read === undefined ? {} : { read: [read] };
  const failure = { onError };
  const choices = [
    'red',
    'blue',
    ...(target === undefined ? [] : [{ id: 'back', goto: target }]),
    ...(halts ? [{ id: 'stop', goto: 'halt' }] : []),
  ];
  switch (kind) {
    case 'plain':
      return { ...head, type: 'llm', instruction: 'Do.', ...reads, ...failure };
    case 'choices':
      return { ...head, type: 'llm', instruction: 'Choose.', choices, maxRounds, ...failure };
    case 'facts':
      return { ...head, type: 'llm', instruction: 'Say.', schema: 'facts.json', ...failure };
    case 'writer':
      return { ...head, type: 'llm+cli', instruction: 'Write.', write: `${id}.md`, ...failure };
    case 'agents': {
      const conditional = second === null ? undefined : pick(listConditions(before), second);
      return {
        ...head,
        type: 'subagent',
        agents: [
          { id: `${id}a`, type: 'code-explorer', prompt: 'Look.', output: `${id}.md` },
          ...(conditional === undefined
            ? []
            : [{ id: `${id}c`, type: 'code-explorer', prompt: 'Look.', output: `${id}c.md`, when: conditional }]),
        ],
        ...failure,
      };
    }
    case 'loop':
      return {
        ...head,
        type: 'subagent-loop',
        maxRounds,
        agents: [{ id: `${id}a`, type: 'plan-reviewer', prompt: 'Judge.', output: `${id}/{round}.md` }],
        exitWhen: pick(
          [
            `agents["${id}a"].verdict == "OKAY"`,
            `agents["${id}a"].verdict == "OKAY"`,
            `agents["${id}a"].verdict == "OKAY" || round >= 2`,
            `agents["${id}a"].verdict == "OKAY" && round != 2`,
            ...listConditions(before).map((one) => `agents["${id}a"].verdict == "OKAY" && (${one})`),
          ],
          numbers.ends,
        ),
        ...(target === undefined ? {} : { revise: target }),
        ...failure,
      };
    case 'command':
      return {
        ...head,
        type: 'cli',
        command: ['make', id],
        ...(target === undefined ? {} : { revise: target, maxRounds }),
        ...failure,
      };
    case 'gate':
      return { ...head, type: 'wait-for-user', message: 'Go on?', choices, maxRounds };
  }
}

/** Lists the `when` conditions that a block after these blocks may have. */
function listConditions(before: readonly Before[]): string[] {
  return before.flatMap(({ id, numbers: { kind } }): string[] => {
    const of = `blocks["${id}"]`;
    const status = ['done', 'skipped', 'failed'].map((word) => `${of}.status == "${word}"`);
    switch (kind) {
      case 'choices':
      case 'gate':
        return [`${of}.choice == "red"`, `${of}.choice == "blue"`, `${of}.choice != "red"`, ...status];
      case 'facts':
        return [`${of}.data.flag == true`, `${of}.data.level == "low"`, `${of}.data.level != "low"`, ...status];
      case 'command':
        return [`${of}.exit == 0`, `${of}.exit != 0`, `${of}.rounds < 3`, ...status];
      case 'loop':
        return [
          `agents["${id}a"].verdict == "OKAY"`,
          `agents["${id}a"].verdict == "REJECT"`,
          `${of}.rounds > 1`,
          `${of}.rounds == 2`,
          ...status,
        ];
      case 'agents':
        return [`agents["${id}a"].status == "failed"`, `agents["${id}a"].status == "done"`, ...status];
      default:
        return [`${of}.rounds > 1`, ...status];
    }
  });
}
