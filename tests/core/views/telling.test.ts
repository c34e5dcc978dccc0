import { describe, expect, it } from 'vitest';
import { buildRunSummary } from '../../../src/blocks/run-summary.js';
import { tickBox } from '../../../src/plan/page/boxes.js';
import { checkDocumentFile } from '../../../src/protocol/questions/check.js';
import { showStatus } from '../../../src/protocol/questions/status.js';
import { requireRecipe } from '../../../src/recipe/load/load.js';
import { renderInvocation } from '../../../src/registry/render.js';
import { createDocumentOverlay } from '../../../src/run/documents/pending.js';
import { aPlan } from '../plan/fixture.js';
import { codeOf, recipeOf, report, type Stage, stage } from '../protocol/stage.js';

/** What a run says about itself, and what its agents are told. */

const END = '  - { id: last, type: llm, instruction: End. }\n';
const AGENT = 'type: code-explorer, prompt: Look.';

async function started(blocks: string, head = '', set: Record<string, string> = {}): Promise<Stage> {
  const on = stage({ recipes: { one: recipeOf('one', blocks + END, head) } });
  const answer = await on.init('one', { goal: 'Add X', ...(Object.keys(set).length > 0 ? { set } : {}) });
  expect(codeOf(answer)).toBe('ok');
  return on;
}

describe('a prompt', () => {
  it('names why its task is done again', async () => {
    const on = await started(
      `  - { id: look, type: subagent, agents: [{ ${AGENT}, id: one, output: findings/one.md }] }\n` +
        '  - { id: gate, type: wait-for-user, choices: [{ id: again, goto: look, reason: required }, { id: on }] }\n',
    );
    on.put('findings/one.md', report('one'));
    await on.complete({ action: 'a1' });
    await on.complete({ action: 'a2', choice: 'again', note: 'you missed the tests' });
    expect(on.text('actions/a1/one.md')).not.toContain('done again');
    expect(on.text('actions/a3/one.md')).toMatch(
      /read first, why this is done again: .*\.dev\/specs\/run-1\/actions\/a2\/note\.md/,
    );
  });
});

describe('a path of a recipe', () => {
  const recipe = (where: string) => ({
    one: recipeOf(
      'one',
      `  - { id: w, type: llm+cli, instruction: W., write: "{where}.json" }\n${END}`,
      `vars: { where: "${where}" }\n`,
    ),
  });

  it.each(['../x', 'a/../../x', '/etc/x', 'a\\nb'])('is refused when %j would lead it astray', async (where) => {
    const on = stage({ recipes: recipe(where) });
    expect(codeOf(await on.init('one', { goal: 'X' }))).toBe('USAGE');
  });

  it('may have a placeholder in it', async () => {
    const on = stage({ recipes: recipe('a/b..c') });
    expect(codeOf(await on.init('one', { goal: 'X' }))).toBe('ok');
    expect(JSON.stringify(await on.action())).toContain('.dev/specs/run-1/a/b..c.json');
  });
});

describe('draft import', () => {
  it('takes what `analysis save` stored in this run, under any name', async () => {
    const on = await started('  - { id: t, type: llm, instruction: "{draft.findings}" }\n');
    await on.document('analysis save', { agent: 'helper', data: { source: 'stdin', text: report('helper') } });
    on.put('analysis/stray.md', report('stray'));
    await on.document('draft import');
    expect(on.text('DRAFT.md')).toContain('[helper](analysis/helper.md): Found it.');
    expect(on.text('DRAFT.md')).not.toContain('stray');
  });
});

describe('the result of a recipe', () => {
  const blocks = (when: string) =>
    `  - { id: t, type: llm, instruction: T. }\n  - { id: u, type: llm, instruction: U.${when} }\n`;

  it('is kept only where a condition asks for it, and cut', async () => {
    const asked = await started(blocks(', when: "result != null"'));
    await asked.complete({ action: 'a1', result: 'x'.repeat(9000) });
    expect((await asked.state()).result).toHaveLength(4000);
    const unasked = await started(blocks(''));
    await unasked.complete({ action: 'a1', result: 'x' });
    expect((await unasked.state()).result).toBeNull();
  });
});

