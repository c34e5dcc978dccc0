import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, imageOf, init, nextOf, runDir, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import {
  AGENTS_BLOCK,
  acknowledge,
  CHOICE_BLOCK,
  choose,
  END_BLOCK,
  PLAIN_BLOCK,
  startTiny,
  tiny,
} from '../../support/tiny.js';

useProject();

const BASE = 'name: bad\ntype: sequential\nskill: specify\nmode: { depth: quick, interaction: autopilot }\nblocks:\n';
const ONE = '  - id: one\n    type: llm\n    instruction: Think.\n';

/** The fault, the recipe, the line that must be reported, and a word that the message must contain. */
const FAULTS: [string, string, number | null, string][] = [
  ['a misspelt key', `${BASE}${ONE}    instuctionFile: x.md\n`, 9, 'instructionFile'],
  ['a misspelt key on top', `nam: bad\n${BASE}${ONE}`, 1, 'name'],
  ['a misspelt block type', `${BASE}  - id: one\n    type: lllm\n    instruction: x\n`, 7, 'llm'],
  ['a duplicate id', `${BASE}${ONE}${ONE}`, 9, 'one'],
  ['an id that is constructor', `${BASE}${ONE.replace('one', 'constructor')}`, 6, 'constructor'],
  ['an id that is __proto__', `${BASE}${ONE.replace('one', '__proto__')}`, 6, '__proto__'],
  ['an id with a blank', `${BASE}${ONE.replace('one', 'one two')}`, 6, 'id'],
  [
    'a goto to itself',
    `${BASE}${ONE}  - id: gate\n    type: wait-for-user\n    message: Ok?\n    choices: [{ id: a, label: a, goto: gate }]\n`,
    12,
    'gate',
  ],
  [
    'a goto to a later block',
    `${BASE}  - id: gate\n    type: wait-for-user\n    message: Ok?\n    choices: [{ id: a, label: a, goto: one }]\n${ONE}`,
    9,
    'one',
  ],
  [
    'a goto to nowhere',
    `${BASE}${ONE}  - id: gate\n    type: wait-for-user\n    message: Ok?\n    choices: [{ id: a, label: a, goto: on }]\n`,
    12,
    'one',
  ],
  [
    'a revise that names itself',
    `${BASE}  - id: look\n    type: subagent-loop\n    agents: [{ type: plan-reviewer, prompt: x, output: 'reviews/{round}.md' }]\n    exitWhen: 'agents["plan-reviewer"].verdict == "OKAY"'\n    revise: look\n`,
    10,
    'look',
  ],
  [
    'a revise that names a later block',
    `${BASE}  - id: look\n    type: subagent-loop\n    agents: [{ type: plan-reviewer, prompt: x, output: 'reviews/{round}.md' }]\n    exitWhen: 'agents["plan-reviewer"].verdict == "OKAY"'\n    revise: one\n${ONE}`,
    10,
    'one',
  ],
  [
    'a command that does not parse',
    `${BASE}  - id: run\n    type: cli\n    command: dev-cli draft update {name} --sektion purpose\n`,
    8,
    '--section',
  ],
  [
    'a command with an open quote',
    `${BASE}  - id: run\n    type: cli\n    command: dev-cli draft update "{name}\n`,
    8,
    'quote',
  ],
  [
    'a dev-cli command that may not stand in a recipe',
    `${BASE}  - id: run\n    type: cli\n    command: dev-cli abort {name} --reason x\n`,
    8,
    'abort',
  ],
  ['shell syntax without a shell', `${BASE}  - id: run\n    type: cli\n    command: npm test | tee log\n`, 8, 'shell'],
  ['an unknown placeholder', `${BASE}  - id: one\n    type: llm\n    instruction: Think of {colour}.\n`, 8, 'colour'],
  ['an unknown section', `${BASE}${ONE}    save: dev-cli draft update {name} --section colour\n`, 9, 'colour'],
  [
    'an unknown agent type',
    `${BASE}  - id: look\n    type: subagent\n    agents: [{ type: code-exploder, prompt: x, output: findings/a.md }]\n`,
    8,
    'code-explorer',
  ],
  ['a condition that does not parse', `${BASE}${ONE}    when: 'mode.depth =='\n`, 9, 'when'],
  ['a condition over an unknown name', `${BASE}${ONE}    when: 'colour == "red"'\n`, 9, 'colour'],
  [
    'a prompt file that is not there',
    `${BASE}  - id: one\n    type: llm\n    instructionFile: nothing.md\n`,
    8,
    'nothing.md',
  ],
  [
    'an output that leaves',
    `${BASE}  - id: look\n    type: subagent\n    agents: [{ type: code-explorer, prompt: x, output: ../../../out.md }]\n`,
    8,
    'out',
  ],
  ['a file that is read and never written', `${BASE}${ONE}    read: [analysis/gap.md]\n`, 9, 'analysis/gap.md'],
  ['no blocks', BASE.replace('blocks:\n', 'blocks: []\n'), 5, 'blocks'],
  ['another name than its file', `${BASE.replace('name: bad', 'name: good')}${ONE}`, 1, 'bad'],
  ['no YAML', 'name: bad\n\tblocks: [\n', null, 'bad.yaml'],
  [
    'a YAML bomb',
    'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n',
    null,
    'bad.yaml',
  ],
  ['an empty file', '', null, 'bad.yaml'],
  ['a list', '- a\n- b\n', null, 'bad.yaml'],
];

