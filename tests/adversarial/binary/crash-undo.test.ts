import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { devCli, journalOf, nextOf, runPrinted, writeProjectFile } from '../../support/cli.js';
import { type Image, readTree, restoreTree } from '../../support/image.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { chosenSeed } from '../../support/seeded.js';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { HOOK_PLAN, type HookPlan, type Mutation } from './crash/calls.js';
import { type Extent, pointsOf } from './crash/points.js';
import { begin, type Dispatch, document, engineOf, git, hand, making, planOf, RUN, worker } from './executing.js';
import { replays } from './victims.js';

// control.md, Undoing; storage.md, Proofs: a person's `step undo` is killed before, inside and after each call that
// changes a file, and before, during and after each git process that it starts; then the person repeats it. The commits
// must be reverted once, the run must record the undo once, and the work tree, the index and the user's own changes
// must be the same as after an uninterrupted call. DEV_CLI_CRASH=all tries all these points, =states one for each state
// that can remain on the disk; the default is a sample.

const EXTENTS: readonly Extent[] = ['sample', 'states', 'all'];
const extent = EXTENTS.find((each) => each === process.env['DEV_CLI_CRASH']) ?? 'sample';
const SAMPLES = 4;
const seed = chosenSeed();
const KILLED = 137;
const terminal = findRealTerminal();

type Cut = NonNullable<HookPlan['cut']>;

const PLAN = planOf(
  making('todo-1'),
  making('todo-2', [['true']], { dependsOn: ['todo-1'], files: ['made/**'] }),
  making('todo-3', [['true']], { dependsOn: ['todo-2'] }),
);

/** The state that must be the same as after an uninterrupted call. */
interface End {
  /** Files outside `.dev` and `.git`, by path. */
  files: Record<string, string>;
  index: string;
  status: string;
  /** The trees of HEAD and its ancestors. */
  history: string[];
  /** The trailers of commits that revert something. */
  undone: string[];
  /** The todos of the journal's `undone` entries. */
  recorded: unknown[];
  todos: Record<string, string>;
  boxes: string[];
  next: unknown;
}

/**
 * A project in which two todos are committed, the second based on the first, and a third is handed out. The user has
 * changes of every kind.
 */
class Scene {
  readonly project: Project = createProject({ sample: null, prefix: 'dev-cli-undo-' });
  readonly before: Image;
  private readonly hook = join(this.project.home, 'hook.cjs');

  constructor() {
    const entryPoints = [join(import.meta.dirname, 'crash/hook.ts')];
    buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: this.hook, logLevel: 'error' });
    writeProjectFile(this.project, 'theirs.txt', 'as it was\n');
    writeProjectFile(this.project, 'made/deep/gone.txt', 'there\n');
    git(this.project, 'add', 'theirs.txt', 'made');
    git(this.project, 'commit', '--quiet', '--message', 'theirs');
    const second = this.work(begin(this.project, PLAN), { 'made/todo-1.txt': 'one\n', 'made/todo-1.bin': '\0\u0001' });
    rmSync(join(this.project.root, 'made/deep'), { recursive: true });
    const made = { 'made/todo-1.txt': 'one, and more\n', 'made/todo-2.txt': 'two\n' };
    this.work(second, made, ['made/deep/gone.txt']);
    writeProjectFile(this.project, 'staged.txt', 'staged');
    git(this.project, 'add', 'staged.txt');
    writeProjectFile(this.project, 'theirs.txt', 'changed\n');
    writeProjectFile(this.project, 'made/untracked.txt', 'untracked');
    this.before = readTree(this.project.root);
  }

  private work(dispatch: Dispatch, files: Record<string, string>, gone: string[] = []): Dispatch {
    for (const [path, text] of Object.entries(files)) writeProjectFile(this.project, path, text);
    const task = dispatch.tasks[0];
    if (task === undefined) throw new Error('no task');
    hand(this.project, task, worker({ filesChanged: [...Object.keys(files), ...gone] }));
    return nextOf(runPrinted(this.project, dispatch.ack ?? '').json) as Dispatch;
  }

  /** Runs `step undo` at a terminal, as a person who answers yes. */
  undo(plan: Partial<HookPlan> | null): { exit: number; output: string } {
    const whole: HookPlan = { trace: null, cut: null, defect: null, programs: true, ...plan };
    const hook = plan === null ? '' : `--require '${this.hook}'`;
    const command = `'${process.execPath}' ${hook} '${BINARY}' step undo ${RUN} --todo todo-1 --with-dependents`;
    const env = { ...this.project.env, [HOOK_PLAN]: JSON.stringify(whole) };
    const told = terminal?.(command, { cwd: this.project.root, env, answers: ['yes'] });
    return told ?? { exit: -1, output: '' };
  }

  /** Records the calls of an undisturbed undo. */
  trace(): Mutation[] {
    const trace = join(this.project.home, 'trace.json');
    const { exit, output } = this.undo({ trace });
    if (exit !== 0) throw new Error(output);
    return JSON.parse(readFileSync(trace, 'utf8')) as Mutation[];
  }

  restore(): void {
    restoreTree(this.project.root, this.before);
  }

  end(): End {
    const { project } = this;
    const files = [...readTree(project.root)].filter(([path]) => !/^\.(dev|git)\//.test(path));
    return {
      files: Object.fromEntries(files.map(([path, content]) => [path, content.toString('latin1')])),
      index: git(project, 'ls-files', '--stage'),
      status: git(project, 'status', '--porcelain', '--', ':(exclude).dev'),
      history: git(project, 'log', '--format=%T').trim().split('\n'),
      undone: git(project, 'log', '--format=%(trailers:key=Dev-Cli-Undo,valueonly)').split('\n').filter(Boolean),
      recorded: journalOf(project, RUN).flatMap(({ type, data }) =>
        type === 'undone' ? [(data as { todos: string[] }).todos] : [],
      ),
      todos: Object.fromEntries(
        Object.entries(engineOf(project).todos).map(([id, row]) => [id, `${row.status} ${row.commit ?? ''}`]),
      ),
      boxes: document(project, 'PLAN.md').match(/^### \[[ x]\] todo-\d/gm) ?? [],
      next: (devCli(project, ['next', RUN]).json as unknown as Dispatch).tasks.map(({ todoId, attempt }) => [
        todoId,
        attempt,
      ]),
    };
  }

  /** Cuts a call, repeats the command, and returns the differences from an undisturbed call. */
  try(cut: Cut, wanted: End): string[] {
    this.restore();
    const first = this.undo({ cut });
    if (first.exit !== KILLED) return [`never cut: ${first.exit} ${first.output}`];
    let again = this.undo(null);
    // If the killed call had started a git process, that process continues and holds the lock of the index until it
    // ends.
    for (let tries = 0; tries < 20 && again.exit !== 0 && isBusy(again.output); tries += 1) again = this.undo(null);
    // A git process that a signal ends between creating a lock file and noting it leaves the file behind; its message,
    // which the call passes on, tells the person to remove it.
    const left = /'([^']+\.lock)':\s+File exists/.exec(again.output)?.[1];
    if (again.exit !== 0 && left !== undefined && again.output.includes('remove the file manually')) {
      rmSync(left);
      again = this.undo(null);
    }
    if (again.exit !== 0) return [`the same again: exit ${again.exit}: ${again.output}`];
    return this.judge(wanted);
  }

  judge(wanted: End): string[] {
    const found = this.end();
    return [
      ...Object.keys(wanted).flatMap((part) => {
        const [is, was] = [found, wanted].map((end) => JSON.stringify(end[part as keyof End]));
        return is === was ? [] : [`${part}: ${is} instead of ${was}`];
      }),
      ...(replays(this.project, RUN) ? [] : ['the journal does not replay']),
      ...(existsSync(join(this.project.root, '.git/index.lock')) ? ['the index is locked'] : []),
    ];
  }
}

