import { describe, expect, it } from 'vitest';
import { listExternalCommands } from '../../../src/recipe/external-commands.js';
import { loadRecipe } from '../../../src/recipe/load/load.js';
import type { ResolvedRecipe } from '../../../src/recipe/resolved.js';
import { libraryWith, loadDemo, told } from './library-fixture.js';

function resolved(text: string, files: Record<string, string> = {}): ResolvedRecipe {
  const loaded = loadDemo(text, files);
  if (loaded.captured === null) throw new Error(told(loaded).join('\n'));
  return loaded.captured.recipe;
}
const blocksOf = (blocks: string, files?: Record<string, string>) =>
  resolved(`name: demo\ntype: sequential\nblocks:\n${blocks}`, files);

describe('what may be left out', () => {
  it('a recipe in the shorter form loads with warnings at most', () => {
    const loaded = loadDemo(`name: demo
type: sequential
description: Full planning with user interaction

blocks:
  - id: init
    type: cli
    command: "dev-cli init {name} --standard --interactive"
  - id: classify-intent
    type: llm
    instruction: |
      Classify the request:
      Feature / Bug / Research
    save: "dev-cli draft update {name} --section intent"
  - id: explore-full
    type: subagent
    agents:
      - type: Explore
        promptHint: "Find patterns for {intent}"
        output: "findings/explore-1.md"
      - type: Explore
        output: "findings/explore-2.md"
      - type: docs-researcher
        output: "findings/docs.md"
    parallel: true
    onComplete: "dev-cli draft import {name}"
    onError: continue
  - id: interview
    type: llm-loop
    instruction: |
      Ask the user.

      Few questions.
    save: "dev-cli draft update {name} --section decisions"
    exitCheck: "dev-cli draft validate {name}"
    onError: halt
  - id: decision-confirm
    type: llm
    instruction: "Present the decisions. Ask the user to confirm."
  - id: analyze
    type: subagent
    agents:
      - type: gap-analyzer
        output: "analysis/gap.md"
      - type: codex-strategist
  - id: generate-plan
    type: llm+cli
    instruction: "Write plan-content.json"
    command: "dev-cli plan generate {name} --data plan-content.json"
  - id: review
    type: subagent-loop
    agents:
      - type: plan-reviewer
    maxRounds: 3
    exitWhen: "result contains OKAY"
  - id: review-once
    type: subagent
    agents:
      - type: plan-reviewer
    maxRounds: 1
  - id: summary
    type: cli
    command: "dev-cli plan summary {name}"
  - id: cleanup
    type: cli
    command: "dev-cli cleanup {name}"
`);
    expect(loaded.problems.map(({ severity }) => severity)).toEqual(['warning', 'warning', 'warning']);
    const recipe = loaded.captured?.recipe;
    expect(recipe).toMatchObject({
      skill: 'demo',
      mode: { depth: 'standard', interaction: 'interactive' },
      draft: { required: ['intent', 'purpose', 'decisions', 'findings'], stated: false },
      cleanup: ['DRAFT.md'],
      usesDraft: true,
    });
    const agents = recipe?.blocks.flatMap((block) => ('agents' in block ? block.agents : []));
    expect(agents?.map(({ id, type, output }) => [id, type, output])).toEqual([
      ['explore-1', 'code-explorer', 'findings/explore-1.md'],
      ['explore-2', 'code-explorer', 'findings/explore-2.md'],
      ['docs-researcher', 'docs-researcher', 'findings/docs.md'],
      ['gap-analyzer', 'gap-analyzer', 'analysis/gap.md'],
      ['codex-strategist', 'codex-strategist', undefined],
      ['plan-reviewer-1', 'plan-reviewer', undefined],
      ['plan-reviewer-2', 'plan-reviewer', undefined],
    ]);
    expect(recipe?.blocks.find(({ id }) => id === 'interview')).toMatchObject({
      asks: 'user',
      maxRounds: 20,
      sections: ['decisions'],
      instruction: 'Ask the user. Few questions.',
    });
    expect(recipe?.blocks.find(({ id }) => id === 'generate-plan')).toMatchObject({ write: 'plan-content.json' });
    expect(recipe?.blocks.find(({ id }) => id === 'review-once')).toMatchObject({ kind: 'subagent', maxRounds: 1 });
  });

  it('skill and mode come from the name when nothing else says', () => {
    const text = 'type: sequential\nblocks: [{ id: a, type: llm, instruction: x }]\n';
    const load = (name: string) =>
      loadRecipe(libraryWith({ [`.dev/recipes/${name}.yaml`]: `name: ${name}\n${text}` }), name).captured?.recipe;
    expect(load('audit-quick-autopilot')).toMatchObject({
      skill: 'audit',
      mode: { depth: 'quick', interaction: 'autopilot' },
    });
    expect(load('audit')).toMatchObject({ skill: 'audit', mode: {} });
  });

  it('a stated mode is kept, also keys of its own', () => {
    const recipe = resolved(
      'name: demo\ntype: sequential\nmode: { depth: quick, tone: dry }\nblocks: [{ id: a, type: llm, instruction: "{mode.tone}" }]\n',
    );
    expect(recipe.mode).toEqual({ depth: 'quick', tone: 'dry' });
  });

  it('errors halt, except that subagents may fail; retry is twice', () => {
    const { blocks } = blocksOf(`  - { id: a, type: llm, instruction: x }
  - { id: b, type: subagent, agents: [{ type: code-explorer }] }
  - { id: c, type: subagent-loop, exitWhen: round > 1, agents: [{ type: code-explorer }] }
  - { id: d, type: llm, instruction: x, onError: retry }
  - { id: e, type: llm, instruction: x, onError: { retry: { max: 5 } } }
`);
    expect(blocks.map(({ onError }) => onError)).toEqual([
      { kind: 'halt' },
      { kind: 'continue' },
      { kind: 'halt' },
      { kind: 'retry', max: 2 },
      { kind: 'retry', max: 5 },
    ]);
    expect(blocks[1]).toMatchObject({
      parallel: true,
      maxRounds: 1,
      agents: [{ id: 'code-explorer-1', readsFrom: [] }],
    });
    expect(blocks[2]).toMatchObject({ maxRounds: 5 });
  });

  it('a gate offers to continue', () => {
    const { blocks, program } = blocksOf('  - { id: a, type: wait-for-user }\n');
    expect(blocks[0]).toMatchObject({
      asks: 'user',
      human: false,
      maxRounds: 5,
      choices: [{ id: 'continue', label: 'continue', goto: 'next', reasonRequired: false }],
    });
    expect(program.blocks[0]?.choices).toEqual([{ id: 'continue', target: { kind: 'next' } }]);
  });

  it('the first paragraph of a file is the instruction, the whole is read', () => {
    const text = '# Title\n\nDo it\nwell.\n\nMore.\n';
    const { blocks } = blocksOf('  - { id: a, type: llm, instructionFile: prompts/a.md }\n', {
      '.dev/recipes/prompts/a.md': text,
    });
    expect(blocks[0]).toMatchObject({ instruction: 'Do it well.', instructionText: text });
  });

  it('an instruction that is too long is cut, and read whole', () => {
    const long = 'many words '.repeat(80).trim();
    const loaded = loadDemo(`name: demo\ntype: sequential\nblocks: [{ id: a, type: llm, instruction: "${long}" }]\n`);
    const block = loaded.captured?.recipe.blocks[0];
    if (block?.kind !== 'llm') throw new Error(told(loaded).join());
    expect(block.instruction.length).toBeLessThanOrEqual(600);
    expect(block.instruction).toMatch(/words…$|many…$/);
    expect(block.instructionText?.trim()).toBe(long);
    expect(loaded.problems).toMatchObject([{ severity: 'warning' }]);
  });

  it('`then` is another word for `command`', () => {
    const { blocks } = blocksOf(
      '  - { id: a, type: llm+cli, instruction: x, then: dev-cli plan generate --data @plan-content.json }\n',
    );
    expect(blocks[0]).toMatchObject({
      write: 'plan-content.json',
      command: { kind: 'own', command: { command: 'plan generate', input: { data: 'plan-content.json' } } },
    });
  });
});

