import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../support/agent.mjs';
import { devCli, imageOf, runDir, stateOf } from '../support/cli.js';
import { project, useProject } from '../support/each-project.js';
import { generatePlan, git, RUN } from '../support/executing.js';
import { SMALL_CREW, smallPlan } from '../support/small.mjs';

/** A user tidies up with git in the middle of a run: nothing of the run is lost (storage.md, Layout and A commit). */

const LONG = { timeout: 240_000 };

useProject();

const clean = (): void => {
  for (const _ of [1, 2]) git(project, 'clean', '-fd');
};

/** Twice, because the second stash would take anything that the first leaves unprotected. */
const stash = (): void => {
  for (const _ of [1, 2]) git(project, 'stash', '--include-untracked');
};

/** Returns false while a worker has uncommitted files: a user would not tidy up then, because git would take them. */
const isTidy = (): boolean => git(project, 'status', '--porcelain', '--', ':(exclude).dev') === '';

function agentThat(before: (action: Action, agent: StandIn) => void): StandIn {
  return new StandIn({
    project,
    name: RUN,
    crew: SMALL_CREW,
    scenario: { plan: smallPlan(), before },
  });
}

/** Drives a run to its end; before each action, tidies up and checks that `next` still returns the action. */
function driven(start: (agent: StandIn) => Action, tidyUp: () => void): { done: Action; tidied: number } {
  let tidied = 0;
  const agent = agentThat((action) => {
    if (!isTidy()) return;
    tidyUp();
    tidied += 1;
    const again = devCli(project, ['next', RUN]);
    expect(again.json, again.stdout).toEqual(action);
    for (const path of action.read ?? []) expect(existsSync(join(project.root, path)), path).toBe(true);
  });
  return { done: agent.drive(start(agent)), tidied };
}

function replayed(): void {
  const checked = devCli(project, ['replay', RUN, '--check', '--json']);
  expect(checked.json, checked.stdout).toMatchObject({ ok: true, differences: [] });
}

describe.each([
  ['git clean -fd, twice', clean],
  ['git stash -u, twice', stash],
])('%s, before every action', (_what, tidyUp) => {
  it.each([
    ['of a plan in the making', '--recipe specify-standard-autopilot'],
    ['of both phases of a workflow', '--workflow ultrawork-autopilot --set pull_request=false'],
  ])('%s', LONG, (_where, flags) => {
    const { done, tidied } = driven((agent) => agent.start(flags), tidyUp);
    expect(done).toMatchObject({ outcome: 'completed' });
    expect(tidied).toBeGreaterThan(4);
    replayed();
  });

  it('of an execution whose plan no planning run has recorded', LONG, () => {
    generatePlan(project);
    const { done, tidied } = driven((agent) => agent.execute('--execute --quick --autopilot'), tidyUp);
    expect(done).toMatchObject({ outcome: 'completed' });
    expect(tidied).toBeGreaterThan(1);
    expect(readFileSync(join(runDir(project, RUN), 'PLAN.md'), 'utf8')).toContain('[x]');
    replayed();
  });
});

