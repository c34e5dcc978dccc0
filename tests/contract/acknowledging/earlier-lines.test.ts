import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import {
  devCli,
  imageOf,
  init,
  nextOf,
  runDir,
  runPrinted,
  stateOf,
  writeProjectFile,
  writeRecipe,
} from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { AGENTS_BLOCK, DATA_BLOCK, deliver, END_BLOCK, LOOP_BLOCK, startTiny } from '../../support/tiny.js';

// Command lines of earlier tools of this kind: each works, or its answer says what to do instead.

useProject();

const DRAFT = 'draft:\n  required: [boundaries, criteria]\n';
const draft = () => readFileSync(join(runDir(project, 'run-1'), 'DRAFT.md'), 'utf8');
const update = (section: string, text: string) =>
  devCli(project, ['draft', 'update', 'run-1', '--section', section, '--data', '-'], { stdin: JSON.stringify(text) });
const bare = (step: string) => devCli(project, ['step', 'complete', 'run-1', '--step', step]);

describe('init without a goal', () => {
  it('starts a recipe of the shorter form, which has no {goal}', () => {
    writeRecipe(
      project,
      'specify-short',
      `name: specify-short
type: sequential
blocks:
  - { id: init, type: cli, command: "dev-cli init {name} --recipe specify-short" }
  - { id: classify, type: llm, instruction: "Which kind of work is it?" }
  - { id: look, type: subagent, agents: [{ type: Explore, output: findings/one.md }] }
`,
    );
    const begun = init(project, 'add-auth', '--recipe', 'specify-short');
    expect(nextOf(begun)).toMatchObject({ block: 'classify', action: 'llm' });
  });
});

describe('a step acknowledged by its block alone, after `draft update`', () => {
  it('is done when each of its sections was written since it was asked for', () => {
    startTiny(project, [DATA_BLOCK, END_BLOCK], DRAFT);
    const early = bare('limits');
    expect([early.code, early.json.error?.code]).toEqual([2, 'DATA_MISSING']);
    expect(early.json.error?.details).toEqual([
      { target: 'boundaries', problem: 'not written since the action was issued' },
    ]);
    expect(update('boundaries', 'The public API.').code).toBe(0);
    expect(bare('limits')).toMatchObject({ code: 0, json: { completed: 'limits', next: { block: 'last' } } });
    expect(draft()).toContain('The public API.');
    expect(bare('limits')).toMatchObject({ code: 0, json: { duplicate: true } });
  });

  it('is not done by what was there before, by another section, or by an empty one', () => {
    startTiny(project, [END_BLOCK, DATA_BLOCK], DRAFT);
    update('boundaries', 'Written too early.');
    expect(nextOf(bare('last').json)).toMatchObject({ block: 'limits' });
    expect(bare('limits').json.error?.code).toBe('DATA_MISSING');
    update('criteria', 'Another section.');
    expect(bare('limits').json.error?.code).toBe('DATA_MISSING');
    update('boundaries', 'Written now.');
    expect(bare('limits').json.completed).toBe('limits');
  });

  it('counts again only what was written anew when the step is redone', () => {
    startTiny(project, [DATA_BLOCK, END_BLOCK], DRAFT);
    update('boundaries', 'The first.');
    bare('limits');
    expect(devCli(project, ['step', 'invalidate', 'run-1', '--step', 'limits']).code).toBe(0);
    const image = imageOf(project);
    expect(bare('limits').json.error?.code).toBe('DATA_MISSING');
    expect(imageOf(project)).toEqual(image);
    update('boundaries', 'The second.');
    expect(bare('limits').json.completed).toBe('limits');
  });

  it('of a loop lets its exit check decide, round by round', () => {
    startTiny(project, [LOOP_BLOCK, END_BLOCK], DRAFT);
    expect(bare('interview').json.error?.code).toBe('DATA_MISSING');
    update('boundaries', 'The public API.');
    const first = bare('interview');
    expect(first.json.round).toEqual({ n: 1, passed: false, saved: ['boundaries'], missing: ['criteria'] });
    expect(bare('interview').json.error?.code).toBe('DATA_MISSING');
    update('criteria', '401 without a token.');
    expect(bare('interview')).toMatchObject({ code: 0, json: { completed: 'interview' } });
  });

  it('of a choice takes the choice that was written, and refuses any other word', () => {
    const recipe = ['init', 'run-1', '--recipe', 'specify-quick-autopilot', '--goal', 'Add auth'];
    expect(devCli(project, recipe).code).toBe(0);
    expect(bare('classify-intent').json.error?.code).toBe('UNKNOWN_CHOICE');
    update('intent', 'Whatever');
    expect(bare('classify-intent').json.error?.message).toContain('Whatever');
    update('intent', 'Bug');
    expect(bare('classify-intent')).toMatchObject({ code: 0, json: { completed: 'classify-intent' } });
    expect(stateOf(project, 'run-1')).toMatchObject({ gates: { 'classify-intent': { choice: 'Bug' } } });
  });
});

