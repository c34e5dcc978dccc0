// Small recipes, and runs of them, with which a play starts in the state that it needs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runDevCli } from './stage.mjs';

const HEAD = (name) => `name: ${name}\ntype: sequential\nskill: specify\nblocks:\n`;

const RECIPES = {
  thinking: '  - { id: think, type: llm, instruction: Think. }\n',
  looking: `  - id: look
    type: subagent
    agents:
      - { id: looker, type: code-explorer, prompt: Look., output: findings/looker.md }
`,
  asking: `  - id: confirm
    type: wait-for-user
    human: required
    message: Is it right?
    choices:
      - { id: yes, label: go on, goto: next }
      - { id: stop, label: stop here, goto: halt }
  - { id: think, type: llm, instruction: Think. }
`,
};

/** Writes the recipes into a project. */
export function writeRecipes(project) {
  mkdirSync(join(project.root, '.dev', 'recipes'), { recursive: true });
  for (const [name, blocks] of Object.entries(RECIPES))
    writeFileSync(join(project.root, '.dev', 'recipes', `${name}.yaml`), HEAD(name) + blocks);
}

/**
 * Starts a run in a session that then ends, so that the next session continues the run. If `session` is null, starts it
 * outside of any session, as a person would.
 */
export function startRun(project, name, recipe, session = 'earlier') {
  const words = ['init', name, '--recipe', recipe, '--goal', 'Think of an otter'];
  if (session === null) return void runDevCli(project, words);
  runDevCli(project, words, { env: { DEV_CLI_SESSION: session } });
  const input = JSON.stringify({ session_id: session, cwd: project.root });
  runDevCli(project, ['hook', 'session-end', '--harness', 'codex'], { input });
}

/** Lists the newest run's items of a kind; entries to which `history` gives no kind are selected by their type. */
export const listItems = (history, kind) =>
  history.runs[0].items.filter((item) => item.kind === kind || item.type === kind);
