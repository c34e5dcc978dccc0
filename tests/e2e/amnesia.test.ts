import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../support/agent.mjs';
import { devCli, imageOf, runDir } from '../support/cli.js';
import { freshProjects } from '../support/fresh.js';
import type { Project } from '../support/project.mjs';
import { SPECIFY_RECIPES } from '../support/recipes.mjs';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

const fresh = freshProjects();

function planOf(project: Project): string {
  return readFileSync(join(runDir(project, 'add-jwt-auth'), 'PLAN.md'), 'utf8');
}

function finish(
  scenario: NonNullable<ConstructorParameters<typeof StandIn>[0]['scenario']>,
  flags: string,
): { project: Project; plan: string } {
  const project = fresh();
  const agent = new StandIn({ project, scenario });
  expect(agent.drive(agent.start(flags))).toMatchObject({ done: true, outcome: 'completed' });
  return { project, plan: planOf(project) };
}

describe.each(SPECIFY_RECIPES)('%s', (recipe) => {
  const skipped = recipe.endsWith('-interactive') && findTerminal() === null;
  const suffix = skipped ? ` (skipped: ${NO_TERMINAL})` : '';
  const flags = `--recipe ${recipe}`;
  const trouble = recipe.includes('standard') ? { rejectFirstReview: true, twoRounds: true } : { twoRounds: true };

  it.skipIf(skipped)(
    `an agent that forgets everything before each step comes to the same plan${suffix}`,
    { timeout: 120_000 },
    () => {
      const remembered = finish(trouble, flags);
      const forgotten = finish({ ...trouble, forgetful: true }, flags);
      expect(forgotten.plan).toBe(remembered.plan);
    },
  );

  it.skipIf(skipped)(
    `a new agent in place of each, with its work done and not acknowledged, comes to the same plan${suffix}`,
    { timeout: 120_000 },
    () => {
      const remembered = finish(trouble, flags);
      const project = fresh();
      let action: Action = new StandIn({ project, scenario: trouble }).start(flags);
      for (let steps = 0; action.done !== true && steps < 40; steps += 1) {
        // The first agent does the work but disappears before it acknowledges; the next one knows only the run's name.
        const gone = new StandIn({
          project,
          scenario: {
            ...trouble,
            beforeAck: () => {
              throw new Gone();
            },
          },
        });
        expect(() => gone.step(gone.recall())).toThrow(Gone);
        const follower = new StandIn({ project, scenario: trouble });
        action = follower.step(follower.recall());
      }
      expect(action).toMatchObject({ done: true, outcome: 'completed' });
      expect(planOf(project)).toBe(remembered.plan);
    },
  );

  it.skipIf(skipped)(
    `manifest and next at every step: small, true, the same when asked again, without a trace${suffix}`,
    { timeout: 120_000 },
    () => {
      const project = fresh();
      const seen: string[] = [];
      const before = (action: Action): void => {
        seen.push(action.block);
        const image = imageOf(project);
        const manifest = devCli(project, ['manifest', 'add-jwt-auth']);
        expect(manifest.code).toBe(0);
        expect(Math.ceil(manifest.stdout.length / 4), `manifest at ${action.block}`).toBeLessThanOrEqual(1500);
        const next = devCli(project, ['next', 'add-jwt-auth']);
        expect(next.json, `next at ${action.block} and the answer before it`).toEqual(action);
        expect(manifest.stdout, `manifest at ${action.block}`).toContain(next.stdout.trim());
        expect(devCli(project, ['next', 'add-jwt-auth']).stdout).toBe(next.stdout);
        expect(devCli(project, ['next']).stdout, 'without the name').toBe(next.stdout);
        if (action.asks === 'user') expect(manifest.stdout.split('\n')[0]).toMatch(/asks the user/i);
        expect(imageOf(project), `asking at ${action.block} left a trace`).toEqual(image);
      };
      const agent = new StandIn({ project, scenario: { ...trouble, before } });
      agent.drive(agent.start(flags));
      expect(seen.length).toBeGreaterThanOrEqual(5);
    },
  );
});

class Gone extends Error {}
