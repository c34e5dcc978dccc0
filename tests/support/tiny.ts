import type { Action } from './agent.mjs';
import { StandIn } from './agent.mjs';
import { devCli, type Result, runPrinted, writeProjectFile, writeRecipe } from './cli.js';
import type { Project } from './project.mjs';

/** Small recipes, each for one kind of block, so that a test can begin directly at the block that it is about. */

const HEAD = (name: string): string =>
  `name: ${name}\ntype: sequential\nskill: specify\nmode: { depth: quick, interaction: interactive }\n`;

export const CHOICE_BLOCK = `
  - id: colour
    type: llm
    instruction: Choose a colour.
    choices: [red, blue]
`;

export const PLAIN_BLOCK = `
  - id: think
    type: llm
    instruction: Think about it; nothing is to be written.
`;

export const DATA_BLOCK = `
  - id: limits
    type: llm
    instruction: Write what must not change.
    save: dev-cli draft update {name} --section boundaries
`;

export const LOOP_BLOCK = `
  - id: interview
    type: llm-loop
    instruction: Ask the user.
    asks: user
    save: dev-cli draft update {name}
    sections: [boundaries, criteria]
    exitCheck: dev-cli draft validate {name}
`;

export const AGENTS_BLOCK = `
  - id: look
    type: subagent
    parallel: true
    agents:
      - { type: code-explorer, id: one, prompt: Look at the code., output: findings/one.md }
      - { type: code-explorer, id: two, prompt: Look at the tests., output: findings/two.md }
`;

export const PLAN_BLOCK = `
  - id: plan
    type: llm+cli
    instruction: Write the plan.
    write: plan-content.json
    schema: plan-content
    command: dev-cli plan generate {name} --data plan-content.json
`;

export const REVIEW_BLOCK = `
  - id: review
    type: subagent-loop
    agents:
      - { type: plan-reviewer, prompt: Judge the plan., readsFrom: [PLAN.md], output: 'reviews/{round}.md' }
    maxRounds: 2
    exitWhen: 'agents["plan-reviewer"].verdict == "OKAY"'
    revise: plan
`;

export const GATE_BLOCK = `
  - id: confirm
    type: wait-for-user
    message: Is it right?
    choices:
      - { id: yes, label: go on, goto: next }
      - { id: again, label: think again, goto: think, reason: required }
      - { id: stop, label: stop here, goto: halt }
    maxRounds: 2
`;

export const END_BLOCK = `
  - id: last
    type: llm
    instruction: Last step, nothing to write.
`;

/** Writes a recipe with these blocks into the project. */
export function tiny(project: Project, name: string, blocks: string[], head = ''): string {
  return writeRecipe(project, name, `${HEAD(name)}${head}blocks:${blocks.join('')}`);
}

/** Starts a run of a tiny recipe and returns its first action. */
export function startTiny(project: Project, blocks: string[], head = '', name = 'run-1'): Action {
  const recipe = tiny(project, `tiny-${name}`, blocks, head);
  const result = devCli(project, ['init', name, '--recipe', recipe, '--goal', 'Add JWT auth', '--new']);
  if (result.code !== 0 || result.json.next === undefined) throw new Error(`init: ${result.stdout}`);
  return result.json.next;
}

/** Runs an action's acknowledgement. */
export function acknowledge(project: Project, action: Action): Result {
  if (action.ack === undefined) throw new Error(`no ack in ${JSON.stringify(action)}`);
  return runPrinted(project, action.ack);
}

/** Makes one of an action's choices, by running its acknowledgement. */
export function choose(project: Project, action: Action, id: string): Result {
  const choice = action.choices?.find((candidate) => candidate.id === id);
  if (choice?.ack === undefined) throw new Error(`no choice ${id} with an ack in ${JSON.stringify(action)}`);
  return runPrinted(project, choice.ack);
}

/** Writes sections to the file that the action names for its data. */
export function writeSections(project: Project, action: Action, sections: Record<string, string>): void {
  if (action.data === undefined) throw new Error(`no data wanted in ${JSON.stringify(action)}`);
  const text = Object.entries(sections).map(([id, body]) => `## ${id}\n\n${body}\n`);
  writeProjectFile(project, action.data.write, text.join('\n'));
}

/** Writes the outputs that an action's subagents are asked for; with `ids`, only those of these subagents. */
export function deliver(project: Project, action: Action, ids?: string[], scenario = {}): void {
  const standIn = new StandIn({ project, scenario });
  for (const agent of action.agents ?? []) if (ids === undefined || ids.includes(agent.id)) standIn.subagent(agent);
}