function isBusy(output: string): boolean {
  return /another git process|\.lock/i.test(output);
}

/** Calls that put files in place, move HEAD, or write the run's entry; these are always cut. */
const DECIDING = /\/made\/| restore | update-ref |events\.jsonl/;

function choose(mutations: Mutation[]): Cut[] {
  const all = pointsOf(mutations, extent);
  if (extent !== 'sample') return all;
  const isDeciding = ({ call }: Cut) => DECIDING.test(mutations[call - 1]?.path ?? '');
  const others = all.filter((cut) => !isDeciding(cut));
  const step = Math.ceil(others.length / SAMPLES);
  return [...all.filter(isDeciding), ...others.filter((_, index) => (index + seed) % step === 0)];
}

describe.skipIf(terminal === null)(
  `an undo that is cut${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
  () => {
    it(`at any write and any git takes back once what was meant, and nothing else (${extent})`, {
      timeout: 24 * 3_600_000,
    }, () => {
      const scene = new Scene();
      try {
        const mutations = scene.trace();
        const wanted = scene.end();
        expect(wanted).toMatchObject({ recorded: [['todo-1', 'todo-2']], next: [['todo-1', 2]] });
        const cuts = choose(mutations);
        const problems = cuts.flatMap((cut) => {
          const { op, path } = mutations[cut.call - 1] as Mutation;
          const place = `${cut.position} ${cut.call} (${op} ${path.replace(scene.project.root, '')})`;
          return scene.try(cut, wanted).map((problem) => `${place}: ${problem}`);
        });
        const programs = mutations.filter(({ op }) => op === 'execFile').length;
        console.log(`cut undos: ${cuts.length} cuts, ${mutations.length} calls, ${programs} of them git, seed ${seed}`);
        expect(problems, `seed ${seed}`).toEqual([]);
        expect(cuts.length).toBeGreaterThan(5);
      } finally {
        scene.project.remove();
      }
    });

    it('that takes back twice, or something else, would be found', () => {
      const scene = new Scene();
      try {
        expect(scene.undo(null).exit).toBe(0);
        const wanted = scene.end();
        expect(scene.judge(wanted)).toEqual([]);
        const trailers = wanted.undone.map((key) => `Dev-Cli-Undo: ${key}`).join('\n');
        git(scene.project, 'commit', '--quiet', '--allow-empty', '--only', '--message', `Revert\n\n${trailers}`);
        writeProjectFile(scene.project, 'theirs.txt', 'as it was\n');
        git(scene.project, 'reset', '--quiet', 'staged.txt');
        const problems = scene.judge(wanted).map((problem) => problem.split(':')[0]);
        expect(problems).toEqual(['files', 'index', 'status', 'history', 'undone']);
      } finally {
        scene.project.remove();
      }
    });
  },
);
