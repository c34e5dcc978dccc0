import { describe, expect, it } from 'vitest';
import { verifyRecipe } from '../../../src/wings/authoring/verify/verify.js';
import { projectWith, type Replayed, replay } from './replay.js';

const HEAD = 'name: demo\ntype: sequential\nskill: demo\nmode: { depth: quick, interaction: interactive }\n';
const END = '  - { id: last, type: llm, instruction: End. }\n';
const JUDGE = '{ id: judge, type: plan-reviewer, prompt: Judge., output: "reviews/{round}.md" }';
const LOOK = '{ id: look, type: code-explorer, prompt: Look., output: findings/look.md }';

const loop = (exitWhen: string, agents = JUDGE) =>
  `  - { id: review, type: subagent-loop, maxRounds: 2, agents: [${agents}], exitWhen: '${exitWhen}' }\n`;
const talk = (exitWhen: string, maxRounds = 2) =>
  `  - { id: talk, type: llm-loop, instruction: Talk., maxRounds: ${maxRounds}, exitWhen: '${exitWhen}' }\n`;
const count = (type: string) =>
  JSON.stringify({ type: 'object', required: ['n', 'other'], properties: { n: { type }, other: { type: 'string' } } });
const COUNT = '  - { id: count, type: llm, instruction: Count., schema: count.json }\n';

