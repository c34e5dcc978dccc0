import { describe, expect, it } from 'vitest';
import { verifyRecipe } from '../../../src/wings/authoring/verify/verify.js';
import { libraryWith } from '../../core/recipe/library-fixture.js';
import { projectWith, type Replayed, replay } from './replay.js';

const recipe = (blocks: string, head = '') =>
  `name: demo\ntype: sequential\nskill: demo\n${head}${head.includes('mode:') ? '' : 'mode: { depth: quick, interaction: interactive }\n'}blocks:\n${blocks}`;

const kinds = (found: readonly Replayed[]) => found.map(({ finding }) => finding.kind);

async function verifyDemo(blocks: string, head = ''): Promise<Replayed[]> {
  const library = projectWith({ demo: recipe(blocks, head) });
  const { report } = await verifyRecipe(library, 'demo');
  expect(report.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return replay(library, 'demo');
}

const KIND = '  - { id: kind, type: llm, instruction: Choose., choices: [minor, major] }\n';
const END = '  - { id: last, type: llm, instruction: End. }\n';

describe('the shipped recipes', () => {
  it.each([
    'execute-hardened',
    'execute-quick',
    'execute-standard',
    'bugfix',
    'open-pr',
    'ultrawork',
    'ultrawork-autopilot',
    'specify-quick-autopilot',
    'specify-quick-interactive',
    'specify-standard-autopilot',
    'specify-standard-interactive',
  ])('%s is proved', async (name) => {
    const { report } = await verifyRecipe(libraryWith(), name);
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ ok: true, explored: { whole: true } });
    expect(report.explored?.actions).toBeGreaterThan(0);
  });
});

