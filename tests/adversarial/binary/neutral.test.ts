import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';
import { devCli } from '../../support/cli.js';
import { type Image, readTree, restoreTree } from '../../support/image.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { chosenSeed, numberFrom } from '../../support/seeded.js';
import { HOOK_PLAN, type HookPlan, type Mutation } from './crash/calls.js';
import { type Extent, pointsOf } from './crash/points.js';

// neutral.md, Writing: a command that is killed before, inside or after a file-system call seems to the next caller
// either done or not begun. Nothing is lost when several processes of dev-cli write at once with another tool that
// locks by creating an empty file. DEV_CLI_CRASH=all tries all these points, =states one for each state that can remain
// on the disk; the default is a sample. DEV_CLI_TEST_NEUTRAL_CALLS sets how often each process calls.

const EXTENTS: readonly Extent[] = ['sample', 'states', 'all'];
const extent = EXTENTS.find((each) => each === process.env['DEV_CLI_CRASH']) ?? 'sample';
const seed = chosenSeed();
const SAMPLES = 10;
const CALLS = numberFrom('DEV_CLI_TEST_NEUTRAL_CALLS', 6);

let project: Project;
afterEach(() => project.remove());

const nexus = (name: string, given: object = {}) =>
  devCli(project, ['nexus', 'call', name, '--data', JSON.stringify(given)]);
const words = (name: string, given: object = {}) => ['nexus', 'call', name, '--data', JSON.stringify(given)];

const PLAN = { topic: 'next', issues: ['b'], research_summary: 's' };
const ARCHIVING = { task_close: words('task_close'), plan_start: words('plan_start', PLAN) };
type Name = keyof typeof ARCHIVING;

function begin(): Image {
  project = createProject();
  nexus('task_close');
  nexus('plan_start', { topic: 'first', issues: ['a'], research_summary: 's' });
  nexus('task_add', { title: 't', context: 'c' });
  return readTree(project.root);
}

interface Standing {
  /** How many times the open plan was archived. */
  archived: number;
  plan: string | null;
  tasks: boolean;
}

function look(): Standing {
  const { json } = nexus('history_search', { query: '"first"' });
  const plan = nexus('plan_status').json;
  return {
    archived: Number(json['total']),
    plan: (plan['topic'] as string | undefined) ?? null,
    tasks: nexus('task_list').json['exists'] === true,
  };
}

const BEFORE: Standing = { archived: 0, plan: 'first', tasks: true };
const AFTER: Record<Name, Standing> = {
  task_close: { archived: 1, plan: null, tasks: false },
  plan_start: { archived: 1, plan: 'next', tasks: true },
};

function call(args: readonly string[], hook: string, plan: Partial<HookPlan>) {
  const env = { ...project.env, [HOOK_PLAN]: JSON.stringify({ trace: null, cut: null, defect: null, ...plan }) };
  return spawnSync(process.execPath, ['--require', hook, BINARY, ...args], {
    cwd: project.root,
    env,
    encoding: 'utf8',
  });
}

describe(`a call that archives, cut at a write (${extent}, seed ${seed})`, () => {
  it.each(Object.keys(ARCHIVING) as Name[])('%s is done or not begun', { timeout: 3_600_000 }, (name) => {
    const before = begin();
    const hook = join(project.home, 'hook.cjs');
    const entryPoints = [join(import.meta.dirname, 'crash/hook.ts')];
    buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: hook, logLevel: 'error' });
    const trace = join(project.home, 'trace.json');
    expect(call(ARCHIVING[name], hook, { trace }).status).toBe(0);
    expect(look()).toEqual(AFTER[name]);
    const mutations = JSON.parse(readFileSync(trace, 'utf8')) as Mutation[];
    const all = pointsOf(mutations, extent);
    const every = extent === 'sample' ? Math.ceil(all.length / SAMPLES) : 1;
    const seen = new Set<string>();
    for (const cut of all.filter((_, index) => (index + seed) % every === 0)) {
      restoreTree(project.root, before);
      const { signal, stdout } = call(ARCHIVING[name], hook, { cut });
      const { op, path } = mutations[cut.call - 1] as Mutation;
      const place = `${cut.position} ${cut.call} (${op} ${path.replace(project.root, '')})`;
      expect(signal, place).toBe('SIGKILL');
      const shown = look();
      expect([BEFORE, AFTER[name]], place).toContainEqual(shown);
      if (stdout.endsWith('\n')) expect(shown, place).toEqual(AFTER[name]);
      seen.add(JSON.stringify(shown));
      // The next writer finishes or drops the call that was cut, and removes its leftovers; readers see no change.
      expect(nexus('task_add', { title: 'later', context: 'c' }).code, place).toBe(0);
      expect({ ...look(), tasks: shown.tasks }, place).toEqual(shown);
      const left = [...readTree(join(project.root, '.nexus')).keys()].filter((file) => file.endsWith('closing.json'));
      expect(left, place).toEqual([]);
    }
    expect(seen.size).toBe(2);
  });
});

