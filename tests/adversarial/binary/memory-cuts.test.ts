import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';
import { readHandoffFile, sortHandoffNames } from '../../../src/documents/handoff-file.js';
import { findRegion } from '../../../src/documents/region.js';
import { openWingStreams } from '../../../src/project/wing-streams.js';
import { bookCodec } from '../../../src/wings/memory/codec.js';
import { HANDOFF_MARKERS } from '../../../src/wings/memory/handoff-region.js';
import { countingIds, steppingClock } from '../../core/store/sample.js';
import { devCli, spawnDevCli } from '../../support/cli.js';
import { QUIET, spawnHook } from '../../support/hooks.js';
import { type Image, readTree, restoreTree } from '../../support/image.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { chosenSeed } from '../../support/seeded.js';
import { HOOK_PLAN, type HookPlan, type Mutation } from './crash/calls.js';
import { type Extent, pointsOf } from './crash/points.js';

// memory.md, Where; Handoff: a command that is killed before, inside or after a file-system call, or that lacks the
// space or permission to write, has recorded everything or nothing. Repeated, it completes or starts over, and nothing
// is lost or doubled. Which record is newest does not depend on the clock. DEV_CLI_CRASH=all tries all these points,
// =states one for each state that can remain on the disk; the default is a sample.

const EXTENTS: readonly Extent[] = ['sample', 'states', 'all'];
const extent = EXTENTS.find((each) => each === process.env['DEV_CLI_CRASH']) ?? 'sample';
const seed = chosenSeed();
const SAMPLES = 8;
const HOOKS = join(import.meta.dirname, 'hooks');

const SAID = ['--session-summary', 'sum', '--first-next-action', 'go', '--decision', 'cut', '--tried', 'dead'];
const COMMANDS = {
  'memory decide': ['memory', 'decide', '--text', 'cut', '--reason', 'why'],
  'handoff write': ['handoff', 'write', ...SAID],
  'transfer --handoff': ['transfer', '--handoff', ...SAID],
};
type Name = keyof typeof COMMANDS;

let project: Project;
afterEach(() => project.remove());

/** Creates a project with an old handoff and a PROJECT_CONTEXT.md, with or without memory's book. */
function begin(hasBook: boolean): Image {
  project = createProject();
  expect(devCli(project, ['handoff', 'write']).code).toBe(0);
  expect(devCli(project, ['transfer', '--handoff']).code).toBe(0);
  const whole = [...readTree(project.root)].map(([path, content]) => [path.replace(NAME, OLD), content] as const);
  return new Map(whole.filter(([path]) => hasBook || !path.startsWith('.dev/')));
}

/** `begin` gives the handoff a name with an old time, so that the name of a new handoff is free in each trial. */
const NAME = /^\.ai\/handoffs\/.*/;
const OLD = '.ai/handoffs/2026-01-01_000000.md';

interface Shown {
  decisions: { text: string }[];
  notes: { text: string }[];
  next: { text: string } | null;
  counts: Record<string, { kept: number }>;
}

const shown = () => devCli(project, ['memory', 'show', '--all']).json as unknown as Shown;
const textsOf = (entries: readonly { text: string }[]) => entries.map(({ text }) => text);

/** Whether a file is a temporary one of a killed process. */
const isLeftover = (path: string) => /\.\d+$/.test(path);

async function faultsOfBook(): Promise<string[]> {
  const about = { root: project.root, directory: 'memory', noun: 'memory', codec: bookCodec };
  const streams = openWingStreams({ ...about, clock: steppingClock(), ids: countingIds() });
  return (await streams.replay('book', {})).differences.map(({ problem }) => problem);
}

/** Returns the problems in the files that other programs read. */
function faultsOfFiles(): string[] {
  const context = readFileSync(join(project.root, 'PROJECT_CONTEXT.md'), 'latin1');
  const tree = readTree(join(project.root, '.ai/handoffs'));
  const names = [...tree.keys()];
  return [
    ...(findRegion(context, HANDOFF_MARKERS).kind === 'found' ? [] : ['the region is not whole']),
    ...sortHandoffNames(names).filter((name) => readHandoffFile(tree.get(name)?.toString('utf8') ?? '') === null),
    ...names.filter((name) => sortHandoffNames([name]).length === 0 && !isLeftover(name)),
  ];
}