describe('planted defects, each with a way that the protocol really goes', () => {
  it('a dead end: a loop that cannot pass after one of the choices', async () => {
    const [found, ...more] = await verifyDemo(`${KIND}
  - id: settle
    type: llm-loop
    instruction: Settle it.
    maxRounds: 2
    exitWhen: blocks["kind"].choice == "major"
${END}`);
    expect(more).toEqual([]);
    expect(found?.finding).toMatchObject({ kind: 'dead-end', line: 12 });
    expect(found?.finding.script.steps).toEqual([
      { expect: { block: 'kind', action: 'llm' }, choose: 'minor' },
      { until: 'settle' },
    ]);
    expect(found?.play.last).toMatchObject({ block: 'settle' });
  });

  it('a loop that no value ends', async () => {
    const found = await verifyDemo(`
  - id: review
    type: subagent-loop
    maxRounds: 2
    agents: [{ id: judge, type: plan-reviewer, prompt: Judge., output: "reviews/{round}.md" }]
    exitWhen: agents["judge"].verdict.startsWith("OK") && agents["judge"].verdict.endsWith("CT")
${END}`);
    expect(kinds(found)).toEqual(['unbounded-loop']);
    expect(found[0]?.play.last).toMatchObject({ block: 'review' });
  });

  it('a gate that an agent can have skipped', async () => {
    const found = await verifyDemo(`${KIND}
  - { id: gate, type: wait-for-user, human: required, message: Go on?, when: 'blocks["kind"].choice == "major"' }
${END}`);
    expect(kinds(found)).toEqual(['gate-bypassed']);
    expect(found[0]?.state?.steps['gate']?.status).toBe('skipped');
  });

  it.each([
    ['how a command ended', 'blocks["green"].exit != 0', []],
    ['whether a command passed', 'blocks["green"].status == "failed"', []],
    ['what a person chose', 'blocks["ask"].choice == "on"', []],
    ['a command and an agent', 'blocks["green"].exit != 0 && blocks["kind"].choice == "major"', ['gate-bypassed']],
    ['how often a person was asked', 'blocks["ask"].rounds > 1', ['gate-bypassed']],
    ['what an agent may have answered for', 'blocks["open"].choice == "on"', ['gate-bypassed']],
  ])('no gate that is skipped by %s alone', async (_, when, expected) => {
    const found = await verifyDemo(`${KIND}
  - { id: green, type: cli, command: npm test, onError: continue }
  - { id: ask, type: wait-for-user, human: required, message: On?, choices: [{ id: on }, { id: off }] }
  - { id: open, type: wait-for-user, message: On?, choices: [{ id: on }, { id: off }] }
  - { id: gate, type: wait-for-user, human: required, message: Go on?, when: '${when}' }
${END}`);
    expect(kinds(found)).toEqual(expected);
  });

  const LOOP = (more = '') =>
    `${KIND}  - { id: change, type: llm-loop, instruction: Mend., exitCheck: npm test, maxRounds: 2, onError: continue${more} }\n`;

  it.each([
    ['asked where a command has not ended the loop', '', 'blocks["change"].status == "failed"', []],
    ['asked unless it has', '', 'blocks["change"].status != "done"', []],
    ['asked where it has: an agent can fail the step', '', 'blocks["change"].status == "done"', ['gate-bypassed']],
    [
      'of a loop that an agent can have skipped',
      `, when: 'blocks["kind"].choice == "major"'`,
      'blocks["change"].status == "failed"',
      ['gate-bypassed'],
    ],
    [
      'of a loop that ends where an agent answers for the user',
      ', asks: user',
      'blocks["change"].status == "failed"',
      ['gate-bypassed'],
    ],
  ])('a gate that is %s', async (_, more, when, expected) => {
    const found = await verifyDemo(
      `${LOOP(more)}  - { id: gate, type: wait-for-user, human: required, message: Go on?, when: '${when}' }\n${END}`,
    );
    expect(kinds(found)).toEqual(expected);
    for (const { state } of found) expect(state?.steps['gate']?.status).toBe('skipped');
  });

  it('a gate for a red command that an agent can have skipped', async () => {
    const found = await verifyDemo(`${KIND}
  - { id: green, type: cli, command: npm test, onError: continue, when: 'blocks["kind"].choice == "major"' }
  - { id: gate, type: wait-for-user, human: required, message: Go on?, when: 'blocks["green"].status == "failed"' }
${END}`);
    expect(kinds(found)).toEqual(['gate-bypassed']);
    expect(found[0]?.finding.message).toContain('`blocks["green"].status`');
  });

  it('no dead end where a person who had all rounds granted may only stop', async () => {
    const found = await verifyDemo(`${LOOP()}
  - id: red
    type: wait-for-user
    human: required
    when: blocks["change"].status == "failed"
    message: Two more rounds, or stop?
    maxRounds: 1
    choices: [{ id: more, goto: change }, { id: stop, goto: halt }]
${END}`);
    expect(found).toEqual([]);
  });

  it('a dead end where nothing but to stop was ever offered', async () => {
    const found = await verifyDemo(`${LOOP()}
  - id: red
    type: wait-for-user
    when: blocks["change"].status == "failed"
    message: It is red.
    choices: [{ id: stop, goto: halt }]
${END}`);
    expect(kinds(found)).toEqual(['dead-end']);
  });

  it('a gate whose artifact is written again once it was approved', async () => {
    const write = (id: string) => `  - { id: ${id}, type: llm+cli, instruction: Write., write: note.json }\n`;
    const found = await verifyDemo(`${write('first')}
  - { id: gate, type: wait-for-user, human: required, message: Go on?, artifact: note.json }
${write('second')}${END}`);
    expect(kinds(found)).toEqual(['gate-bypassed']);
    expect(found[0]?.state?.steps['second']?.status).toBe('done');
  });

  it('a block that is never reached', async () => {
    const found = await verifyDemo(`${KIND}
  - { id: never, type: llm, instruction: Do., when: 'mode.depth == "standard"' }
${END}`);
    expect(kinds(found)).toEqual(['unreachable-block']);
    expect(found[0]?.state?.steps['never']?.status).toBe('skipped');
  });

  it('a file that is read before it is written', async () => {
    const found = await verifyDemo(`${KIND}
  - { id: note, type: llm+cli, instruction: Write., write: note.json, when: 'blocks["kind"].choice == "major"' }
  - { id: gate, type: wait-for-user, message: Go on?, artifact: note.json }
${END}`);
    expect(kinds(found)).toEqual(['file-unwritten']);
    expect(found[0]?.play.last).toMatchObject({ block: 'gate' });
    expect(found[0]?.play.on.text('note.json')).toBeNull();
  });

  it('a file whose writer failed', async () => {
    const found = await verifyDemo(`
  - { id: note, type: llm+cli, instruction: Write., write: note.json, onError: continue }
  - { id: use, type: llm, instruction: Use., read: [note.json] }
`);
    expect(kinds(found)).toEqual(['file-unwritten']);
    expect(found[0]?.play.on.text('note.json')).toBeNull();
  });

  it('a value that a text needs before it is set', async () => {
    const found = await verifyDemo(`${KIND}
  - { id: count, type: llm, instruction: Count., schema: size, when: 'blocks["kind"].choice == "major"' }
  - { id: use, type: llm, instruction: "Use {blocks.count.data.size}." }
`);
    expect(kinds(found)).toEqual(['value-unset']);
    expect(found[0]?.state?.data ?? {}).not.toHaveProperty('count');
  });

  it('a value that a condition looks at before it is set', async () => {
    const found = await verifyDemo(`${KIND}
  - { id: count, type: llm, instruction: Count., schema: size, when: 'blocks["kind"].choice == "major"' }
  - { id: use, type: llm, instruction: Use., when: 'blocks["count"].data.size == "small"' }
${END}`);
    expect(kinds(found)).toEqual(['value-unset']);
    expect(found[0]?.state?.steps['count']?.status).toBe('skipped');
  });

  it('and not one that is asked for only where it is set', async () => {
    const found = await verifyDemo(`${KIND}
  - { id: count, type: llm, instruction: Count., schema: size, when: 'blocks["kind"].choice == "major"' }
  - id: use
    type: llm
    instruction: Use.
    when: blocks["count"].status == "done" && blocks["count"].data.size == "small"
${END}`);
    expect(found).toEqual([]);
  });

  it('a required section that nobody has written', async () => {
    const found = await verifyDemo(
      `
  - { id: bounds, type: llm, instruction: Say., sections: [boundaries], onError: continue }
  - { id: check, type: cli, command: "dev-cli draft validate {name}" }
${END}`,
      'draft: { required: [boundaries] }\n',
    );
    expect(kinds(found)).toEqual(['section-unwritten']);
    expect(found[0]?.state?.steps['bounds']?.status).toBe('failed');
  });

  it('a `when` that contradicts `readsFrom`', async () => {
    const found = await verifyDemo(`${KIND}
  - id: look
    type: subagent
    when: blocks["kind"].choice == "major"
    agents: [{ id: one, type: code-explorer, prompt: Look., output: findings/one.md }]
  - id: use
    type: subagent
    when: blocks["kind"].choice == "minor"
    agents: [{ id: two, type: gap-analyzer, prompt: Use., output: analysis/two.md, readsFrom: [findings/one.md] }]
`);
    expect(kinds(found)).toEqual(['never-written']);
    expect(found[0]?.play.last).toMatchObject({ block: 'use' });
    expect(found[0]?.play.on.text('findings/one.md')).toBeNull();
  });

  it('a gate for a person in autopilot', async () => {
    const found = await verifyDemo(
      `${KIND}
  - { id: gate, type: wait-for-user, human: required, message: Go on? }
`,
      'mode: { depth: quick, interaction: autopilot }\n',
    );
    expect(kinds(found)).toEqual(['human-in-autopilot']);
    expect(found[0]?.play.last).toMatchObject({ block: 'gate', action: 'wait-for-user' });
  });

  it('a recipe that cannot end without a remote', async () => {
    const found = await verifyDemo(`${KIND}
  - { id: push, type: cli, command: [git, push] }
`);
    expect(kinds(found)).toEqual(['needs-remote']);
    expect(found[0]?.play.last).toMatchObject({ action: 'done', outcome: 'halted' });
  });

  it.each([
    ['in a loop', '{ id: push, type: llm-loop, instruction: P., exitCheck: [git, push], maxRounds: 2 }'],
    ['in another directory', '{ id: push, type: cli, command: [git, -C, sub, push] }'],
    ['in a shell', `{ id: push, type: cli, command: [sh, -c, 'git push'] }`],
  ])('a recipe that cannot end without a remote: the command is %s', async (_, push) => {
    const found = await verifyDemo(`${KIND}  - ${push}\n${END}`);
    expect(kinds(found)).toEqual(['needs-remote']);
    expect(found[0]?.play.last).toMatchObject({ action: 'done', outcome: 'halted' });
  });
});