async function find(blocks: string, { head = '', type = 'number' } = {}): Promise<Replayed[]> {
  const library = projectWith(
    { demo: `${HEAD}${head}blocks:\n${blocks}${END}` },
    { '.dev/recipes/count.json': count(type) },
  );
  const { report } = await verifyRecipe(library, 'demo');
  expect(report.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(report.explored?.whole).toBe(true);
  return replay(library, 'demo');
}

const kinds = (found: readonly Replayed[]) => found.map(({ finding }) => finding.kind);

describe('what a value can really be', () => {
  it.each([
    ['a round that the bound does not allow', loop('round >= 3')],
    ['rounds that another block cannot have had', loop('round >= 1') + talk('blocks["review"].rounds > 2')],
    [
      'a verdict of an agent that is not asked',
      loop(
        'agents["judge"].verdict == "OKAY"',
        `${JUDGE.replace(' }', ', when: \'mode.depth == "standard"\' }')}, ${LOOK}`,
      ),
    ],
    [
      'a verdict without a report',
      loop('agents["judge"].verdict == "OKAY"', '{ id: judge, type: plan-reviewer, prompt: J. }'),
    ],
  ])('%s never ends a loop', async (_, blocks) => {
    expect(kinds(await find(blocks))).toEqual(['unbounded-loop']);
  });

  it('an item of a list may be anything', async () => {
    const when = 'blocks["count"].data[0].candidate == "SQLite"';
    const blocks = `${COUNT}  - { id: chosen, type: llm, instruction: Do., when: '${when}' }\n`;
    const library = projectWith(
      { demo: `${HEAD}blocks:\n${blocks}${END}` },
      { '.dev/recipes/count.json': '{"type":"array","items":{"type":"object"}}' },
    );
    expect(kinds(await replay(library, 'demo'))).toEqual([]);
  });

  it('a round that the bound allows does', async () => {
    expect(await find(loop('round >= 2'))).toEqual([]);
  });

  it('the rounds of a block are what they have come to, also where a way back renews its bound', async () => {
    const draft =
      '  - { id: draft, type: subagent-loop, maxRounds: 3, agents: [' +
      JUDGE +
      '], exitWhen: \'agents["judge"].verdict == "OKAY"\' }\n';
    const again = '  - { id: again, type: llm, instruction: Do., when: \'blocks["draft"].rounds > 4\' }\n';
    const check = '  - { id: check, type: cli, command: [make, check], revise: draft, maxRounds: 2 }\n';
    const never = '  - { id: never, type: llm, instruction: Do., when: \'blocks["draft"].rounds > 6\' }\n';
    // `draft` has at most six rounds: three, and three more once `check` has led back to it. So `never` is unreachable.
    const found = await find(draft + again + check + never);
    expect(kinds(found)).toEqual(['unreachable-block']);
    expect(found[0]?.finding.message).toContain('`never`');
  });

  it('what an agent says that was never asked stays unset, also where the run goes back over its block', async () => {
    const build = '  - { id: build, type: cli, command: [make] }\n';
    const never = `  - { id: never, type: subagent, when: 'blocks["build"].status == "skipped"', agents: [${JUDGE}] }\n`;
    const check =
      '  - { id: check, type: cli, command: [make, check], when: \'agents["judge"].verdict == null\', revise: build, maxRounds: 2 }\n';
    const after = '  - { id: after, type: llm, instruction: Do., when: \'blocks["check"].exit == 0\' }\n';
    expect(kinds(await find(build + never + check + after))).toEqual(['unreachable-block']);
  });

  it('a round that is over ends no loop any more', async () => {
    const found = await find(loop('round == 1 && agents["judge"].verdict == "OKAY"'));
    expect(kinds(found)).toEqual(['dead-end']);
    expect(found[0]?.finding.script.steps).toHaveLength(2);
  });

  it('rounds of a block are those that it has had', async () => {
    const found = await find(`${loop('agents["judge"].verdict == "OKAY"')}${talk('blocks["review"].rounds == 2')}`);
    expect(kinds(found)).toEqual(['dead-end']);
    expect(found[0]?.state?.machine.counters['review']?.round).toBe(1);
  });

  it.each(['== "failed"', '== "skipped"', '!= "done"'])('the status of a block that is done is not %s', async (is) => {
    const think = '  - { id: think, type: llm, instruction: Think. }\n';
    const then = `  - { id: then, type: llm, instruction: Do., when: 'blocks["think"].status ${is}' }\n`;
    expect(kinds(await find(think + then))).toEqual(['unreachable-block']);
  });

  it('a condition that is tried as a whole stays what it is where only the user decides it', async () => {
    const head = 'preferences: { lang: { type: string, default: y, description: The language. } }\n';
    expect(kinds(await find(talk('preferences.lang.matches("^x")'), { head }))).toEqual(['dead-end']);
  });

  it.each([
    ['below zero', 'blocks["count"].data.n < -5', 'number'],
    ['between two fractions', 'blocks["count"].data.n > 0.5 && blocks["count"].data.n < 0.7', 'number'],
    [
      'with a beginning and an end',
      'blocks["count"].data.n.startsWith("ab") && blocks["count"].data.n.endsWith("yz")',
      'string',
    ],
    ['of a length', 'size(blocks["count"].data.n) > 7', 'string'],
  ])('a value %s is found', async (_, when, type) => {
    const only = `  - { id: only, type: llm, instruction: Do., when: '${when}' }\n`;
    expect(await find(`${COUNT}${only}`, { type })).toEqual([]);
  });
});

describe('what stays when a block is redone', () => {
  it('a section of the draft, which nothing empties again', async () => {
    const write = (id: string) =>
      `  - { id: ${id}, type: llm, instruction: Write., sections: [decisions], save: 'dev-cli draft update {name}' }\n`;
    const ask = "  - { id: ask, type: llm, instruction: Ask., when: 'draft.decisions.filled' }\n";
    const found = await find(write('first') + ask + write('second') + talk('!draft.decisions.filled'));
    expect(kinds(found)).toEqual(['dead-end']);
    expect(found[0]?.play.last).toMatchObject({ block: 'talk' });
  });

  it('what an agent has said that is not asked again', async () => {
    const judge = JUDGE.replace(' }', ', when: \'blocks["kind"].choice == "asked"\' }');
    const found = await find(`  - { id: kind, type: llm, instruction: Choose., choices: [asked, alone] }
  - { id: look, type: subagent, agents: [${LOOK}, ${judge}] }
  - id: gate
    type: wait-for-user
    message: On?
    choices: [{ id: on }, { id: again, goto: kind, reason: required, when: 'agents["judge"].verdict == "OKAY"' }]
  - id: talk
    type: llm-loop
    instruction: Talk.
    when: agents["judge"].status == "stale"
    exitWhen: agents["judge"].verdict != "OKAY"
`);
    expect(kinds(found)).toEqual(['unbounded-loop']);
    expect(found[0]?.state?.agents['judge']).toMatchObject({ status: 'stale', verdict: 'OKAY' });
  });
});

describe('an agent that is asked alone', () => {
  it('fails its block with it, whoever else the block may ask', async () => {
    const more =
      '{ id: more, type: code-explorer, prompt: Look., output: findings/more.md, when: \'mode.depth == "standard"\' }';
    const look = `  - { id: look, type: subagent, agents: [${LOOK}, ${more}], onError: continue }\n`;
    const ends = talk('blocks["look"].status == "failed"').replace(
      'type: llm-loop',
      'type: llm-loop, when: \'agents["look"].status == "failed"\'',
    );
    expect(await find(look + ends)).toEqual([]);
  });
});

describe('scripts that set what was found', () => {
  it('an agent that has failed', async () => {
    const found = await find(
      `  - { id: look, type: subagent, agents: [${LOOK}] }\n${talk('agents["look"].status == "done"')}`,
    );
    expect(kinds(found)).toEqual(['dead-end']);
    expect(found[0]?.state?.agents['look']?.status).toBe('failed');
  });

  it('data, with all that its schema demands besides', async () => {
    const found = await find(`${COUNT}${talk('blocks["count"].data.n in [3, 4]')}`);
    expect(kinds(found)).toEqual(['dead-end']);
    expect(found[0]?.finding.script.steps[0]?.data).toMatchObject({ other: expect.any(String) });
  });

  it('a goal', async () => {
    const found = await find(talk('!goal.contains("MAGIC")'));
    expect(kinds(found)).toEqual(['dead-end']);
    expect(found[0]?.state?.goal).toContain('MAGIC');
  });
});

describe('what tells no states apart', () => {
  it('the condition of an agent that nobody asks about', async () => {
    const head = 'preferences: { deep: { type: bool, default: false, description: Look twice. } }\n';
    const states = async (when: string) => {
      const more = `{ id: more, type: code-explorer, prompt: Look., output: findings/more.md${when} }`;
      const blocks = `  - { id: look, type: subagent, agents: [${LOOK}, ${more}] }
  - { id: gate, type: wait-for-user, message: On?, choices: [{ id: on }, { id: again, goto: look, reason: required }] }
`;
      const { report } = await verifyRecipe(projectWith({ demo: `${HEAD}${head}blocks:\n${blocks}${END}` }), 'demo');
      expect(report).toMatchObject({ ok: true, explored: { whole: true } });
      return report.explored?.states;
    };
    expect(await states(', when: preferences.deep')).toBe(await states(''));
  });
});

describe('what is too wide to explore', () => {
  const names = Array.from({ length: 30 }, (_, at) => `p${at}`);
  const preferences = `preferences:\n${names.map((name) => `  ${name}: { type: bool, default: false, description: One. }\n`).join('')}`;

  it('one condition about thirty values stops at the limit', async () => {
    const when = names.map((name) => `preferences.${name}`).join(' && ');
    const blocks = `  - { id: wide, type: llm, instruction: Do., when: '${when}' }\n${END}`;
    const { report } = await verifyRecipe(projectWith({ demo: `${HEAD}${preferences}blocks:\n${blocks}` }), 'demo', {
      most: 500,
    });
    expect(report).toMatchObject({ ok: false, explored: { whole: false } });
  });

  it('thirty phases, each with a value of its own, are no trouble', async () => {
    const phases = names.map((name) => `  - { name: of-${name}, recipe: part, when: preferences.${name} }\n`).join('');
    const flow = `name: flow\ntype: meta\n${preferences}phases:\n${phases}`;
    const library = projectWith({ flow, part: `${HEAD.replace('demo', 'part')}blocks:\n${END}` });
    const { report } = await verifyRecipe(library, 'flow');
    expect(report).toMatchObject({ ok: true, explored: { whole: true, actions: 30 } });
  });
});

describe('what agents have come to', () => {
  const explore = (onError: string, agents: string) =>
    `  - { id: explore, type: subagent, onError: ${onError}, agents: [${agents}] }\n`;
  const then = (when: string) => `  - { id: then, type: llm, instruction: Do., when: '${when}' }\n`;
  const OTHER = LOOK.replace('id: look', 'id: other').replace('look.md', 'other.md');

  it.each(['halt', 'retry'])('one that has failed is none with which a run goes on: onError: %s', async (onError) => {
    const found = await find(explore(onError, `${LOOK}, ${OTHER}`) + then('agents["look"].status == "failed"'));
    expect(kinds(found)).toEqual(['unreachable-block']);
  });

  it('one may have failed beside another that has not', async () => {
    const never = 'blocks["explore"].status == "done" && agents["look"].status == "failed"';
    expect(await find(explore('continue', `${LOOK}, ${OTHER}`) + then(never))).toEqual([]);
    expect(kinds(await find(explore('continue', LOOK) + then(never)))).toEqual(['unreachable-block']);
  });

  it('one that has failed has said nothing', async () => {
    const said = 'agents["look"].status == "failed" && agents["look"].summary != null';
    const found = await find(explore('continue', `${LOOK}, ${OTHER}`) + then(said));
    expect(kinds(found)).toEqual(['unreachable-block']);
  });

  it('a report need not say how many questions there are', async () => {
    const settle = (is: string) =>
      `  - { id: q${is.length}, type: llm, instruction: S., when: 'agents["look"].questions ${is} 0' }\n`;
    const none = then('blocks["q1"].status == "skipped" && blocks["q2"].status == "skipped"');
    expect(await find(explore('halt', LOOK) + settle('>') + settle('==') + none)).toEqual([]);
  });
});

describe('what is redone at will', () => {
  it('is no dead end where the work itself never comes to it', async () => {
    const found = await find(`  - { id: think, type: llm, instruction: Think. }
  - id: review
    type: subagent-loop
    when: blocks["think"].status == "skipped"
    maxRounds: 1
    agents: [${JUDGE}]
    exitWhen: agents["judge"].verdict == "OKAY" && blocks["think"].status == "failed"
  - { id: build, type: cli, command: [make] }
`);
    expect(kinds(found).filter((kind) => kind !== 'unreachable-block')).toEqual([]);
  });
});