describe('a faulty recipe', () => {
  it.each(FAULTS)('%s: refused with its place, nothing left behind', (_what, yaml, line, word) => {
    writeRecipe(project, 'bad', yaml);
    const image = imageOf(project);
    const result = devCli(project, ['init', 'run-1', '--recipe', 'bad']);
    expect([result.code, result.json.error?.code]).toEqual([3, 'RECIPE_INVALID']);
    const details = JSON.stringify(result.json.error);
    expect(details).toContain(word);
    if (line !== null) expect(details).toMatch(new RegExp(`bad\\.yaml:${line}:\\d+`));
    expect(imageOf(project)).toEqual(image);
    const lint = devCli(project, ['recipe', 'lint', '.dev/recipes/bad.yaml', '--json']);
    expect([lint.code, lint.json.ok]).toEqual([3, false]);
  });

  it('all its faults at once', () => {
    writeRecipe(project, 'bad', `${BASE}${ONE}    instuction: x\n${ONE}  - id: three\n    type: lllm\n`);
    const result = devCli(project, ['init', 'run-1', '--recipe', 'bad']);
    expect(result.json.error?.details?.length).toBeGreaterThanOrEqual(3);
  });

  it('an untrusted command never runs, neither by init nor by lint nor by show', () => {
    writeRecipe(project, 'bad', `${BASE}  - id: run\n    type: cli\n    command: touch owned.txt\n`);
    const refused = devCli(project, ['init', 'run-1', '--recipe', 'bad']);
    expect([refused.code, refused.json.error?.code]).toEqual([3, 'RECIPE_UNTRUSTED']);
    devCli(project, ['recipe', 'lint', '.dev/recipes/bad.yaml']);
    devCli(project, ['recipe', 'show', 'bad']);
    expect(existsSync(join(project.root, 'owned.txt'))).toBe(false);
    expect(existsSync(runDir(project, 'run-1'))).toBe(false);
  });
});

describe('a recipe that changes under a run', () => {
  it('edited, broken or deleted: the run goes on as captured, acknowledgements and status say so, the action never does', () => {
    for (const [name, change] of [
      ['edited', () => tiny(project, 'tiny-edited', [CHOICE_BLOCK, END_BLOCK])],
      ['broken', () => writeRecipe(project, 'tiny-broken', 'blocks: [')],
      ['deleted', () => rmSync(join(project.root, '.dev/recipes/tiny-deleted.yaml'))],
    ] as [string, () => void][]) {
      const action = startTiny(project, [PLAIN_BLOCK, AGENTS_BLOCK, END_BLOCK], '', name);
      const before = devCli(project, ['next', name]).stdout;
      change();
      expect(devCli(project, ['next', name]).stdout, name).toBe(before);
      const result = acknowledge(project, action);
      expect(result.code, name).toBe(0);
      expect(nextOf(result.json).block, name).toBe('look');
      expect(result.json.warnings?.join(' '), name).toContain(`tiny-${name}`);
      expect(JSON.stringify(result.json.next), name).not.toMatch(/changed since/);
      expect(devCli(project, ['status', name]).stdout, name).toMatch(/changed|gone|deleted|missing/);
      expect(devCli(project, ['manifest', name]).code, name).toBe(0);
    }
  });

  it('init on a run whose recipe is gone resumes it', () => {
    const action = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    rmSync(join(project.root, '.dev/recipes/tiny-run-1.yaml'));
    expect(init(project, 'run-1', '--recipe', 'tiny-run-1')).toMatchObject({
      status: 'resumed',
      next: { actionId: action.actionId },
    });
  });

  it('a prompt file that changes under a run is not read again', () => {
    writeProjectFile(project, '.dev/recipes/look.md', 'Look at the first thing.\n');
    const block =
      '\n  - id: look\n    type: subagent\n    agents: [{ type: code-explorer, promptFile: look.md, output: findings/a.md }]\n';
    const action = startTiny(project, [CHOICE_BLOCK, block, END_BLOCK]);
    writeProjectFile(project, '.dev/recipes/look.md', 'Look at another thing.\n');
    const look = nextOf(choose(project, action, 'red').json);
    const prompt = readFileSync(join(project.root, look.agents?.[0]?.promptFile ?? ''), 'utf8');
    expect(prompt).toContain('Look at the first thing.');
    expect(prompt).not.toContain('another thing');
  });
});
