import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { devCli, journalOf, stateOf, writeProjectFile } from '../../support/cli.js';
import { type Image, readTree, restoreTree } from '../../support/image.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { chosenSeed } from '../../support/seeded.js';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { PLAIN_BLOCK, tiny } from '../../support/tiny.js';
import { HOOK_PLAN, type HookPlan, type Mutation } from './crash/calls.js';
import { type Extent, pointsOf } from './crash/points.js';
import { BEGIN, faultsOfExecution, prepareExecution, workOn } from './executed.js';
import { type Dispatch, RUN } from './executing.js';
import { replays } from './victims.js';

// control.md, Holding; control.md, Releasing; storage.md, Proofs: `hold` and `release`, called by an agent or by a
// person at a terminal, and the acknowledgements between them are killed before, inside and after each call that
// changes a file, and then repeated. Each hold and release must be recorded once, nothing may begin during a hold, and
// held work must begin once. DEV_CLI_CRASH=all tries all these points, =states one for each state that can remain on
// the disk; the default is a sample.

const EXTENTS: readonly Extent[] = ['sample', 'states', 'all'];
const extent = EXTENTS.find((each) => each === process.env['DEV_CLI_CRASH']) ?? 'sample';
const SAMPLES = 6;
const seed = chosenSeed();
const KILLED = 137;
const terminal = findRealTerminal();

type Cut = NonNullable<HookPlan['cut']>;

/** One command of a story. `collect` acknowledges the pending action. */
type Move = 'hold' | 'release' | 'a person holds' | 'a person releases' | 'collect';

interface Story {
  run: string;
  /** Does everything before the first move. */
  begin(project: Project): void;
  moves: readonly Move[];
  /** Does the agents' work before it is acknowledged. Repeating it changes nothing. */
  work(project: Project, pending: Dispatch): void;
  /** Returns the problems at the end. */
  faults(project: Project): string[];
}

const HOLDS: Partial<Record<Move, string>> = {
  hold: 'held',
  'a person holds': 'held',
  release: 'released',
  'a person releases': 'released',
};

/** Two todos are judged and committed under a hold. A release begins the third todo; a second one lets the run end. */
const EXECUTION: Story = {
  run: RUN,
  begin: (project) => {
    prepareExecution(project, { todos: 2 });
    must(project, BEGIN);
  },
  moves: ['hold', 'collect', 'a person holds', 'a person releases', 'a person holds', 'collect', 'a person releases'],
  work: workOn,
  faults: (project) => faultsOfExecution(project, ['todo-1', 'todo-2', 'todo-3'], { runners: false }),
};

/** A hold keeps a recipe's command from being started; the release lets it start. */
const COMMAND: Story = {
  run: 'run-1',
  begin: (project) => {
    const command = `["node", "-e", "require('node:fs').appendFileSync('../effects', 'x')"]`;
    const recipe = tiny(project, 'kept', [PLAIN_BLOCK, `\n  - id: once\n    type: cli\n    command: ${command}\n`]);
    const { root: cwd, env } = project;
    expect(terminal?.(`dev-cli trust ${recipe}`, { cwd, env, answers: ['y'] }).exit).toBe(0);
    must(project, ['init', 'run-1', '--recipe', recipe]);
  },
  moves: ['hold', 'collect', 'release'],
  work: () => undefined,
  faults: (project) => {
    const ran = readFileSync(join(project.root, '../effects'), 'utf8');
    const { outcome } = stateOf(project, 'run-1');
    return [
      ...(ran === 'x' ? [] : [`the command ran ${ran.length} times`]),
      ...(outcome === 'completed' ? [] : [`it ended as ${outcome}`]),
      ...(replays(project, 'run-1') ? [] : ['the journal does not replay']),
    ];
  },
};

function must(project: Project, words: string[]): void {
  const { code, stdout } = devCli(project, words);
  expect(code, stdout).toBe(0);
}

/** A project that can be reset to its state before any move, so that this move can be killed. */
class Lane {
  readonly project: Project = createProject({ sample: null, prefix: 'dev-cli-hold-' });
  readonly traces: Mutation[][] = [];
  private readonly hook = join(this.project.home, 'hook.cjs');
  private readonly effects = join(this.project.root, '../effects');
  private readonly images: { tree: Image; effects: string | null }[] = [];