const PHASE = (name: string, blocks: string) =>
  `name: ${name}\ntype: sequential\nskill: demo\nmode: { depth: quick, interaction: interactive }\nblocks:\n${blocks}`;
const GATED = PHASE('gated', `${KIND}  - { id: gate, type: wait-for-user, human: required, message: Go on? }\n`);

describe('planted defects of workflows and executions', () => {
  const flow = (phases: string, more = '') => `name: flow\ntype: meta\n${more}phases:\n${phases}`;
  const verifyFlow = (recipes: Record<string, string>) => replay(projectWith(recipes), 'flow');

  it('a gate that a policy passes', async () => {
    const [found, ...more] = await verifyFlow({
      flow: flow(
        '  - { name: plan, recipe: gated }\n  - { name: do, recipe: work }\n',
        'errorPolicy: { onFail: skip_phase }\n',
      ),
      gated: GATED,
      work: PHASE('work', END),
    });
    expect(more).toEqual([]);
    expect(found?.finding.kind).toBe('gate-bypassed');
    expect(found?.state?.workflow).toMatchObject({ currentPhase: 'do' });
  });

  it('a phase that fails without a remote', async () => {
    const [found, ...more] = await verifyFlow({
      flow: flow('  - { name: first, recipe: work }\n  - { name: push, recipe: pushing }\n'),
      work: PHASE('work', END),
      pushing: PHASE('pushing', '  - { id: push, type: cli, command: [git, push] }\n'),
    });
    expect(more).toEqual([]);
    expect(found?.finding).toMatchObject({ kind: 'needs-remote', file: '.dev/recipes/pushing.yaml' });
    expect(found?.play.last).toMatchObject({ action: 'done', outcome: 'halted' });
  });

  it('a workflow that is refused without a remote', async () => {
    const found = await verifyFlow({
      flow: flow('  - { name: first, recipe: work }\n', 'needs: [remote]\n'),
      work: PHASE('work', END),
    });
    expect(kinds(found)).toEqual(['needs-remote']);
    expect(found[0]?.play).toMatchObject({ last: null, refusal: { code: 'NEEDS_MISSING' } });
  });

  it('a phase that is never begun', async () => {
    const found = await verifyFlow({
      flow: flow(
        '  - { name: first, recipe: work }\n  - { name: never, recipe: work, when: mode.depth == "standard" }\n',
        'mode: { depth: quick }\n',
      ),
      work: PHASE('work', END),
    });
    expect(kinds(found)).toEqual(['unreachable-block']);
    expect(found[0]?.state?.workflow?.phases[1]?.status).toBe('skipped');
  });

  it('a defect of a phase, by the way through the phases before it', async () => {
    const found = await verifyFlow({
      flow: flow('  - { name: first, recipe: work }\n  - { name: second, recipe: broken }\n'),
      work: PHASE('work', END),
      broken: PHASE(
        'broken',
        `${KIND}  - { id: gate, type: wait-for-user, human: required, message: Go?, when: 'blocks["kind"].choice == "major"' }\n${END}`,
      ),
    });
    expect(kinds(found)).toEqual(['gate-bypassed']);
    expect(found[0]?.state?.workflow).toMatchObject({ currentPhase: 'second' });
  });

  it('workflows that include each other are refused with what lint finds', async () => {
    const one = (name: string, other: string) =>
      `name: ${name}\ntype: meta\nphases:\n  - { name: a, recipe: ${other} }\n`;
    const library = projectWith({ flow: one('flow', 'back'), back: one('back', 'flow') });
    const { report } = await verifyRecipe(library, 'flow');
    expect(report).toMatchObject({ ok: false, findings: [] });
    expect(report.problems.map(({ message }) => message).join()).toContain('is a workflow itself');
  });

  const carry = (handler: string, head = '') =>
    `name: carry\ntype: engine\nskill: execute\n${head}config: { depth: standard }\nhandlers:\n  look:\n${handler}`;
  const LOOK = '    actor: human\n    message: Go on?\n    after: verify\n';

  it('a stage of an execution that no todo comes to', async () => {
    const library = projectWith({
      carry: carry(`${LOOK}    when: todo.risk.startsWith("h") && todo.risk.endsWith("w")\n`),
    });
    const [found, ...more] = await replay(library, 'carry');
    expect(more).toEqual([]);
    expect(found?.finding).toMatchObject({ kind: 'unreachable-block', line: 10 });
    expect(found?.play.last).toMatchObject({ action: 'done', outcome: 'completed' });
  });

  it.each([
    ['the recipe', (text: string) => ({ carry: text }), 'carry'],
    [
      'a phase of a workflow',
      (text: string) => ({
        carry: text,
        work: PHASE('work', END),
        flow: flow('  - { name: first, recipe: work }\n  - { name: do, recipe: carry }\n'),
      }),
      'flow',
    ],
  ])('a stage for a person in autopilot, of %s', async (_, recipes, name) => {
    const text = carry(`${LOOK}    when: todo.risk == "high"\n`, 'mode: { interaction: autopilot }\n');
    const [found, ...more] = await replay(projectWith(recipes(text)), name);
    expect(more).toEqual([]);
    expect(found?.finding).toMatchObject({ kind: 'human-in-autopilot' });
    expect(found?.play.played.map(({ action }) => action.action)).toContain('wait-for-user');
  });
});

