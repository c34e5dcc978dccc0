// Recipes of one block each, so that a play begins where it wants to be, and runs of them.
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

/** Puts the recipes into a project. */
export function writeRecipes(project) {
  mkdirSync(join(project.root, '.dev', 'recipes'), { recursive: true });
  for (const [name, blocks] of Object.entries(RECIPES))
    writeFileSync(join(project.root, '.dev', 'recipes', `${name}.yaml`), HEAD(name) + blocks);
}

/** Begins a run in a session that has ended since, so that the next goes on with it; null: as a person outside of any session does. */
export function startRun(project, name, recipe, session = 'earlier') {
  const words = ['init', name, '--recipe', recipe, '--goal', 'Think of an otter'];
  if (session === null) return void runDevCli(project, words);
  runDevCli(project, words, { env: { DEV_CLI_SESSION: session } });
  const input = JSON.stringify({ session_id: session, cwd: project.root });
  runDevCli(project, ['hook', 'session-end', '--harness', 'codex'], { input });
}

/** The items of the newest run of a name, of one kind, or of one type where `history` gives an entry no kind of its own. */
export const listItems = (history, kind) =>
  history.runs[0].items.filter((item) => item.kind === kind || item.type === kind);
