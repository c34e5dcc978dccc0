import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { freshProjects } from '../../support/fresh.js';
import { call, countSessions, git, readDigest, runLoop, setUpLoop, subjectsOf } from '../../support/loop.js';
import { BINARY, type Project } from '../../support/project.mjs';
import { chosenSeed } from '../../support/seeded.js';
import { HOOK_PLAN, type HookPlan, type Mutation } from './crash/calls.js';
import { type Extent, pointsOf } from './crash/points.js';

// loop-core.md, auto: `auto` is killed before, inside or after a call that changes a file, and the next batch continues
// its attempt: nothing is done twice, and nothing is lost. DEV_CLI_CRASH=all tries all these points, =states one for
// each state that can remain on the disk; the default is a sample.

const EXTENTS: readonly Extent[] = ['sample', 'states', 'all'];
const extent = EXTENTS.find((each) => each === process.env['DEV_CLI_CRASH']) ?? 'sample';
const seed = chosenSeed();
const SAMPLES = 6;

const create = freshProjects();

function begin(): Project {
  const project = create();
  const goals = '  - id: one\n    title: The one\n    status: active\n';
  setUpLoop(project, { goals, sessions: { one: [{ write: { 'one.txt': '1\n' } }] }, config: 'max_retries: 9' });
  return project;
}

function run(project: Project, hook: string, plan: Partial<HookPlan>) {
  const env = { ...project.env, [HOOK_PLAN]: JSON.stringify({ trace: null, cut: null, defect: null, ...plan }) };
  const argv = ['--require', hook, BINARY, 'auto', '--dirty', '--trust', readDigest(project)];
  return spawnSync(process.execPath, argv, { cwd: project.root, env, encoding: 'utf8' });
}

/** Runs the next batch, and returns the problems after it. */
function judge(project: Project): string[] {
  const { exit } = runLoop(project, 'auto', '--recursive', '--dirty');
  const attempts = call(project, ['attempt', 'list']).json['attempts'] as { n: number; classification: string }[];
  const goals = readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8');
  return [
    ...(exit === 0 ? [] : [`exit ${exit}`]),
    ...(subjectsOf(project).join() === 'feat(one): The one' ? [] : [`commits: ${subjectsOf(project)}`]),
    ...(goals.includes('status: done') ? [] : ['the status']),
    ...(countSessions(project, 'one') <= attempts.length ? [] : ['a session twice']),
    ...(git(project, 'worktree', 'list').split('\n').length === 1 ? [] : ['a tree is left']),
    ...(existsSync(join(project.root, '.ai/auto.lock')) ? ['the lock is left'] : []),
    ...attempts.filter(({ classification }) => classification === 'unknown').map(({ n }) => `attempt ${n} is lost`),
  ];
}

describe(`an attempt cut at a write (${extent}, seed ${seed})`, () => {
  it('goes on with the next batch', { timeout: 3_600_000 }, () => {
    const first = begin();
    const hook = join(first.home, 'hook.cjs');
    const entryPoints = [join(import.meta.dirname, 'crash/hook.ts')];
    buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: hook, logLevel: 'error' });
    const trace = join(first.home, 'trace.json');
    expect(run(first, hook, { trace }).status).toBe(0);
    const mutations = JSON.parse(readFileSync(trace, 'utf8')) as Mutation[];
    const all = pointsOf(mutations, extent);
    const every = extent === 'sample' ? Math.ceil(all.length / SAMPLES) : 1;
    const problems: string[] = [];
    let killed = 0;
    const cuts = all.filter((_, index) => (index + seed) % every === 0);
    for (const cut of cuts) {
      const project = begin();
      const { signal } = run(project, hook, { cut });
      const { op, path } = mutations[cut.call - 1] as Mutation;
      const place = `${cut.position} ${cut.call} (${op} ${path.replace(first.root, '')})`;
      // The number of polls of processes varies, so a batch may end before the call at which it is to be killed.
      if (signal === 'SIGKILL') killed += 1;
      problems.push(...judge(project).map((problem) => `${place}: ${problem}`));
    }
    expect(problems, `seed ${seed}, ${all.length} points`).toEqual([]);
    expect(killed).toBeGreaterThan(cuts.length / 2);
  });
});
