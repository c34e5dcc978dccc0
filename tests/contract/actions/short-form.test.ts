import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Action, StandIn } from '../../support/agent.mjs';
import { devCli, readStateFile, writeRecipe } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';

// If a recipe names neither inputs nor prompts, each prompt and action gets the documents of its role (documents.md,
// Documents by role).

const SHORT = `name: short
type: sequential
skill: specify
blocks:
  - { id: init, type: cli, command: 'dev-cli init {name} --recipe short --standard --interactive' }
  - { id: intent, type: llm, instruction: Classify the intent., save: 'dev-cli draft update {name} --section intent' }
  - id: explore
    type: subagent
    agents:
      - { type: Explore, id: code-explorer-1, output: findings/code-explorer-1.md }
      - { type: docs-researcher, output: findings/docs-researcher.md }
    onComplete: dev-cli draft import {name}
  - { id: interview, type: llm-loop, instruction: Ask the user., save: 'dev-cli draft update {name}', exitCheck: 'dev-cli draft validate {name}' }
  - { id: agree, type: wait-for-user, message: Is it right? }
  - id: analyze
    type: subagent
    agents:
      - { type: gap-analyzer, output: analysis/gap.md }
      - { type: tradeoff-analyzer, output: analysis/tradeoff.md, promptHint: Weigh the middleware. }
      - { type: verification-planner, output: analysis/verification.md, readsFrom: [] }
  - { id: generate-plan, type: llm+cli, instruction: Write the plan., command: 'dev-cli plan generate {name} --data plan-content.json' }
  - id: review
    type: subagent
    agents: [{ type: plan-reviewer }]
  - { id: approve-plan, type: wait-for-user, artifact: PLAN.md, message: Is it right? }
  - { id: last, type: llm, instruction: Say goodbye. }
`;

const DRAFT = 'DRAFT.md';
const FINDINGS = ['findings/code-explorer-1.md', 'findings/docs-researcher.md'];
const ANALYSES = ['analysis/gap.md', 'analysis/tradeoff.md', 'analysis/verification.md'];

let project: Project;
const actions = new Map<string, Action>();
const prompts = new Map<string, string>();

beforeEach(() => {
  project = createProject();
  writeRecipe(project, 'short', SHORT);
  const agent = new StandIn({
    project,
    scenario: {
      before: (action, { path }) => {
        actions.set(action.block, action);
        for (const { id, promptFile } of action.agents ?? []) {
          prompts.set(id, readFileSync(path.call(agent, promptFile), 'utf8'));
        }
      },
    },
  });
  expect(agent.drive(agent.start('--recipe short')).outcome).toBe('completed');
});
afterEach(() => project.remove());

/** Lists the documents that a text or a list of paths names, relative to the run. */
function named(paths: readonly string[] = []): string[] {
  return paths.flatMap((path) => /specs\/add-jwt-auth\/(.*)$/.exec(path)?.[1] ?? []);
}
const readBy = (id: string) =>
  named([...(prompts.get(id) ?? '').matchAll(/^- read: (\S+)/gm)].map(([, path = '']) => path));
const reading = (block: string) => named(actions.get(block)?.read).filter((path) => !path.startsWith('actions/'));
const consulting = (block: string) => named(actions.get(block)?.consult);

it('gives each agent the documents of its role', () => {
  expect(readBy('code-explorer-1')).toEqual([]);
  expect(readBy('gap-analyzer')).toEqual([DRAFT, ...FINDINGS]);
  expect(readBy('tradeoff-analyzer')).toEqual([DRAFT, ...FINDINGS]);
  expect(readBy('plan-reviewer')).toEqual([DRAFT, 'PLAN.md', ...FINDINGS, ...ANALYSES]);
  // A list given explicitly stays as it is, even an empty one.
  expect(readBy('verification-planner')).toEqual([]);
});

it('gives each action of the main agent those of its step, and of a plan the form', () => {
  expect(reading('intent')).toEqual([]);
  expect([reading('interview'), consulting('interview')]).toEqual([[DRAFT], FINDINGS]);
  expect(consulting('agree')).toEqual([DRAFT, ...FINDINGS]);
  expect([reading('generate-plan'), consulting('generate-plan')]).toEqual([[DRAFT, ...ANALYSES], FINDINGS]);
  expect(actions.get('generate-plan')?.data?.schema).toBe('plan-content');
  const beside = actions.get('generate-plan')?.read?.find((path) => path.includes('/actions/')) ?? '';
  expect(readFileSync(`${project.root}/${beside}`, 'utf8')).toContain('`dev-cli plan template`');
  // A gate shows only its artifact, so it needs no other documents.
  expect(consulting('approve-plan')).toEqual([]);
});

it('records digests of them, as of those that are stated', () => {
  const { inputHashes } = readStateFile(project, 'add-jwt-auth') as { inputHashes: Record<string, object> };
  expect(Object.keys(inputHashes['analyze'] ?? {}).sort()).toEqual(FINDINGS);
  expect(Object.keys(inputHashes['generate-plan'] ?? {}).sort()).toEqual([...ANALYSES, ...FINDINGS].sort());
  expect(Object.keys(inputHashes['review'] ?? {}).sort()).toEqual(['PLAN.md', ...ANALYSES, ...FINDINGS].sort());
});

it('says who an agent is once, what it is to do whole, and nothing that contradicts itself', () => {
  for (const [id, prompt] of prompts) {
    const [, role = ''] = /^(You are [^.]*\.)/m.exec(prompt) ?? [];
    expect(role, id).not.toBe('');
    expect(prompt.split(role), id).toHaveLength(2);
    expect(prompt, id).toContain('Stance: ');
    expect(prompt, id).not.toMatch(/write one file/);
  }
  expect(prompts.get('tradeoff-analyzer')).toContain('\nWeigh the middleware.\n');
  expect(prompts.get('plan-reviewer')).toContain('Write no file');
});

it('shows the inputs in the recipe, which lint has nothing against', () => {
  const shown = devCli(project, ['recipe', 'show', 'short']).stdout;
  expect(shown.replace(/\s+/g, ' ')).toContain('readsFrom: - DRAFT.md - findings/code-explorer-1.md');
  expect(devCli(project, ['recipe', 'lint', 'short']).stdout).toContain('no problems');
});