describe('check', () => {
  it('wants the agent that the pending action names', async () => {
    const on = await started(
      `  - { id: look, type: subagent, agents: [{ ${AGENT}, id: one, output: findings/one.md }] }\n`,
    );
    const file = '.dev/specs/run-1/findings/one.md';
    on.put('findings/one.md', report('two'));
    expect((await checkDocumentFile(on.context, file, on.context.root)).exit).toBe(3);
    on.put('findings/one.md', report('one'));
    expect((await checkDocumentFile(on.context, file, on.context.root)).exit).toBe(0);
  });
});

describe('the manifest', () => {
  it('keeps its length with many agents, and says how many it left out', async () => {
    const agents = Array.from({ length: 40 }, (_, n) => `{ ${AGENT}, id: agent-${n}, output: findings/agent-${n}.md }`);
    const on = await started(`  - { id: look, type: subagent, agents: [${agents.join(', ')}] }\n`);
    const text = await on.manifest();
    expect(text.length).toBeLessThanOrEqual(4800);
    expect(text).toMatch(/\d+ of 40 agents are omitted here; start them all: dev-cli next run-1/);
    expect(text).toContain('Agents: 40 pending');
    expect(text).toContain('step complete run-1 --action a1');
  });

  it('keeps its length with a long message, and says where the rest is', async () => {
    const message = 'Is "this" right? '.repeat(600);
    const on = await started(`  - { id: gate, type: wait-for-user, message: '${message}', choices: [on] }\n`);
    const text = await on.manifest();
    expect(text.length).toBeLessThanOrEqual(4800);
    expect(text).toContain('… [cut; full text: dev-cli next run-1]');
    expect(text).toContain('step complete run-1 --action a1 --choice on');
    expect(await on.next()).toContain(JSON.stringify(message.trim()).slice(1, -1));
  });
});

describe('the files in the manifest', () => {
  const DRAFTED = '  - { id: t, type: llm, instruction: "{draft.decisions}" }\n';
  const filesOf = async (on: Stage): Promise<string | undefined> =>
    (await on.manifest()).split('\n').find((line) => line.startsWith('Files'));

  it('are those that are there: a directory in the place of one, or an empty one, is none', async () => {
    const on = await started(DRAFTED);
    on.put('PLAN.md', 'p');
    on.put('summary.md/x', 's');
    on.put('findings/one.md', 'f');
    on.put('findings/two.md', 'f');
    on.put('reviews/notes.txt', 'r');
    on.put('analysis', 'a');
    expect(await filesOf(on)).toBe('Files in .dev/specs/run-1: DRAFT.md, PLAN.md, findings/ (2)');
  });

  it('are also those that commits which were cut short have still to put in place', async () => {
    const on = await started(DRAFTED);
    const before = on.memory.snapshots.get(on.name) ?? '';
    const data = (text: string) => ({ source: 'inline' as const, text });
    await on.document('analysis save', { agent: 'helper', data: data(report('helper')) });
    await on.document('draft update', { section: 'decisions', data: data('"- Keep JWT (user)"') });
    const whole = [await filesOf(on), (await on.manifest()).includes('Keep JWT')];
    expect(whole).toEqual(['Files in .dev/specs/run-1: DRAFT.md, analysis/ (1)', true]);
    on.memory.snapshots.set(on.name, before);
    for (const path of ['DRAFT.md', 'analysis/helper.md']) on.memory.documents.delete(`.dev/specs/${on.name}/${path}`);
    expect([await filesOf(on), (await on.manifest()).includes('Keep JWT')]).toEqual(whole);
  });
});

