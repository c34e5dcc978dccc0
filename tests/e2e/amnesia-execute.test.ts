import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Action, type Scenario, StandIn } from '../support/agent.mjs';
import { devCli, imageOf, runDir } from '../support/cli.js';
import { type Crew, simpleCrew } from '../support/crew.mjs';
import { commitsOf, generatePlan, git, RUN, reportOf } from '../support/executing.js';
import { askedOfGh } from '../support/forge.mjs';
import { freshProjects } from '../support/fresh.js';
import type { Project } from '../support/project.mjs';
import { SMALL_CREW } from '../support/small.mjs';
import { agentFor, STORIES } from '../support/stories.js';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

/** Like amnesia.test.ts, for the recipes that begin with a finished plan. */

const fresh = freshProjects();

class Gone extends Error {}

describe.each(STORIES)('$recipe', ({ person, prepare, start }) => {
  const skipped = person && findTerminal() === null;
  const suffix = skipped ? ` (skipped: ${NO_TERMINAL})` : '';

  it.skipIf(skipped)(
    `a new agent in place of each, with its work done and not acknowledged, comes to the same end${suffix}`,
    { timeout: 240_000 },
    () => {
      const project = fresh();
      prepare(project);
      const seen: string[] = [];
      const agent = agentFor(project, { before: (action) => void seen.push(lookedAt(project, action)) });
      expect(agent.drive(start(agent))).toMatchObject({ outcome: 'completed' });

      const other = fresh();
      prepare(other);
      const acknowledged = replaced(start(agentFor(other)), (scenario) => agentFor(other, scenario));
      expect(acknowledged).toEqual(seen);
      expect(resultOf(other)).toEqual(resultOf(project));
    },
  );
});

it('(a crew that remembers what it did is found out)', { timeout: 240_000 }, () => {
  const remembering = () => {
    let tasks = 0;
    const worker: Crew['worker'] = (task, root) => {
      tasks += 1;
      const { result } = SMALL_CREW.worker(task, root);
      return { files: { [`made/${task.todoId}.txt`]: `my task ${tasks}\n` }, result };
    };
    return simpleCrew({ worker });
  };
  const results = [false, true].map((often) => {
    const project = fresh();
    generatePlan(project);
    const make = (scenario: Scenario = {}) => new StandIn({ project, crew: remembering(), scenario });
    const agent = make();
    const first = agent.execute('--execute --quick --autopilot');
    if (often) replaced(first, make);
    else agent.drive(first);
    return resultOf(project);
  });
  expect(results[0]).not.toEqual(results[1]);
});

/**
 * Drives a run to its end with two new agents for each step: the first does the work but disappears before it
 * acknowledges; the second knows only the run's name. Returns the blocks in the order of their acknowledgements.
 */
function replaced(first: Action, make: (scenario?: Scenario) => StandIn): string[] {
  const acknowledged: string[] = [];
  let action = first;
  for (let steps = 0; action.done !== true && steps < 60; steps += 1) {
    const gone = make({
      beforeAck: () => {
        throw new Gone();
      },
    });
    expect(() => gone.step(action)).toThrow(Gone);
    const follower = make();
    const recalled = follower.recall();
    acknowledged.push(recalled.block);
    action = follower.step(recalled);
  }
  expect(action).toMatchObject({ outcome: 'completed' });
  return acknowledged;
}

/** Checks that `manifest` is small, `next` repeats the action, and neither leaves a trace. Returns the block. */
function lookedAt(project: Project, action: Action): string {
  const image = imageOf(project);
  const manifest = devCli(project, ['manifest', RUN]);
  expect(Math.ceil(manifest.stdout.length / 4), `manifest at ${action.block}`).toBeLessThanOrEqual(1500);
  const next = devCli(project, ['next', RUN]);
  expect(next.json, `next at ${action.block} and the answer before it`).toEqual(action);
  expect(manifest.stdout, `manifest at ${action.block}`).toContain(next.stdout.trim());
  if (action.asks === 'user') expect(manifest.stdout.split('\n')[0]).toMatch(/asks the user/i);
  expect(imageOf(project), `asking at ${action.block} left a trace`).toEqual(image);
  return action.block;
}

/** Returns the results of a run that do not depend on its times or on its number of calls. */
function resultOf(project: Project) {
  const report = existsSync(join(runDir(project, RUN), 'report.md')) ? reportOf(project) : '';
  return {
    commits: commitsOf(project).map(({ todo, ...commit }) => ({ todo, ...commit })),
    tree: git(project, 'ls-tree', '-r', 'HEAD'),
    left: git(project, 'status', '--short', '--', ':(exclude).dev'),
    branch: git(project, 'branch', '--show-current'),
    asked: askedOfGh(project).map((line) => withoutTimes(line.replaceAll(project.root, '<root>'))),
    plan: readFileSync(join(runDir(project, RUN), 'PLAN.md'), 'utf8'),
    report: withoutTimes(report),
  };
}

/** Replaces hashes, run ids, action ids and times, which differ between runs. */
function withoutTimes(text: string): string {
  return text
    .replace(/\d{8}T\d{6}Z-[0-9a-f]+/g, '<run>')
    .replace(/\b[0-9a-f]{7,64}\b/g, '<hash>')
    .replace(/\ba\d+\//g, '<action>/')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/^## Cost\n\n.*\n\n/m, '')
    .replace(/\b(?:\d+ s|\d+m\d\ds)(?=[,)])/g, '<duration>');
}
