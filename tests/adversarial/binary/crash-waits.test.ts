import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { Action } from '../../support/agent.mjs';
import { devCli, journalOf, runDir, stateOf } from '../../support/cli.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { chosenSeed } from '../../support/seeded.js';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { tiny } from '../../support/tiny.js';
import { HOOK_PLAN, type HookPlan, type Mutation } from './crash/calls.js';
import { type Extent, pointsOf } from './crash/points.js';

// storage.md, Proofs: acknowledgements that wait for a command to judge them (an external exit check, or a command with
// `revise`) are killed before, inside and after each call that changes a file. Each round must be judged once, by a
// command that ran once, and no data may be lost.

const EXTENTS: readonly Extent[] = ['sample', 'states', 'all'];
const extent = EXTENTS.find((each) => each === process.env['DEV_CLI_CRASH']) ?? 'sample';
const SAMPLES = 8;
const seed = chosenSeed();
const terminal = findTerminal();

/** A command that records each time it runs, and passes from the second time on. */
const command = (name: string) =>
  `["node", "-e", "const fs = require('node:fs'); fs.appendFileSync('../${name}', 'x'); process.exit(fs.statSync('../${name}').size > 1 ? 0 : 3)"]`;
const BLOCKS = [
  `
  - id: mend
    type: llm-loop
    instruction: Mend.
    schema: any.json
    exitCheck: ${command('checked')}
  - id: test
    type: cli
    command: ${command('tested')}
    revise: mend
`,
];

interface Cut {
  call: number;
  at: NonNullable<HookPlan['cut']>;
}

class Lane {
  readonly project: Project = createProject({ sample: null, prefix: 'dev-cli-waits-' });
  readonly traces: Mutation[][] = [];
  private readonly hook = join(this.project.home, 'hook.cjs');
  private readonly acks: string[][] = [];

  /**
   * Runs the story undisturbed. In the first round the check fails; in the second the check passes and the test fails;
   * in the third, on the same tree, both run again and pass.
   */
  async tell(): Promise<void> {
    const entryPoints = [join(import.meta.dirname, 'crash/hook.ts')];
    buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: this.hook, logLevel: 'error' });
    writeFileSync(join(this.project.root, 'README.md'), '# waits\n');
    const recipe = tiny(this.project, 'waits', BLOCKS);
    writeFileSync(join(this.project.root, '.dev/recipes/any.json'), '{ "type": "object" }');
    const trusted = terminal?.(`dev-cli trust ${recipe}`, {
      cwd: this.project.root,
      env: this.project.env,
      answers: ['y'],
    });
    expect(trusted?.exit, trusted?.output).toBe(0);
    expect(devCli(this.project, ['init', 'run-1', '--recipe', recipe]).code).toBe(0);
    for (let action = this.pending(); action.done !== true; action = this.pending()) {
      this.hand(action);
      this.acks.push((action.ack ?? '').split(' ').slice(1));
      cpSync(join(this.project.root, '..'), this.copy(this.acks.length - 1), { recursive: true });
      const trace = join(this.project.home, 'trace.json');
      await this.start(this.acks.at(-1) ?? [], { trace, cut: null, defect: null });
      this.traces.push(JSON.parse(readFileSync(trace, 'utf8')) as Mutation[]);
    }
    expect(this.faults()).toEqual([]);
  }

  /** Cuts one acknowledgement, continues with what `next` prints, and returns the problems at the end. */
  async try({ call, at }: Cut): Promise<string[]> {
    this.clear(this.project.root);
    for (const name of ['checked', 'tested']) rmSync(join(this.project.root, '..', name), { force: true });
    cpSync(this.copy(call), join(this.project.root, '..'), { recursive: true });
    const signal = await this.start(this.acks[call] ?? [], { trace: null, cut: at, defect: null });
    if (signal !== 'SIGKILL') return ['never cut'];
    for (let calls = 0; calls < 20; calls += 1) {
      const now = this.pending();
      if (now.done === true) return this.faults();
      if (now.action === 'running') continue;
      this.hand(now);
      await this.start((now.ack ?? '').split(' ').slice(1), null);
    }
    return ['it does not come to its end'];
  }

  remove(): void {
    for (const index of this.acks.keys()) rmSync(this.copy(index), { recursive: true, force: true });
    this.project.remove();
  }

  faults(): string[] {
    const { steps, outcome, data } = stateOf(this.project, 'run-1');
    const rounds = journalOf(this.project, 'run-1').filter(({ type }) => type === 'round');
    const ran = (name: string) => readFileSync(join(this.project.root, '..', name), 'utf8').length;
    const found = {
      outcome,
      mend: steps['mend']?.status,
      test: steps['test']?.status,
      rounds: rounds.length,
      checked: ran('checked'),
      tested: ran('tested'),
      data: JSON.stringify(data),
    };
    const wanted = {
      outcome: 'completed',
      mend: 'done',
      test: 'done',
      rounds: 2,
      checked: 3,
      tested: 2,
      data: '{"mend":{"n":1}}',
    };
    return Object.entries(wanted).flatMap(([key, value]) => {
      const is = found[key as keyof typeof found];
      return is === value ? [] : [`${key} is ${is}, not ${value}`];
    });
  }

  private pending(): Action {
    return devCli(this.project, ['next', 'run-1', '--wait', '20']).json as unknown as Action;
  }

  private hand(action: Action): void {
    if (action.data !== undefined) writeFileSync(join(this.project.root, action.data.write), '{ "n": 1 }');
  }

  /** Empties a directory. The run's own directory is kept, because its inode identifies the place of the run. */
  private clear(directory: string): void {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (runDir(this.project, 'run-1').startsWith(path)) this.clear(path);
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

function cutsOf(traces: Mutation[][]): Cut[] {
  const all = traces.flatMap((mutations, call) => pointsOf(mutations, extent).map((at): Cut => ({ call, at })));
  if (extent !== 'sample') return all;
  const step = Math.ceil(all.length / SAMPLES);
  return all.filter((_, index) => (index + seed) % step === 0);
}

const suffix = terminal === null ? ` (skipped: ${NO_TERMINAL})` : '';

describe.skipIf(terminal === null)(`an acknowledgement that a command judges${suffix}`, () => {
  it(`cut at any write goes on as if nothing had been (${extent})`, { timeout: 24 * 3_600_000 }, async () => {
    const lane = new Lane();
    try {
      await lane.tell();
      const cuts = cutsOf(lane.traces);
      const problems: string[] = [];
      for (const cut of cuts) {
        const { path } = (lane.traces[cut.call]?.[cut.at.call - 1] ?? { path: '' }) as { path: string };
        const place = `call ${cut.call}, ${cut.at.position} ${cut.at.call} (${path.replace(lane.project.root, '')})`;
        problems.push(...(await lane.try(cut)).map((problem) => `${place}: ${problem}`));
      }
      console.log(`cut waits: ${cuts.length} cuts, seed ${seed}`);
      expect(problems, `seed ${seed}`).toEqual([]);
      expect(cuts.length).toBeGreaterThan(5);
      // Shows that the test would detect a command that ran once too often.
      appendFileSync(join(lane.project.root, '../checked'), 'x');
      expect(lane.faults()).toEqual(['checked is 4, not 3']);
    } finally {
      lane.remove();
    }
  });
});
