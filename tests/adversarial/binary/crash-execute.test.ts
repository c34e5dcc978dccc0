import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { runDir } from '../../support/cli.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { chosenSeed } from '../../support/seeded.js';
import { HOOK_PLAN, type HookPlan, type Mutation } from './crash/calls.js';
import { type Extent, pointsOf } from './crash/points.js';
import { BEGIN, faultsOfExecution, pending, prepareExecution, workOn } from './executed.js';
import { type Dispatch, RUN } from './executing.js';

// storage.md, Proofs: every command of an execution, from the plan to the last commit, is killed before, inside and
// after each call that changes a file; the agent then continues with the action that `next` prints. Every todo must be
// done in its first attempt, judged once and committed once. DEV_CLI_CRASH=all tries all these points, =states one for
// each state that can remain on the disk; the default is a sample.

const EXTENTS: readonly Extent[] = ['sample', 'states', 'all'];
const extent = EXTENTS.find((each) => each === process.env['DEV_CLI_CRASH']) ?? 'sample';
const SAMPLES = 8;
const seed = chosenSeed();

interface Cut {
  /** Which call of the execution to kill, counted from 0. */
  call: number;
  at: NonNullable<HookPlan['cut']>;
}

/** A project that can be reset to its state before any call of the execution, so that this call can be killed. */
class Lane {
  readonly project: Project = createProject({ sample: null, prefix: 'dev-cli-execute-' });
  readonly todos = prepareExecution(this.project);
  readonly traces: Mutation[][] = [];
  private readonly hook = join(this.project.home, 'hook.cjs');
  private readonly actions: Dispatch[] = [];

  /** Runs the story undisturbed: init, then one acknowledgement for each wave. */
  async tell(): Promise<void> {
    const entryPoints = [join(import.meta.dirname, 'crash/hook.ts')];
    buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: this.hook, logLevel: 'error' });
    for (let action = {} as Dispatch; action.done !== true; action = pending(this.project)) {
      if (action.action === 'engine-dispatch') workOn(this.project, action);
      this.actions.push(action);
      cpSync(join(this.project.root, '..'), this.copy(this.actions.length - 1), { recursive: true });
      const trace = join(this.project.home, 'trace.json');
      await this.start(argsOf(action), { trace, cut: null, defect: null });
      this.traces.push(JSON.parse(readFileSync(trace, 'utf8')) as Mutation[]);
    }
  }

  /**
   * Kills one call, continues like an agent that does not know that the call was killed, and returns the problems at
   * the end.
   */
  async try({ call, at }: Cut): Promise<string[]> {
    const { root } = this.project;
    this.clear(root);
    rmSync(join(root, '../effects'), { force: true });
    cpSync(this.copy(call), join(root, '..'), { recursive: true });
    const action = this.actions[call] as Dispatch;
    if ((await this.start(argsOf(action), { trace: null, cut: at, defect: null })) !== 'SIGKILL') return ['never cut'];
    for (let calls = 0; calls < 20; calls += 1) {
      const now = call === 0 && calls === 0 ? ({} as Dispatch) : pending(this.project);
      if (now.done === true) return faultsOfExecution(this.project, this.todos, { runners: false });
      if (now.action === 'engine-dispatch') workOn(this.project, now);
      if (now.action !== 'running') await this.start(argsOf(now), null);
    }
    return ['it does not come to its end'];
  }

  remove(): void {
    for (const index of this.actions.keys()) rmSync(this.copy(index), { recursive: true, force: true });
    this.project.remove();
  }

  /** Empties a directory. The run's own directory is kept, because its inode identifies the place of the run. */
  private clear(directory: string): void {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (runDir(this.project, RUN).startsWith(path)) this.clear(path);
      else rmSync(path, { recursive: true });
    }
  }

  private copy(call: number): string {
    return `${join(this.project.root, '..')}-${call}`;
  }

  private start(args: string[], plan: HookPlan | null): Promise<NodeJS.Signals | null> {
    const hook = plan === null ? [] : ['--require', this.hook];
    const child = spawn(process.execPath, [...hook, BINARY, ...args], {
      cwd: this.project.root,
      env: { ...this.project.env, [HOOK_PLAN]: JSON.stringify(plan) },
      stdio: 'ignore',
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (_code, signal) => resolve(signal));
    });
  }
}

function argsOf(action: Dispatch): string[] {
  return action.ack === undefined ? BEGIN : action.ack.split(' ').slice(1);
}

function cutsOf(traces: Mutation[][]): Cut[] {
  const all = traces.flatMap((mutations, call) => pointsOf(mutations, extent).map((at): Cut => ({ call, at })));
  if (extent !== 'sample') return all;
  // Different seeds choose different cuts, so many seeds together cover all cuts.
  const step = Math.ceil(all.length / SAMPLES);
  return all.filter((_, index) => (index + seed) % step === 0);
}

describe('an execution that is cut', () => {
  it(`at any write goes on as if nothing had been (${extent})`, { timeout: 24 * 3_600_000 }, async () => {
    const lanes = [new Lane(), new Lane()];
    try {
      await Promise.all(lanes.map((lane) => lane.tell()));
      const [first] = lanes as [Lane, Lane];
      const cuts = cutsOf(first.traces);
      const problems: string[] = [];
      let taken = 0;
      const work = async (lane: Lane): Promise<void> => {
        for (let n = taken++; n < cuts.length; n = taken++) {
          const cut = cuts[n] as Cut;
          const { path } = (lane.traces[cut.call]?.[cut.at.call - 1] ?? { path: '' }) as { path: string };
          const place = `call ${cut.call}, ${cut.at.position} ${cut.at.call} (${path.replace(lane.project.root, '')})`;
          problems.push(...(await lane.try(cut)).map((problem) => `${place}: ${problem}`));
        }
      };
      await Promise.all(lanes.map(work));
      const writes = first.traces.map(({ length }) => length).join(' + ');
      console.log(`cut executions: ${cuts.length} cuts in ${writes} writes, seed ${seed}`);
      expect(problems, `seed ${seed}`).toEqual([]);
      expect(cuts.length).toBeGreaterThan(5);
    } finally {
      for (const lane of lanes) lane.remove();
    }
  });
});
