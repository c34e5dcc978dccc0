import { describe, expect, it } from 'vitest';
import { packRun } from '../../../src/wings/fleet/freight.js';
import { moveTree } from '../../../src/wings/fleet/move-tree.js';
import { placeRun } from '../../../src/wings/fleet/place-run.js';
import { keepDifference, writeTree } from '../../../src/work/attempt-commits.js';
import { StandIn } from '../../support/agent.mjs';
import { devCli, stateOf } from '../../support/cli.js';
import { SMALL_CREW, smallPlan } from '../../support/small.mjs';
import { askNext, beginRun, contextOn, type Machine, openMachines, RUN, translate } from './moving.js';
import { gitIn } from './repository.js';

/** A run that goes on on another machine (fleet.md, An attempt). */

/** The second rests on the first, and its command is red once. */
const todos = smallPlan().todos.slice(0, 2);

const agentOn = (machine: Machine) =>
  new StandIn({
    ...{ project: { ...machine, root: machine.tree }, name: RUN, crew: SMALL_CREW, goal: 'Write a file' },
    scenario: { plan: { ...smallPlan(), todos } },
  });

const placing = (machine: Machine) => ({
  ...{ workTree: machine.tree, trusted: new Set<string>(), ahead: 'refuse' as const },
});

/** What a state says but for what the move itself adds to it. */
function describeState(machine: Machine, of: Machine): unknown {
  const { seq, events, recovered, updatedAt, documents, ...rest } = stateOf(machine, RUN) as unknown as Record<
    string,
    unknown
  >;
  return JSON.parse(
    translate(JSON.stringify(rest), machine, of).replaceAll(/"(?:mtimeMs|ctimeMs|inode)":[^,}]*/g, '"at":0'),
  );
}

describe('a run of a shipped workflow', () => {
  it('is on another machine what it was, at each action, and goes on there to its end', {
    timeout: 300_000,
  }, async () => {
    const { here, there, base } = await openMachines();
    const git = gitIn(here.tree);
    const zero = await writeTree(here.tree, here);
    const agent = agentOn(here);
    await beginRun(here, { workflow: 'ultrawork-autopilot' });
    const seen = new Set<string>();
    let action = agent.recall();
    while (git('rev-parse', 'HEAD') === base) {
      if (action.action !== 'running') {
        seen.add(action.action);
        await placeRun(contextOn(there), RUN, await packRun(contextOn(here), RUN), placing(there));
        const [before, after] = [askNext(here), askNext(there)];
        expect(after.answer).toBe(translate(before.answer, here, there));
        expect(after.prompts).toEqual(before.prompts.map((text) => translate(text, here, there)));
        expect(after.prompts.length > 0).toBe(
          action.action.startsWith('dispatch') || action.action.startsWith('engine'),
        );
        expect(describeState(there, here)).toEqual(describeState(here, here));
      }
      action = agent.step(action);
    }
    expect([...seen].sort()).toEqual(['dispatch-subagents', 'engine-dispatch', 'llm', 'llm+cli']);

    const change = { base, zero, message: 'g#1', leaves: () => false };
    const { commit: kept } = await keepDifference(here.tree, change, here);
    const head = git('rev-parse', 'HEAD');
    git('push', '--quiet', 'origin', `${kept}:refs/dev-cli/attempts/g/1`, `${head}:refs/dev-cli/heads/g/1`);
    const site = { top: there.root, remote: 'origin', root: there.root, below: '', git: there };
    const attempt = { goal: 'g', run: RUN, tree: there.tree, base, kept, head };
    expect(await moveTree(site, attempt, async () => null)).toEqual({ zero });
    await placeRun(contextOn(there), RUN, await packRun(contextOn(here), RUN), placing(there));
    expect(askNext(there, there.tree).answer).toBe(translate(askNext(here, here.tree).answer, here, there));
    expect(agentOn(there).drive().done).toBe(true);
    expect(stateOf(there, RUN)).toMatchObject({ status: 'completed' });
    expect(gitIn(there.tree)('log', '--format=%s', `${base}..`).split('\n')).toHaveLength(todos.length);
    expect(gitIn(there.tree)('status', '--porcelain')).toBe('');
    expect(devCli(there, ['replay', RUN, '--check']).code).toBe(0);
  });
});