describe('what cannot be explored', () => {
  it('a recipe with errors is told by what lint finds', async () => {
    const library = projectWith({ demo: recipe('  - { id: a, type: llm, instruction: A., when: blocks }\n') });
    const { report } = await verifyRecipe(library, 'demo');
    expect(report).toMatchObject({ ok: false, findings: [] });
    expect(report.explored).toBeUndefined();
    expect(report.problems[0]?.severity).toBe('error');
  });

  it('stops at a limit of states and says so', async () => {
    const { report } = await verifyRecipe(libraryWith(), 'specify-standard-interactive', { most: 50 });
    expect(report).toMatchObject({ ok: false, explored: { states: 50, whole: false, actions: null } });
  });

  it('explores hundreds of blocks', async () => {
    const blocks = Array.from({ length: 400 }, (_, at) => `  - { id: b${at}, type: llm, instruction: Do. }\n`).join('');
    const { report } = await verifyRecipe(projectWith({ demo: recipe(blocks) }), 'demo');
    expect(report).toMatchObject({ ok: true, explored: { whole: true, actions: 400 } });
  });

  it.each(['specify-standard-interactive', 'execute-standard', 'ultrawork'])(
    'ends %s at a pause when it is interrupted',
    async (name) => {
      const interruption = new AbortController();
      setImmediate(() => interruption.abort());
      const verified = verifyRecipe(libraryWith(), name, { signal: interruption.signal });
      await expect(verified).rejects.toMatchObject({ code: 'INTERRUPTED' });
    },
  );
});