describe('status', () => {
  it('sends the user of a gate that wants a person to approve', async () => {
    const on = await started('  - { id: gate, type: wait-for-user, human: required, choices: [on] }\n');
    expect(await on.statusText()).toContain('you    decide: dev-cli approve run-1 (choices: on)');
  });

  it('shows what changed since it was decided; a box that was ticked is no change', async () => {
    const on = await started(
      '  - { id: plan, type: llm+cli, instruction: W., write: plan-content.json, schema: plan-content, command: "dev-cli plan generate {name}" }\n' +
        '  - { id: gate, type: wait-for-user, artifact: PLAN.md, choices: [on] }\n',
    );
    on.put('plan-content.json', JSON.stringify(aPlan()));
    expect(codeOf(await on.complete({ action: 'a1' }))).toBe('ok');
    await on.complete({ action: 'a2', choice: 'on' });
    const ticked = tickBox(on.text('PLAN.md') ?? '', 'todo-1');
    on.put('PLAN.md', ticked);
    expect(await on.statusText()).not.toContain('changed since');
    on.put('PLAN.md', `${ticked}\nMore.\n`);
    expect(await on.statusText()).toContain('PLAN.md changed since "gate" was answered with "on"');
    expect(await on.manifest()).toContain('Changed since the decision: PLAN.md (gate)');
    const { gates } = (await showStatus(on.context, on.name)).json as { gates: Record<string, { changed?: true }> };
    expect(gates['gate']?.changed).toBe(true);
  });
});

describe('what a recipe writes and collects', () => {
  it('is an artifact of its run: at the end, in status and in the summary', async () => {
    const on = await started(
      '  - { id: note, type: llm+cli, instruction: W., write: notes.md }\n' +
        '  - { id: look, type: subagent, agents: [{ type: code-explorer, id: eye, output: "seen/{round}.md" }, { type: ux-reviewer, output: tmp/b.md }] }\n' +
        '  - { id: c, type: cli, command: "dev-cli cleanup {name}" }\n',
      'cleanup: [tmp/*]\n',
    );
    on.put('notes.md', '{}');
    await on.complete({ action: 'a1' });
    const shown = await showStatus(on.context, on.name);
    expect(shown.json).toMatchObject({ artifacts: ['.dev/specs/run-1/notes.md'] });
    expect(shown.text?.(renderInvocation)).toContain('\nwrote  .dev/specs/run-1/notes.md');
    on.put('seen/1.md', report('eye'));
    on.put('tmp/b.md', report('ux-reviewer'));
    await on.complete({ action: 'a2' });
    await on.complete({ action: 'a3' });
    const done = await on.action();
    expect(done).toMatchObject({
      outcome: 'completed',
      artifacts: ['summary.md', 'notes.md', 'seen/1.md'].map((path) => `.dev/specs/run-1/${path}`),
    });
    expect(on.text('summary.md')).toContain('## Documents\n\n- notes.md\n- seen/1.md\n');
  });

  it('is also what a recipe states and an agent writes unasked, unless an earlier run has left it', async () => {
    const on = await started(
      '  - { id: note, type: llm, instruction: "Write UPGRADE.md." }\n' +
        '  - { id: c, type: cli, command: "dev-cli cleanup {name}" }\n',
      'artifacts: [UPGRADE.md, gone.md]\n',
    );
    const path = '.dev/specs/run-1/UPGRADE.md';
    const named = async () => {
      const shown = (await showStatus(on.context, on.name)).json as { artifacts: string[] };
      const done = await on.action();
      return { status: shown.artifacts.includes(path), done: done.action === 'done' ? done.artifacts : null };
    };
    on.put('UPGRADE.md', '# What was changed');
    await on.complete({ action: 'a1' });
    await on.complete({ action: 'a2' });
    expect(await named()).toEqual({ status: true, done: [path] });
    expect(on.text('summary.md')).toContain('## Documents\n\n- UPGRADE.md\n');
    await on.init('one', { goal: 'Add Y' });
    expect((await named()).status).toBe(false);
    on.put('UPGRADE.md', '# What was changed now');
    expect((await named()).status).toBe(true);
    on.put('UPGRADE.md', '# What was changed');
    await on.abort('no need');
    expect(await named()).toEqual({ status: true, done: [path] });
    await on.init('one', { goal: 'Add Z' });
    await on.abort('no need');
    expect(await named()).toEqual({ status: false, done: [] });
  });
});