describe('a call that archives, on a disk that gets full', () => {
  it.each(Object.keys(ARCHIVING) as Name[])('%s fails, and is done or not begun', { timeout: 600_000 }, (name) => {
    const before = begin();
    const hook = join(import.meta.dirname, 'hooks/full-disk.cjs');
    for (let from = 1; ; from++) {
      restoreTree(project.root, before);
      const { status, stdout } = spawnSync(process.execPath, ['--require', hook, BINARY, ...ARCHIVING[name]], {
        ...{ cwd: project.root, env: { ...project.env, TEST_FULL_FROM: String(from) }, encoding: 'utf8' },
      });
      if (status === 99) {
        expect(from).toBeGreaterThan(4);
        break;
      }
      expect([status, JSON.parse(stdout).error?.code], `write ${from}`).toEqual([1, 'IO']);
      const shown = look();
      expect([BEFORE, AFTER[name]], `write ${from}`).toContainEqual(shown);
      expect(nexus('task_add', { title: 'later', context: 'c' }).code).toBe(0);
      expect({ ...look(), tasks: shown.tasks }, `write ${from}`).toEqual(shown);
      const left = [...readTree(join(project.root, '.nexus')).keys()].filter((file) =>
        /closing|lock|json\./.test(file),
      );
      expect(left, `write ${from}`).toEqual([]);
    }
  });
});

/** Another tool: it locks by an empty file, waits for our locks, and adds tasks of its own. */
const FOREIGN = `
const fs = require('node:fs');
const [file, calls] = process.argv.slice(1);
const rest = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
for (let n = 0; n < Number(calls); n++) {
  for (;;) { try { fs.closeSync(fs.openSync(file + '.lock', 'wx')); break; } catch { rest(3); } }
  const found = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : { goal: 'g', decisions: [], tasks: [] };
  const id = 1 + Math.max(0, ...found.tasks.map((task) => task.id));
  found.tasks.push({ id, title: 'foreign ' + n, context: 'c', status: 'pending', deps: [] });
  rest(5);
  fs.writeFileSync(file + '.tmp', JSON.stringify(found));
  fs.renameSync(file + '.tmp', file);
  fs.unlinkSync(file + '.lock');
}`;

describe(`several processes (${CALLS} calls each)`, () => {
  const run = (program: readonly string[], args: readonly string[]): Promise<{ code: number | null; stdout: string }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [...program, ...args], {
        cwd: project.root,
        env: project.env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let stdout = '';
      child.stdout.on('data', (text) => {
        stdout += text;
      });
      child.on('close', (code) => resolve({ code, stdout }));
    });

  async function add(by: string): Promise<string[]> {
    const added: string[] = [];
    for (let n = 0; n < CALLS; n++) {
      const title = `${by} ${n}`;
      const { code } = await run([BINARY], words('task_add', { title, context: 'c' }));
      if (code === 0) added.push(title);
    }
    return added;
  }

  async function close(): Promise<void> {
    for (let n = 0; n < CALLS / 2; n++) await run([BINARY], words('task_close'));
  }

  it('lose no task that was added, give no id twice, and archive none twice', { timeout: 600_000 }, async () => {
    project = createProject();
    mkdirSync(join(project.root, '.nexus/state'), { recursive: true });
    writeFileSync(join(project.root, '.nexus/state/tasks.json'), '{"goal": "g", "decisions": [], "tasks": []}');
    const foreign = run(['-e', FOREIGN], [join(project.root, '.nexus/state/tasks.json'), String(CALLS)]);
    const [one, other] = await Promise.all([add('one'), add('other'), close(), foreign]);
    nexus('task_close');
    const { cycles } = JSON.parse(readFileSync(join(project.root, '.nexus/history.json'), 'utf8')) as {
      cycles: { tasks: { id: number; title: string }[] }[];
    };
    const titles = cycles.flatMap(({ tasks }) => tasks.map(({ title }) => title));
    const wanted = [...one, ...other, ...Array.from({ length: CALLS }, (_, n) => `foreign ${n}`)];
    expect(titles.toSorted()).toEqual(wanted.toSorted());
    for (const { tasks } of cycles) expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
    expect(one.length + other.length).toBe(2 * CALLS);
  });
});
