import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Action, type Call, StandIn } from '../support/agent.mjs';
import { freshProjects } from '../support/fresh.js';
import type { Project } from '../support/project.mjs';
import { SPECIFY_RECIPES } from '../support/recipes.mjs';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

const fresh = freshProjects();

let copies = 0;

/** The project as it stands now, elsewhere: what is tried there has no effect here. */
function copyOf(project: Project): Project {
  copies += 1;
  const root = join(dirname(project.root), `copy-${copies}`, 'todo-api');
  mkdirSync(dirname(root));
  cpSync(project.root, root, { recursive: true, verbatimSymlinks: true });
  return { ...project, root, remove: () => {} };
}

/** Every command line in a call's answer, wherever it stands: under `ack`, `poll`, `fix`, `instead`, `resume`. */
function commandsIn(value: unknown, key = ''): { key: string; command: string }[] {
  if (typeof value === 'string') return value.startsWith('dev-cli ') ? [{ key, command: value }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) => commandsIn(inner, Array.isArray(value) ? key : member));
}

describe.each(SPECIFY_RECIPES)('%s', (recipe) => {
  const skipped = recipe.endsWith('-interactive') && findTerminal() === null;

  it.skipIf(skipped)(
    `every printed command runs as printed, the ways not taken in a copy${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    { timeout: 240_000 },
    () => {
      const project = fresh();
      const tried = new Set<string>();
      const before = (action: Action): void => {
        for (const { id, ack } of action.choices ?? []) {
          if (['Bug', 'Refactor', 'Architecture', 'Migration', 'Performance'].includes(id)) continue; // the same as Research
          const copy = copyOf(project);
          const agent = new StandIn({ project: copy });
          writeTexts(agent, ack);
          const call = agent.run(ack, { terminal: action.human === 'required' });
          expect(call.exit, `${action.block}, ${id}: ${ack}\n${call.stdout}`).toBe(0);
          tried.add(id);
          tryResume(agent, call);
        }
      };
      const agent = new StandIn({ project, scenario: { before } });
      expect(agent.drive(agent.start(`--recipe ${recipe}`))).toMatchObject({ outcome: 'completed' });
      expect([...tried]).toEqual(expect.arrayContaining(['Feature', 'Research']));
      for (const call of agent.calls) {
        for (const { key, command } of commandsIn(call.answer)) {
          expect(['ack', 'poll', 'fix', 'instead', 'resume'], command).toContain(key);
          expect(command, 'printed commands carry the name').toContain(' add-jwt-auth');
          expect(command).not.toContain('npx');
        }
      }
    },
  );
});

/** A halted run says how it is reopened. */
function tryResume(agent: StandIn, call: Call): void {
  const next = call.answer?.next as (Action & { resume?: string }) | undefined;
  if (next?.outcome !== 'halted') return;
  expect(next.resume, 'a halted run can be reopened').toMatch(/^dev-cli /);
  const resumed = agent.run(next.resume ?? '');
  expect(resumed.exit, resumed.stdout).toBe(0);
  expect(resumed.answer?.next?.done).toBeUndefined();
}

/** Files named after `@` are written first. */
function writeTexts(agent: StandIn, command: string): void {
  for (const [, path = ''] of command.matchAll(/@'?([^\s']+)/g)) agent.write(path, 'Because it is wanted so.\n');
}

describe('what a refusal prints', () => {
  it('instead and fix run as printed', () => {
    const project = fresh();
    const agent = new StandIn({
      project,
      scenario: { before: ({ block }) => (block === 'analyze-lite' ? 'stop' : undefined) },
    });
    const action = agent.drive(agent.start('--recipe specify-quick-autopilot'));
    expect(action.block).toBe('analyze-lite');
    const refused = agent.run(action.ack ?? '');
    expect(refused.exit).toBe(3);
    const instead = refused.answer?.error?.instead ?? '';
    expect(instead).toMatch(/^dev-cli step complete add-jwt-auth --action a\d+ --without tradeoff-analyzer --reason @/);
    writeTexts(agent, instead);
    const given = agent.run(instead);
    expect(given.exit, given.stdout).toBe(0);
    expect(given.answer?.next?.block).toBe('generate-plan');
  });

  it('runs from a subdirectory as printed, too', () => {
    const project = fresh();
    const agent = new StandIn({ project, cwd: join(project.root, 'src') });
    const done = agent.drive(agent.start('--recipe specify-quick-autopilot'));
    expect(done).toMatchObject({ outcome: 'completed' });
  });
});
