import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { devCli, init, stateOf, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { CHECKOUT } from '../../support/project.mjs';
import { BACKED, classifyAs, startSized, writeSized } from '../../support/sized.js';
import { acknowledge, choose, deliver, writeSections } from '../../support/tiny.js';

useProject();
beforeEach(() => {
  writeSized(project);
});

const classify = (action: Action | undefined, data?: object) => classifyAs(project, action, data);
const start = (...flags: string[]) => startSized(project, ...flags);
/** Returns the pending action. */
const pending = () => devCli(project, ['next', 'one']).json as unknown as Action;
const readText = (path: string) => readFileSync(join(project.root, path), 'utf8');
const sizeOf = () => (stateOf(project, 'one') as { size?: object }).size;

describe('the size of the work (recipes.md, Size)', () => {
  it('nothing said: large, as ever', () => {
    const { json } = classify(start());
    expect(json).toMatchObject({
      ok: true,
      next: { block: 'explore', instruction: 'Look around, for a large change.' },
    });
    expect(json.ran).toEqual([{ block: 'classify', ok: true, summary: 'size large: nobody named one' }]);
    expect(sizeOf()).toBeUndefined();
  });

  it('the directory of the data is there, so that a shell can write into it', () => {
    const { data } = start() as { data?: { write: string } };
    const claim = JSON.stringify({ size: 'small', because: BACKED });
    execFileSync('sh', ['-c', 'printf %s "$1" > "$2"', 'sh', claim, data?.write ?? ''], { cwd: project.root });
    choose(project, pending(), 'Bug');
    expect(sizeOf()).toEqual({ found: 'small' });
  });

  it('a small change that is backed skips what larger ones need', () => {
    const { json } = classify(start(), { size: 'small', because: BACKED });
    expect(json).toMatchObject({ next: { block: 'gate', message: expect.stringContaining('small') } });
    expect(json.ran).toBeUndefined();
    expect(sizeOf()).toEqual({ found: 'small' });
  });

  it.each([
    ['with nine files', { ...BACKED, files: [...'abcdefghi'] }, '9 files'],
    ['with an interface', { ...BACKED, interfaces: true }, 'an interface changes'],
    ['that nobody backs', undefined, 'no file is named'],
  ])('small %s becomes middle, and the answer says why', (_, because, why) => {
    const { json } = classify(start(), { size: 'small', ...(because === undefined ? {} : { because }) });
    expect(json).toMatchObject({
      ran: [{ block: 'classify', ok: true, summary: `size middle, not small: ${why}` }],
      next: { block: 'explore' },
    });
    expect(sizeOf()).toEqual({ found: 'middle', why });
    expect(devCli(project, ['manifest', 'one']).stdout).toContain('size middle');
    expect(devCli(project, ['status', 'one', '--json']).json).toMatchObject({
      size: { value: 'middle', by: 'classified' },
    });
  });

  it("the user's word wins, and the answer says once that they differ", () => {
    const { json } = classify(start('--size', 'small'), { size: 'large' });
    expect(json).toMatchObject({
      ran: [{ summary: 'size small, not large: as the user says' }],
      next: { block: 'gate' },
    });
    expect(devCli(project, ['next', 'one']).stdout).not.toContain('as the user says');
  });

  it('--quick is at most middle, --standard is large', () => {
    expect(classify(start('--quick'), { size: 'large' }).json).toMatchObject({
      ran: [{ summary: 'size middle, not large: as the user says' }],
      next: { block: 'explore' },
    });
    devCli(project, ['abort', 'one', '--reason', 'next case']);
    expect(classify(start('--quick'), { size: 'small', because: BACKED }).json.next).toMatchObject({ block: 'gate' });
    devCli(project, ['abort', 'one', '--reason', 'next case']);
    expect(classify(start('--standard'), { size: 'small', because: BACKED }).json.next).toMatchObject({
      block: 'explore',
    });
    expect(sizeOf()).toMatchObject({ said: 'large', found: 'small' });
  });

  it.each([
    [['--size', 'huge'], 'USAGE'],
    [['--size'], 'USAGE'],
    [['--size', 'large', '--quick'], 'SIZE_REFUSED'],
    [['--size', 'small', '--standard'], 'SIZE_REFUSED'],
  ])('init %j is exit 2, and nothing begins', (flags, code) => {
    const { code: exit, json } = devCli(project, ['init', 'one', '--recipe', 'sized', ...flags]);
    expect([exit, json.error?.code]).toEqual([2, code]);
    expect(devCli(project, ['next', 'one']).json.error?.code).toBe('NO_SUCH_RUN');
  });

  it('a recipe that is the same at any size refuses --size', () => {
    writeRecipe(
      project,
      'plain',
      'name: plain\ntype: sequential\nblocks:\n  - { id: a, type: llm, instruction: Do it. }\n',
    );
    const { code, json } = devCli(project, ['init', 'one', '--recipe', 'plain', '--size', 'small']);
    expect([code, json.error?.code]).toEqual([2, 'SIZE_REFUSED']);
    expect(devCli(project, ['init', 'one', '--recipe', 'execute-quick', '--size', 'small']).json.error?.code).toBe(
      'SIZE_REFUSED',
    );
    expect(devCli(project, ['init', 'one', '--execute', '--size', 'small']).code).toBe(2);
    expect(devCli(project, ['init', 'one', '--recipe', 'plain', '--quick']).code).toBe(0);
  });
});

describe('the example of recipes.md, Size', () => {
  it('holds up, and does what the page says', () => {
    const page = readFileSync(join(CHECKOUT, 'docs/spec/recipes.md'), 'utf8');
    const [, blocks = ''] = /### Size[\s\S]*?```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    writeRecipe(project, 'example', `name: example\ntype: sequential\nblocks:\n${blocks}`);
    const lint = devCli(project, ['recipe', 'lint', '.dev/recipes/example.yaml', '--json']);
    expect(lint.json).toMatchObject({ ok: true, files: [{ problems: [] }] });
    const first = init(project, 'one', '--recipe', 'example').next as unknown as Action;
    const gate = classify(first, { size: 'small', because: BACKED }).json.next as unknown as Action;
    expect(choose(project, gate, 'bigger').json.next).toMatchObject({ block: 'classify' });
    expect(classify(pending()).json.next).toMatchObject({ instruction: 'Look for what a middle change touches.' });
  });
});

describe('choices on a condition (recipes.md, Choices)', () => {
  const ids = (action: Action | null | undefined) => action?.choices?.map(({ id }) => id);

  it('are offered only where it holds; one that grows only below large', () => {
    const gate = classify(start(), { size: 'small', because: BACKED }).json.next as unknown as Action;
    expect(ids(gate)).toEqual(['approve', 'bigger']);
    const split = devCli(project, ['step', 'complete', 'one', '--action', gate.actionId, '--choice', 'split']);
    expect(split.json.error?.code).toBe('UNKNOWN_CHOICE');
    const again = choose(project, gate, 'bigger').json;
    expect(again).toMatchObject({
      ran: [{ block: 'gate', summary: 'size middle, as the user says' }],
      next: { block: 'classify' },
    });
    const explore = classify(again.next as unknown as Action, { size: 'small', because: BACKED }).json;
    expect(explore).toMatchObject({
      ran: [{ summary: 'size middle, not small: as the user says' }],
      next: { block: 'explore' },
    });
    const second = acknowledge(project, explore.next as unknown as Action).json.next as unknown as Action;
    const third = choose(project, second, 'bigger').json.next as unknown as Action;
    acknowledge(project, classify(third).json.next as unknown as Action);
    const large = acknowledge(project, pending()).json.next as unknown as Action;
    expect(ids(large)).toEqual(['approve', 'split']);
  });
});

describe('the size in a workflow (recipes.md, Size)', () => {
  it('reaches the planning phase, and goes on from phase to phase', () => {
    writeRecipe(
      project,
      'after',
      `name: after
type: sequential
blocks:
  - { id: told, type: llm, instruction: 'It was {size}.' }
`,
    );
    writeProjectFile(
      project,
      '.dev/workflows/both.yaml',
      `name: both
type: meta
phases:
  - { name: plan, recipe: sized }
  - { name: then, recipe: after }
`,
    );
    const first = init(project, 'one', '--workflow', 'both', '--size', 'middle').next as unknown as Action;
    const explore = classify(first, { size: 'small', because: BACKED }).json;
    expect(explore.next).toMatchObject({ block: 'explore', instruction: 'Look around, for a middle change.' });
    const grown = devCli(project, ['init', 'one', '--size', 'large']).json;
    expect(grown).toMatchObject({ status: 'resumed', next: { block: 'classify' } });
    acknowledge(project, classify(pending()).json.next as unknown as Action);
    acknowledge(project, pending());
    choose(project, pending(), 'approve');
    expect(acknowledge(project, pending()).json.next).toMatchObject({ block: 'told', instruction: 'It was large.' });
    const { code, json } = devCli(project, ['init', 'one', '--size', 'small']);
    expect([code, json.error?.code]).toEqual([2, 'SIZE_REFUSED']);
  });
});

describe('what skipped blocks would have written (recipes.md, Instructions; documents.md, draft validate)', () => {
  const READING = `name: reading
type: sequential
skill: specify
mode: { depth: quick, interaction: interactive }
blocks:
  - { id: classify, type: llm, instruction: Say it., choices: [Bug], schema: size, sections: [intent] }
  - id: explore
    type: subagent
    when: size != "small"
    agents:
      - { type: code-explorer, id: near, prompt: Look., output: findings/near.md }
      - { type: code-explorer, id: far, prompt: Look far., output: findings/far.md, when: size == "large" }
    onComplete: dev-cli draft import {name}
  - id: ask
    type: llm-loop
    instruction: Ask the user.
    asks: user
    sections: [boundaries]
    exitCheck: dev-cli draft validate {name}
  - id: judge
    type: subagent
    read: [findings/near.md, findings/far.md, DRAFT.md]
    agents:
      - { type: gap-analyzer, id: gap, prompt: Judge., output: analysis/gap.md, readsFrom: [findings/near.md, findings/far.md] }
`;
  const REPORT = '---\nagent: near\ntimestamp: 2026-01-01T00:00:00Z\nsummary: Old.\n---\n\nOld.\n';
  const OLD = ['near', 'far'].map((id) => `.dev/specs/one/findings/${id}.md`);
  const promptOf = (action: Action) => readText(action.agents?.[0]?.promptFile ?? '');

  /** Runs up to the block that reads reports, with reports of an earlier run in place. */
  function upToJudge(size: 'small' | 'middle'): Action {
    writeRecipe(project, 'reading', READING);
    for (const path of OLD) writeProjectFile(project, path, REPORT);
    const first = init(project, 'one', '--recipe', 'reading', '--goal', 'Mend it').next as unknown as Action;
    let action = classify(first, { size, because: BACKED }).json.next as unknown as Action;
    if (action.block === 'explore') {
      expect(action.agents?.map(({ id }) => id)).toEqual(['near']);
      deliver(project, action);
      action = acknowledge(project, action).json.next as unknown as Action;
    }
    expect(action).toMatchObject({ block: 'ask', data: { need: { boundaries: expect.any(String) } } });
    writeSections(project, action, { boundaries: 'Only that.' });
    return acknowledge(project, action).json.next as unknown as Action;
  }

  it('is not read, also where an earlier run left a file of that name, and is not demanded', () => {
    const judge = upToJudge('small');
    expect(judge).toMatchObject({ block: 'judge', read: ['.dev/specs/one/DRAFT.md'] });
    expect(promptOf(judge)).not.toContain('findings/');
    expect(devCli(project, ['draft', 'validate', 'one']).json).toMatchObject({ ready: true, missing: [] });
    expect(devCli(project, ['manifest', 'one']).stdout).toContain('nothing missing');
  });

  it('of a block that ran only what its agents did not write is left out', () => {
    const judge = upToJudge('middle');
    expect(judge.read).toEqual(['.dev/specs/one/findings/near.md', '.dev/specs/one/DRAFT.md']);
    expect(promptOf(judge)).toContain('findings/near.md');
    expect(promptOf(judge)).not.toContain('findings/far.md');
  });

  it('a section is demanded as long as a block that writes it was not skipped', () => {
    writeRecipe(project, 'reading', READING);
    const first = init(project, 'one', '--recipe', 'reading', '--goal', 'Mend it').next as unknown as Action;
    classify(first, { size: 'middle' });
    const { code, json } = devCli(project, ['draft', 'validate', 'one']);
    expect([code, json]).toMatchObject([3, { missing: ['findings'] }]);
  });
});