/** Repeats the call, and returns the differences from an undisturbed call. */
async function judge(name: Name): Promise<string[]> {
  const { decisions, notes, next, counts } = shown();
  const hands = name !== 'memory decide';
  return [
    ...(await faultsOfBook()),
    ...faultsOfFiles(),
    ...(textsOf(decisions).filter((text) => text === 'cut').length === 1 ? [] : ['the decision is there not once']),
    ...(textsOf(notes).filter((text) => text === 'dead').length === (hands ? 1 : 0) ? [] : ['the note, not once']),
    ...((next?.text ?? null) === (hands ? 'go' : null) ? [] : ['the next action']),
    ...((counts['handoff']?.kept ?? 0) <= 4 ? [] : ['handoffs']),
  ];
}

function call(args: readonly string[], hook: string, plan: Partial<HookPlan>) {
  const env = { ...project.env, [HOOK_PLAN]: JSON.stringify({ trace: null, cut: null, defect: null, ...plan }) };
  return spawnSync(process.execPath, ['--require', hook, BINARY, ...args], {
    cwd: project.root,
    env,
    encoding: 'utf8',
  });
}

describe(`cut at a write (${extent}, seed ${seed})`, () => {
  const stories = (Object.keys(COMMANDS) as Name[]).flatMap((name) => [[name, true] as const, [name, false] as const]);

  it.each(stories)(
    '%s is recorded whole or not at all; there is a book: %s',
    { timeout: 3_600_000 },
    async (name, hasBook) => {
      const before = begin(hasBook);
      const hook = join(project.home, 'hook.cjs');
      const entryPoints = [join(import.meta.dirname, 'crash/hook.ts')];
      buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: hook, logLevel: 'error' });
      const args = COMMANDS[name];
      const trace = join(project.home, 'trace.json');
      restoreTree(project.root, before);
      expect(call(args, hook, { trace }).status).toBe(0);
      const mutations = JSON.parse(readFileSync(trace, 'utf8')) as Mutation[];
      const all = pointsOf(mutations, extent);
      const every = extent === 'sample' ? Math.ceil(all.length / SAMPLES) : 1;
      const problems: string[] = [];
      for (const cut of all.filter((_, index) => (index + seed) % every === 0)) {
        restoreTree(project.root, before);
        const { signal, stdout } = call(args, hook, { cut });
        const { op, path } = mutations[cut.call - 1] as Mutation;
        const place = `${cut.position} ${cut.call} (${op} ${path.replace(project.root, '')})`;
        const recorded = textsOf(shown().decisions).includes('cut');
        const told = [
          ...(signal === 'SIGKILL' ? [] : ['never cut']),
          ...(stdout.endsWith('\n') && !recorded ? ['answered and not recorded'] : []),
          ...faultsOfFiles(),
        ];
        const again = devCli(project, args);
        if (again.code !== 0) told.push(again.stdout);
        problems.push(...[...told, ...(await judge(name))].map((problem) => `${place}: ${problem}`));
      }
      expect(problems, `seed ${seed}`).toEqual([]);
    },
  );

  it('what is there twice, torn or not recorded would be found', async () => {
    const image = begin(true);
    restoreTree(project.root, image);
    expect(await judge('memory decide')).toEqual(['the decision is there not once']);
  });
});

const REFUSED = Object.entries(COMMANDS) as [Name, string[]][];

/** Returns the book and the files, without leftovers of interrupted locks and writes. */
const essence = () =>
  new Map([...readTree(project.root)].filter(([path]) => !/^\.git\/|\/lock|\.tmp$/.test(path) && !isLeftover(path)));

