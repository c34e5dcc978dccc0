import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { devCli, init, nextOf, writeProjectFile, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// With `promptVariant: V` (recipes.md, Shipped recipes), an agent gets the definition `agents/<type>.V.md` if it
// exists, and otherwise that of its role.

useProject();

const recipe = (type: string, variant: string) =>
  writeRecipe(
    project,
    'varied',
    `name: varied\ntype: sequential\nblocks:\n  - id: look\n    type: subagent\n    agents:\n      - { type: ${type}, promptVariant: ${variant}, output: findings/one.md }\n`,
  );
const definition = (role: string, tools = 'Read, Write') => `---\ndescription: x\ntools: ${tools}\n---\n\n${role}\n`;
const lint = () => devCli(project, ['recipe', 'lint', 'varied']);

function promptOf(action: Action): string {
  return readFileSync(join(project.root, action.agents?.[0]?.promptFile ?? ''), 'utf8');
}
const begun = () => nextOf(init(project, 'run-1', '--recipe', 'varied'));

describe('a variant of a role', () => {
  it('is what the agent gets, under the type of the role', () => {
    writeProjectFile(project, '.dev/agents/scout.md', definition('You look everywhere.'));
    writeProjectFile(project, '.dev/agents/scout.lite.md', definition('You look in one place.'));
    recipe('scout', 'lite');
    expect(lint().stdout).toContain('no problems');
    const action = begun();
    expect(action.agents?.[0]?.type).toBe('scout');
    expect(promptOf(action)).toContain('You look in one place.');
    expect(promptOf(action)).not.toContain('You look everywhere.');
  });

  it('that is not there is warned of, and the role is used', () => {
    writeProjectFile(project, '.dev/agents/scout.md', definition('You look everywhere.'));
    recipe('scout', 'lite');
    expect(lint().code).toBe(0);
    expect(lint().stdout).toContain('The agent `scout` has no variant `lite`; the role is used as it is.');
    expect(lint().stdout).toContain('.dev/agents/scout.lite.md');
    expect(promptOf(begun())).toContain('You look everywhere.');
  });

  it("of a role that the project has replaced is not the shipped one's", () => {
    writeProjectFile(project, '.dev/agents/tradeoff-analyzer.md', definition('You are ours.'));
    recipe('tradeoff-analyzer', 'lite');
    expect(lint().stdout).toContain('has no variant `lite`');
    expect(promptOf(begun())).toContain('You are ours.');
  });

  it('that the project adds to a shipped role is used, and goes on with the run that captured it', () => {
    writeProjectFile(project, '.dev/agents/code-explorer.brief.md', definition('You are brief.'));
    recipe('code-explorer', 'brief');
    const action = begun();
    expect(promptOf(action)).toContain('You are brief.');
  });

  it('must be able to write what its agent shall, and cannot lead anywhere else', () => {
    writeProjectFile(project, '.dev/agents/scout.md', definition('You look everywhere.'));
    writeProjectFile(project, '.dev/agents/scout.lite.md', definition('You look in one place.', 'Read'));
    recipe('scout', 'lite');
    expect(lint().code).toBe(3);
    expect(lint().stdout).toContain('has no tool to write its output with');
    writeProjectFile(project, 'secret.md', 'Not an agent.\n');
    recipe('scout', '"x/../../../../secret"');
    expect(lint().stdout).toContain('has no variant');
    expect(promptOf(begun())).toContain('You look everywhere.');
  });

  it('is shipped where a shipped recipe asks for one', () => {
    for (const name of ['specify-quick-interactive', 'specify-quick-autopilot']) {
      expect(devCli(project, ['recipe', 'lint', name]).stdout).toContain('no problems');
    }
  });
});