describe('commands', () => {
  it('are split before placeholders are filled, or listed word by word', () => {
    const recipe = blocksOf(`  - { id: a, type: cli, command: "gh issue view '{goal} y' a\\\\ b", cwd: sub, timeout: 9 }
  - { id: b, type: cli, command: [echo, "a | b", "{name}"] }
  - { id: c, type: cli, command: "echo {name} | cat", shell: true }
`);
    expect(listExternalCommands(recipe)).toEqual([
      ['gh', 'issue', 'view', '{goal} y', 'a b'],
      ['echo', 'a | b', '{name}'],
      ['sh', '-c', 'echo {name} | cat'],
    ]);
    expect(recipe.blocks[0]).toMatchObject({ command: { command: { cwd: 'sub', timeout: 9, shell: false } } });
    expect(recipe.blocks[1]).toMatchObject({ command: { command: { cwd: '.', timeout: 300 } } });
    expect(recipe.usesGoal).toBe(true);
  });

  it('of dev-cli need no trust', () => {
    expect(listExternalCommands(blocksOf('  - { id: a, type: cli, command: dev-cli cleanup }\n'))).toEqual([]);
  });
});

describe('what a recipe uses', () => {
  const one = (fields: string) => blocksOf(`  - { id: a, type: llm, ${fields} }\n`);
  it('the goal, in a text or a condition', () => {
    expect(one('instruction: "{goal}"').usesGoal).toBe(true);
    expect(one('instruction: x, when: goal != null').usesGoal).toBe(true);
    expect(one('instruction: \'{{goal}\', when: round > 1 && "goal" != "x"').usesGoal).toBe(false);
  });
  it('the draft, in a command, a file, a text or a condition', () => {
    expect(one('instruction: x, read: [DRAFT.md]').usesDraft).toBe(true);
    expect(one('instruction: "{draft.intent}"').usesDraft).toBe(true);
    expect(one('instruction: x, when: draft.intent.filled').usesDraft).toBe(true);
    expect(one('instruction: x, save: dev-cli draft update --section intent').usesDraft).toBe(true);
    expect(one('instruction: x').usesDraft).toBe(false);
  });
  it('built-in preferences, only those it reads', () => {
    expect(Object.keys(one('instruction: "{preferences.pull_request}"').preferences)).toEqual(['pull_request']);
    expect(Object.keys(one('instruction: x, when: preferences.external_research').preferences)).toEqual([
      'external_research',
    ]);
    expect(one('instruction: x').preferences).toEqual({});
  });
});