  constructor(private readonly story: Story) {
    const entryPoints = [join(import.meta.dirname, 'crash/hook.ts')];
    buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: this.hook, logLevel: 'error' });
    writeProjectFile(this.project, 'README.md', '# held\n');
    story.begin(this.project);
  }

  /** Runs the story undisturbed. */
  tell(): void {
    for (const move of this.story.moves) {
      this.settle();
      this.work();
      const effects = existsSync(this.effects) ? readFileSync(this.effects, 'utf8') : null;
      this.images.push({ tree: readTree(this.project.root), effects });
      const trace = join(this.project.home, 'trace.json');
      const { exit, output } = this.make(move, { trace });
      expect(exit, `${move}: ${output}`).toBe(0);
      this.traces.push(JSON.parse(readFileSync(trace, 'utf8')) as Mutation[]);
    }
    this.settle();
  }

  /** Cuts one move, repeats it, continues to the end, and returns the problems found there. */
  try(at: number, cut: Cut): string[] {
    const { tree, effects } = this.images[at] ?? { tree: new Map(), effects: null };
    restoreTree(this.project.root, tree);
    if (effects === null) rmSync(this.effects, { force: true });
    else writeFileSync(this.effects, effects);
    const ack = this.ack();
    const [first, ...later] = this.story.moves.slice(at) as [Move, ...Move[]];
    const { exit, output } = this.make(first, { cut });
    if (exit !== KILLED) return [`never cut: ${exit} ${output}`];
    for (const [index, move] of [first, ...later].entries()) {
      const again = this.make(move, null, index === 0 ? ack : undefined);
      if (again.exit !== 0) return [`${move}: exit ${again.exit}: ${again.output}`];
      this.settle();
      this.work();
    }
    return this.faults();
  }

  faults(): string[] {
    const { project, story } = this;
    const types = journalOf(project, story.run).map(({ type }) => String(type));
    const wanted = story.moves.flatMap((move) => HOLDS[move] ?? []).join(' ');
    const told = types.filter((type) => type === 'held' || type === 'released').join(' ');
    const begun = types.flatMap((type, index) => {
      if (type !== 'dispatched') return [];
      const last = types.slice(0, index).findLast((one) => one === 'held' || one === 'released');
      return last === 'held' ? [`${type} under a hold`] : [];
    });
    return [...(told === wanted ? [] : [`${told} instead of ${wanted}`]), ...begun, ...story.faults(project)];
  }

  beginOnceMore(): void {
    appendFileSync(this.effects, this.story === EXECUTION ? 'todo-1\n' : 'x');
  }

  private pending(): Dispatch {
    return devCli(this.project, ['next', this.story.run]).json as unknown as Dispatch;
  }

  /** Waits until dev-cli's own work has ended. */
  private settle(): void {
    for (let calls = 0; calls < 100; calls += 1) {
      const now = this.pending() as Dispatch & { poll?: string };
      if (now.action !== 'running' && now.poll === undefined) return;
      spawnSync('sleep', ['0.1']);
    }
    throw new Error('a job does not come to its end');
  }

  private work(): void {
    const now = this.pending();
    if (now.done !== true)
      this.story.work(this.project, { ...now, tasks: now.tasks ?? [], running: now.running ?? [] });
  }

  private make(move: Move, plan: Partial<HookPlan> | null, ack?: string): { exit: number; output: string } {
    const { root: cwd, env: own } = this.project;
    const hook = plan === null ? [] : ['--require', this.hook];
    const whole: HookPlan = { trace: null, cut: null, defect: null, ...plan };
    const env = { ...own, [HOOK_PLAN]: JSON.stringify(whole) };
    const words = this.wordsOf(move, ack);
    if (move.startsWith('a person')) {
      const line = [process.execPath, ...hook, BINARY, ...words].map((word) => `'${word}'`).join(' ');
      const answers = move === 'a person releases' ? ['yes'] : [];
      return terminal?.(line, { cwd, env, answers }) ?? { exit: -1, output: NO_TERMINAL };
    }
    const { status, signal, stdout, stderr } = spawnSync(process.execPath, [...hook, BINARY, ...words], {
      cwd,
      env,
      encoding: 'utf8',
    });
    return { exit: signal === 'SIGKILL' ? KILLED : (status ?? -1), output: stdout + stderr };
  }

  /** Returns the acknowledgement of the pending action. A held run shows the whole action under `pending`. */
  private ack(): string | undefined {
    const now = this.pending() as Dispatch & { pending?: Dispatch };
    return now.ack ?? now.pending?.ack;
  }

  private wordsOf(move: Move, ack = this.ack()): string[] {
    if (move === 'collect' && ack === undefined) throw new Error('nothing to acknowledge');
    if (move === 'collect') return (ack ?? '').split(' ').slice(1);
    return [HOLDS[move] === 'held' ? 'hold' : 'release', this.story.run];
  }
}

/** Chooses a sample of the cuts; different seeds choose different cuts. */
function choose(lane: Lane, project: Project): { at: number; cut: Cut; place: string }[] {
  const all = lane.traces.flatMap((mutations, at) =>
    pointsOf(mutations, extent).map((cut) => {
      const { op, path } = mutations[cut.call - 1] as Mutation;
      return { at, cut, place: `${cut.position} ${cut.call} (${op} ${path.replace(project.root, '')})` };
    }),
  );
  if (extent !== 'sample') return all;
  const step = Math.max(1, Math.ceil(all.length / SAMPLES));
  return all.filter((_, index) => (index + seed) % step === 0);
}

const suffix = terminal === null ? ` (skipped: ${NO_TERMINAL})` : '';

describe.skipIf(terminal === null)(`a hold that is cut${suffix}`, () => {
  it.each([
    ['an execution', EXECUTION],
    ['a command of a recipe', COMMAND],
  ])(`at any write holds and releases %s once (${extent})`, { timeout: 24 * 3_600_000 }, (_, story) => {
    const lane = new Lane(story);
    try {
      lane.tell();
      expect(lane.faults()).toEqual([]);
      const cuts = choose(lane, lane.project);
      const problems = cuts.flatMap(({ at, cut, place }) =>
        lane.try(at, cut).map((problem) => `${at}, ${story.moves[at]}, ${place}: ${problem}`),
      );
      console.log(
        `cut holds: ${cuts.length} cuts, ${lane.traces.map(({ length }) => length).join(' + ')} writes, seed ${seed}`,
      );
      expect(problems, `seed ${seed}`).toEqual([]);
      expect(cuts.length).toBeGreaterThan(4);
      // Shows that the test would detect work that begins twice.
      lane.beginOnceMore();
      expect(lane.faults()).toHaveLength(1);
    } finally {
      lane.project.remove();
    }
  });
});
