import type { Action } from './agent.mjs';
import { devCli, init, type Result, writeProjectFile, writeRecipe } from './cli.js';
import type { Project } from './project.mjs';
import { choose } from './tiny.js';

/** A recipe whose blocks depend on the size of the work, and helpers that drive its runs. */

const SIZED = `name: sized
type: sequential
skill: sized
blocks:
  - { id: init, type: cli, command: 'dev-cli init {name} --recipe sized' }
  - id: classify
    type: llm
    instruction: Say what it is and how large.
    choices: [Feature, Bug]
    schema: size
  - id: explore
    type: llm
    when: size != "small"
    instruction: Look around, for a {size} change.
  - id: ask
    type: llm
    when: size == "large"
    instruction: Ask the user.
  - id: gate
    type: wait-for-user
    message: 'Is this {size} plan right?'
    choices:
      - { id: approve, label: yes }
      - { id: bigger, label: bigger than thought, goto: classify, grows: true }
      - { id: split, label: split it, goto: classify, when: size == "large" }
  - { id: last, type: llm, instruction: Done. }
`;

/** Writes the recipe into the project. */
export function writeSized(project: Project): void {
  writeRecipe(project, 'sized', SIZED);
}

/** Data that justifies calling a change small. */
export const BACKED = { files: ['src/a.ts'], interfaces: false, data: false, unknowns: [] };

/** Answers the block of the run `one` that classifies the work, with or without data. */
export function classifyAs(project: Project, action: Action | undefined, data?: object): Result {
  if (action?.data === undefined) throw new Error(`no data in ${JSON.stringify(action)}`);
  if (data === undefined)
    return devCli(project, ['step', 'complete', 'one', '--action', action.actionId, '--choice', 'Bug']);
  writeProjectFile(project, action.data.write, JSON.stringify(data));
  return choose(project, action, 'Bug');
}

/** Begins the run `one` of the recipe, and returns its first action. */
export function startSized(project: Project, ...flags: string[]): Action {
  const { next } = init(project, 'one', '--recipe', 'sized', ...flags);
  if (next === undefined || next === null) throw new Error('no action');
  return next;
}