describe('the end', () => {
  it('names what this run has written, not what an earlier run of the name left there', async () => {
    const on = await started(
      '  - { id: plan, type: llm+cli, instruction: W., write: plan-content.json, schema: plan-content, command: "dev-cli plan generate {name}" }\n' +
        '  - { id: c, type: cli, command: "dev-cli cleanup {name}" }\n',
    );
    const named = async () => {
      const done = await on.action();
      return done.action === 'done' ? done.artifacts.map((path) => path.split('/').at(-1)) : null;
    };
    on.put('plan-content.json', JSON.stringify(aPlan()));
    await on.complete({ action: 'a1' });
    await on.complete({ action: 'a2' });
    expect(await named()).toEqual(['PLAN.md', 'summary.md']);
    await on.init('one', { goal: 'Add Y' });
    await on.abort('no need');
    expect(on.text('PLAN.md')).not.toBeNull();
    expect(await named()).toEqual([]);
    // Even the same plan, written once more, counts as the new run's own plan.
    await on.init('one', { goal: 'Add Y' });
    on.put('plan-content.json', JSON.stringify(aPlan()));
    await on.complete({ action: 'a4' });
    await on.abort('no need');
    expect(await named()).toEqual(['PLAN.md', 'summary.md']);
  });

  it('has the reason of a failed step, not its count of agents', async () => {
    const on = await started(
      `  - { id: look, type: subagent, onError: halt, agents: [{ ${AGENT}, id: one, output: findings/one.md }] }\n`,
    );
    await on.complete({ action: 'a1', without: ['one'], reason: 'crashed' });
    const done = await on.action();
    expect(done.action === 'done' && done.failed.find(({ id }) => id === 'look')?.reason).toBe('not delivered: one');
  });
});

describe('the summary of a run', () => {
  it('tells who decided by the mark at the end of a line, and in the order of the recipe', async () => {
    const on = await started(
      '  - { id: zeta, type: llm, instruction: "{draft.decisions}" }\n  - { id: alpha, type: llm, instruction: A. }\n',
    );
    const text = '- A user table in the database\n- Keep JWT (user)\n- No cache (assumed).';
    await on.document('draft update', { section: 'decisions', data: { source: 'inline', text: JSON.stringify(text) } });
    await on.complete({ action: 'a1' });
    await on.complete({ action: 'a2' });
    const { recipe } = requireRecipe(on.context.library, 'one');
    const { files } = await on.store.read(on.name);
    const summary = buildRunSummary(await on.state(), recipe, createDocumentOverlay(files), '2026-11-21T22:00:00.000Z');
    expect(summary.decisions.map(({ text: told, by }) => [told, by])).toEqual([
      ['A user table in the database', 'agent'],
      ['Keep JWT', 'user'],
      ['No cache', 'assumed'],
    ]);
    expect(summary.done.map((line) => line.split(':')[0])).toEqual(['zeta', 'alpha']);
    expect(summary.outcome).toBe('live');
  });
});

describe('cleanup', () => {
  it('removes what its globs name and nothing beside', async () => {
    const on = stage({
      recipes: {
        one: recipeOf(
          'one',
          '  - { id: t, type: llm, instruction: T. }\n  - { id: c, type: cli, command: "dev-cli cleanup {name}" }\n',
          'cleanup: ["{x,z}.tmp", analysis/*]\n',
        ),
      },
    });
    await on.init('one', { goal: 'X' });
    const files = ['x.tmp', 'y.tmp', 'analysis/a.md', 'findings/a.md'];
    for (const path of files) on.put(path, 'x');
    await on.complete({ action: 'a1' });
    expect(files.filter((path) => on.text(path) !== null)).toEqual(['y.tmp', 'findings/a.md']);
  });
});