describe('--data FILE without an @', () => {
  it('is refused with the same command as it is meant, which runs', () => {
    startTiny(project, [DATA_BLOCK, END_BLOCK], DRAFT);
    writeProjectFile(project, "it's here.json", '"The public API."');
    const refused = devCli(project, [
      'draft',
      'update',
      'run-1',
      '--section',
      'boundaries',
      '--data',
      "it's here.json",
    ]);
    expect([refused.code, refused.json.error?.code]).toEqual([2, 'DATA_MALFORMED']);
    expect(runPrinted(project, refused.json.error?.fix ?? '').json).toMatchObject({ ok: true, saved: ['boundaries'] });
  });

  it("finds a file of the run's own directory, as recipes name it", () => {
    const action = startTiny(project, [DATA_BLOCK, END_BLOCK], DRAFT);
    writeProjectFile(project, `.dev/specs/run-1/actions/${action.actionId}/data.md`, '## boundaries\n\nThe API.\n');
    const line = ['draft', 'update', 'run-1', '--data', `actions/${action.actionId}/data.md`];
    const refused = devCli(project, line);
    expect([refused.code, refused.json.error?.code]).toEqual([2, 'DATA_MALFORMED']);
    expect(runPrinted(project, refused.json.error?.fix ?? '').code).toBe(0);
    expect(draft()).toContain('The API.');
  });
});

describe('draft import', () => {
  it('before the acknowledgement takes in what is there, and the acknowledgement changes nothing twice', () => {
    const block = `${AGENTS_BLOCK}    onComplete: dev-cli draft import {name}\n`;
    const action: Action = startTiny(project, [block, END_BLOCK], DRAFT);
    deliver(project, action, ['one']);
    const early = devCli(project, ['draft', 'import', 'run-1']);
    expect(early.json).toMatchObject({ ok: true, imported: 1, failed: 0 });
    expect(early.json).not.toHaveProperty('warnings');
    const line = /^- .*findings\/one\.md.*$/m.exec(draft())?.[0] ?? '';
    expect(line).not.toBe('');
    // Importing an output into the draft does not accept it: the step still waits for the outputs of both agents.
    expect(stateOf(project, 'run-1')).toMatchObject({ agents: { one: { status: 'pending' } } });
    deliver(project, action, ['two']);
    expect(devCli(project, ['draft', 'import', 'run-1']).json).toMatchObject({ imported: 2 });
    const before = draft();
    expect(runPrinted(project, action.ack ?? '')).toMatchObject({ code: 0, json: { completed: 'look' } });
    expect(draft()).toBe(before);
    expect(draft().split(line)).toHaveLength(2);
  });

  it('passes over what is there and does not hold up yet, and says so', () => {
    const action: Action = startTiny(
      project,
      [`${AGENTS_BLOCK}    onComplete: dev-cli draft import {name}\n`, END_BLOCK],
      DRAFT,
    );
    deliver(project, action, ['one']);
    writeProjectFile(project, '.dev/specs/run-1/findings/two.md', '---\nagent: two\n');
    const imported = devCli(project, ['draft', 'import', 'run-1']).json;
    expect(imported).toMatchObject({ imported: 1 });
    expect(imported.warnings).toEqual([expect.stringMatching(/^findings\/two\.md: .*; not imported$/)]);
    expect(draft()).not.toContain('two.md');
  });
});