describe('what comes back', LONG, () => {
  const plan = (): string => join(runDir(project, RUN), 'PLAN.md');

  function planned(): void {
    const agent = agentThat(() => {});
    agent.drive(agent.start('--recipe specify-standard-autopilot'));
  }

  /** Returns the first action of an execution of the small plan. */
  function executing(): Action {
    generatePlan(project);
    return agentThat(() => {}).execute('--execute --autopilot');
  }

  it('is told once, by the next acknowledgement that is not refused, and by status until then', () => {
    const told: string[][] = [];
    const agent = new StandIn({
      project,
      name: RUN,
      crew: SMALL_CREW,
      scenario: {
        beforeAck: () => {
          if (told.length === 0) rmSync(plan());
        },
      },
      onCall: ({ answer }) => {
        const warnings = (answer as { warnings?: string[] } | null)?.warnings ?? [];
        if (existsSync(plan())) told.push(warnings.filter((line) => line.includes('PLAN.md')));
      },
    });
    generatePlan(project);
    const first = agent.execute('--execute --autopilot');
    told.length = 0;
    agent.step(first);
    expect(told.flat()).toEqual([expect.stringMatching(/^PLAN\.md was gone .* back as recorded/)]);
    expect(devCli(project, ['history', RUN]).stdout).toContain('PLAN.md was gone');
  });

  it('is what was recorded last; what somebody has edited is left as it is', () => {
    const first = executing();
    const before = readFileSync(plan(), 'utf8');
    rmSync(plan());
    expect(devCli(project, ['next', RUN]).json).toEqual(first);
    expect(readFileSync(plan(), 'utf8')).toBe(before);
    writeFileSync(plan(), `${before}\nA note of mine.\n`);
    expect(devCli(project, ['next', RUN]).json).toMatchObject({ actionId: first.actionId });
    expect(readFileSync(plan(), 'utf8')).toContain('A note of mine.');
  });

  it('is no new evidence: a plan that had to be changed and was put back is still the old one', () => {
    const rejecting = agentThat((action) => {
      if (action.block === 'generate-plan' && action.read?.some((path) => path.includes('reviews/')) === true)
        throw new Found(action);
    });
    rejecting.scenario.rejectFirstReview = true;
    const revising = found(() => rejecting.drive(rejecting.start('--recipe specify-standard-autopilot')));
    clean();
    const refused = devCli(project, ['step', 'complete', RUN, '--action', revising.actionId]);
    expect([refused.code, refused.json.error?.code], refused.stdout).toEqual([3, 'EVIDENCE_MISSING']);
    expect(existsSync(join(runDir(project, RUN), 'plan-content.json'))).toBe(true);
  });

  it('is what an ended run has left, too: its plan is executed; for another run of the name it stays away', () => {
    planned();
    const image = imageOf(project);
    clean();
    expect(devCli(project, ['next', RUN]).json).toMatchObject({ done: true });
    expect(Object.keys(imageOf(project))).toEqual(Object.keys(image));
    clean();
    const begun = devCli(project, ['init', RUN, '--execute', '--autopilot']);
    expect(begun.code, begun.stdout).toBe(0);
    expect(begun.json.warnings?.join()).toMatch(/PLAN\.md, plan-content\.json.* were gone/);
    replayed();
    expect(devCli(project, ['abort', RUN, '--reason', 'enough']).code).toBe(0);
    clean();
    const anew = devCli(project, ['init', RUN, '--quick', '--autopilot', '--goal', 'another']);
    expect(anew.code, anew.stdout).toBe(0);
    expect(existsSync(plan())).toBe(false);
    project.replay = false;
  });

  it('stands in the way of a stash that holds it; moved away, the stash pops, and the run goes on', () => {
    const first = executing();
    stash();
    const restored = devCli(project, ['step', 'invalidate', RUN, '--step', 'todo-1']);
    expect(restored.code, restored.stdout).toBe(0);
    const popped = spawnSync('git', ['stash', 'pop'], { cwd: project.root, env: project.env, encoding: 'utf8' });
    expect([popped.status, popped.stderr]).toEqual([1, expect.stringContaining('PLAN.md already exists')]);
    renameSync(plan(), `${plan()}.mine`);
    renameSync(join(runDir(project, RUN), 'plan-content.json'), join(project.home, 'plan-content.json'));
    git(project, 'stash', 'pop');
    rmSync(`${plan()}.mine`);
    const agent = agentThat(() => {});
    expect(first.block).toBe('execution-engine');
    expect(agent.drive()).toMatchObject({ outcome: 'completed' });
    replayed();
  });

  it('a stash that is popped before the next call changes nothing and is not told', () => {
    const first = executing();
    const before = imageOf(project);
    git(project, 'stash', '--include-untracked');
    git(project, 'stash', 'pop');
    expect(imageOf(project)).toEqual(before);
    expect(devCli(project, ['next', RUN]).json).toEqual(first);
    expect(imageOf(project)).toEqual(before);
  });

  it('nothing does after git clean -fdx, and every call says what happened', () => {
    executing();
    project.replay = false;
    execFileSync('git', ['clean', '-fdx'], { cwd: project.root, env: project.env });
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
    for (const args of [
      ['next', RUN],
      ['status', RUN, '--json'],
      ['manifest', RUN, '--json'],
      ['step', 'complete', RUN, '--action', 'a1'],
      ['abort', RUN, '--reason', 'x'],
    ]) {
      const { code, json } = devCli(project, args);
      expect([code, json.error?.code], args.join(' ')).toEqual([2, 'NO_SUCH_RUN']);
      expect(json.error?.message).toMatch(/git clean -x.*git stash -a/);
    }
    expect(devCli(project, ['next']).json.error?.code).toBe('NO_ACTIVE_RUN');
    expect(existsSync(join(project.root, '.dev'))).toBe(false);
    expect(devCli(project, ['init', RUN, '--quick', '--goal', 'anew']).code).toBe(0);
  });
});

class Found extends Error {
  constructor(readonly action: Action) {
    super('found');
  }
}

function found(drive: () => unknown): Action {
  try {
    drive();
  } catch (error) {
    if (error instanceof Found) return error.action;
    throw error;
  }
  throw new Error('never');
}

describe('the ignore rules', () => {
  const rules = (): string => join(project.root, '.dev/.gitignore');
  const SHARED =
    '# Written by dev-cli. Runs stay on this machine; only what people share is tracked.\n/*\n!/.gitignore\n';

  const begin = (name = RUN): void => {
    const begun = devCli(project, ['init', name, '--quick', '--new', '--goal', 'x']);
    expect(begun.code, begun.stdout).toBe(0);
  };

  it('ignore themselves; gone, the next commit writes them again', () => {
    begin();
    expect(git(project, 'status', '--porcelain', '--untracked-files=all')).toBe('');
    rmSync(rules());
    begin('other');
    expect(git(project, 'status', '--porcelain', '--untracked-files=all')).toBe('');
    clean();
    expect(stateOf(project, RUN).status).toBe('live');
    expect(stateOf(project, 'other').status).toBe('live');
  });

  it('that git tracks stay as they are committed, and protect the runs all the same', () => {
    begin();
    writeFileSync(rules(), SHARED);
    git(project, 'add', '--force', '.dev/.gitignore');
    git(project, 'commit', '--quiet', '--message', 'ignore rules');
    begin('other');
    expect(readFileSync(rules(), 'utf8')).toBe(SHARED);
    expect(git(project, 'status', '--porcelain')).toBe('');
    clean();
    expect(stateOf(project, 'other').status).toBe('live');
  });

  it("that are the user's own are left alone; init names them when they let git take the runs", () => {
    begin();
    writeFileSync(rules(), '# mine\nsessions/\n');
    const begun = devCli(project, ['init', 'other', '--quick', '--goal', 'y']);
    expect(begun.json.warnings?.join() ?? '').toContain('.dev/.gitignore');
    expect(readFileSync(rules(), 'utf8')).toBe('# mine\nsessions/\n');
    writeFileSync(rules(), '*\n');
    const third = devCli(project, ['init', 'third', '--quick', '--goal', 'z']);
    expect(third.json.warnings?.join() ?? '').not.toContain('.gitignore');
  });
});