describe('a disk that is full from one write on', () => {
  const full = (from: number) => ({
    NODE_OPTIONS: `--require=${join(HOOKS, 'full-disk.cjs')}`,
    TEST_FULL_FROM: `${from}`,
  });

  it.each(REFUSED)(
    'at a write of %s: refused with the book before, or recorded, and done when there is room',
    { timeout: 240_000 },
    async (name, args) => {
      const before = begin(true);
      const counts = { refused: 0, recorded: 0 };
      for (let from = 1 + (seed % 2); ; from += 2) {
        restoreTree(project.root, before);
        const book = essence();
        const env = { ...project.env, ...full(from) };
        const { root: cwd } = project;
        const { status, stdout } = spawnSync(process.execPath, [BINARY, ...args], { cwd, env, encoding: 'utf8' });
        // Exit 99: the disk never became full.
        if (status === 99) break;
        const { error } = JSON.parse(stdout) as { error?: { code: string; message: string; fix: string } };
        expect([status, error?.code], stdout).toEqual([1, 'IO']);
        expect(error?.fix).toContain('Free some space');
        const isRecorded = error?.message.includes('is recorded') === true;
        counts[isRecorded ? 'recorded' : 'refused'] += 1;
        if (name === 'memory decide' && !isRecorded) expect(essence(), `write ${from}`).toEqual(book);
        expect(faultsOfFiles(), `write ${from}`).toEqual([]);
        expect(devCli(project, args).code).toBe(0);
        expect(await judge(name), `write ${from}`).toEqual([]);
      }
      expect(counts.refused).toBeGreaterThan(1);
    },
  );

  it('keeps no fact, and no session from going on', () => {
    const image = begin(true);
    restoreTree(project.root, image);
    const say = (prompt: string, env = {}) =>
      spawnHook(project, 'user-prompt-submit', 'claude', { session_id: 's', cwd: project.root, prompt }, env);
    expect(say('while it is full', full(1))).toEqual(QUIET);
    expect(say('once there is room')).toEqual(QUIET);
    expect(devCli(project, ['memory', 'show']).json['requests']).toEqual(['once there is room']);
  });
});

const canBecome =
  process.getuid?.() === 0 &&
  spawnSync('setpriv', ['--reuid=65534', '--clear-groups', process.execPath, '-e', '0']).status === 0;

describe.skipIf(!canBecome)(
  `a tree that nobody may write${canBecome ? '' : ' (skipped: nobody here can become another)'}`,
  () => {
    it('is told by each command and left as it is; no hook fails', () => {
      const image = begin(true);
      restoreTree(project.root, image);
      chmodSync(dirname(project.root), 0o755);
      const before = readTree(project.root);
      const asNobody = (args: string[], input = '') =>
        spawnSync('setpriv', ['--reuid=65534', '--clear-groups', process.execPath, BINARY, ...args], {
          ...{ cwd: project.root, env: project.env, encoding: 'utf8', input },
        });
      for (const [, args] of REFUSED) {
        const { status, stdout } = asNobody(args);
        expect(status, stdout).toBe(1);
        expect(JSON.parse(stdout)).toMatchObject({
          error: { code: 'IO', message: expect.stringMatching(/permission denied/) },
        });
      }
      const prompt = JSON.stringify({ session_id: 's', cwd: project.root, prompt: 'hello' });
      expect(asNobody(['hook', 'user-prompt-submit', '--harness', 'claude'], prompt)).toMatchObject({
        status: 0,
        stdout: '',
      });
      // The output shows the handoffs, which can be read, and says that the book is left out.
      expect(asNobody(['context'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/left out/) });
      expect(readTree(project.root)).toEqual(before);
    });
  },
);

describe('a clock that goes back', () => {
  it('between calls and at every look: what was said last counts, and nothing took less than no time', () => {
    project = createProject();
    const at = (hours: number, args: string[]) => {
      const clock = { TEST_CLOCK_SHIFT: `${hours * 3_600_000}`, TEST_CLOCK_BACK: '1' };
      const env = { NODE_OPTIONS: `--require=${join(HOOKS, 'shifted-clock.cjs')}`, ...clock };
      const { code, json, stdout } = spawnDevCli(project, args, { env });
      expect(code, stdout).toBe(0);
      return json as unknown as Shown & { entry?: { result: string }; intent: { text: string } };
    };
    for (const [index, hours] of [48, -24, -480].entries()) at(hours, ['memory', 'decide', '--text', `d${index}`]);
    expect(at(-960, ['memory', 'verify', '--', 'true']).entry?.result).toBe('exit 0 after 0 s');
    const { decisions, intent } = at(-1000, ['memory', 'show']);
    expect([textsOf(decisions), intent.text]).toEqual([['d0', 'd1', 'd2'], 'd2']);
    expect(at(-2000, ['handoff', 'write', '--first-next-action', 'go']).counts).toBeUndefined();
    expect(at(-3000, ['context', '--format', 'json'])).toMatchObject({ task: ['go'] });
  });
});
