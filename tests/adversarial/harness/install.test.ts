import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { devCli, devCliAsync, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { BINARY } from '../../support/project.mjs';
import { scratchDirectory } from '../../support/scratch.js';
import { chosenSeed } from '../../support/seeded.js';
import { HOOK_PLAN, type HookPlan, type Mutation, type Position } from '../binary/crash/calls.js';

// harness.md, Install: an install that is cut, or runs beside another one, loses nothing and leaves nothing behind.

/** `npm run prove:install` tries every cut and twenty races. */
const ALL = process.env['DEV_CLI_TEST_ALL_CUTS'] !== undefined;
const RACES = ALL ? 20 : 2;

let before: string[];
useProject();
beforeEach(() => {
  writeProjectFile(project, '.claude/settings.json', '{ // mine\n  "model": "x",\n}\n');
  before = listAll(project.root);
});

/** Lists every directory and every file with its content; in .git, only the files that `install` may write. */
function listAll(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ path }) => !path.startsWith(join(root, '.git/')) || /\/hooks|dev-cli-commits/.test(path))
    .map(
      ({ entry, path }) => `${path.slice(root.length)}: ${entry.isFile() ? readFileSync(path, 'utf8') : 'directory'}`,
    )
    .sort();
}

const around = () => ({ HOME: project.home, XDG_STATE_HOME: '', PATH: '' });
const wordsOf = (line: string) => [...line.split(' '), '--yes', '--json'];
const call = (line: string) => devCli(project, wordsOf(line), { env: around() });
const callBeside = (line: string) => devCliAsync(project, wordsOf(line), { env: around() });

function expectTakenBack(what: string): void {
  const removed = call('uninstall');
  expect(removed.code, `${what}: ${removed.stdout}${removed.stderr}`).toBe(0);
  expect(listAll(project.root), what).toEqual(before);
}

const hook = join(scratchDirectory('install-hook-'), 'hook.cjs');
beforeAll(() => {
  const entryPoints = [join(import.meta.dirname, '../binary/crash/hook.ts')];
  buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: hook, logLevel: 'error' });
});

/** Runs a command with the hook preloaded, which kills the command at the plan's cut. */
function run(words: string, plan: Partial<HookPlan>): number | null {
  const env = {
    ...project.env,
    ...around(),
    [HOOK_PLAN]: JSON.stringify({ trace: null, cut: null, defect: null, ...plan }),
  };
  const { status } = spawnSync(process.execPath, ['--require', hook, BINARY, ...words.split(' '), '--yes'], {
    cwd: project.root,
    env,
  });
  return status;
}

describe('two calls at once', () => {
  it.each([
    ['of two harnesses', 'claude', 'codex'],
    ['of the same', 'claude,gemini', 'claude,gemini'],
  ])('%s: both are installed, and both are taken back', async (what, one, other) => {
    for (let round = 0; round < RACES; round += 1) {
      const both = await Promise.all([one, other].map((harness) => callBeside(`install --harness ${harness}`)));
      expect(both.map(({ code }) => code)).toEqual([0, 0]);
      const { harnesses } = JSON.parse(readFileSync(join(project.root, '.dev/install.json'), 'utf8'));
      expect(Object.keys(harnesses).sort()).toEqual([...new Set(`${one},${other},project`.split(','))].sort());
      expectTakenBack(what);
    }
  });
});

describe('a call that was cut off', () => {
  /** Chooses some of the calls that change something, the first and last ones included, and where to cut each. */
  function chooseCuts(words: string): { call: number; position: Position; title: string }[] {
    const trace = join(project.home, '..', 'trace.json');
    expect(run(words, { trace })).toBe(0);
    const mutations = (JSON.parse(readFileSync(trace, 'utf8')) as Mutation[]).filter(({ path }) => path !== 'stdout');
    expect(mutations.length).toBeGreaterThan(50);
    const step = ALL ? 1 : Math.ceil(mutations.length / 6);
    const first = chosenSeed() % step;
    return mutations.flatMap(({ op, path, inside }, index) => {
      const isEdge = index < 4 || index >= mutations.length - 3;
      if (!isEdge && index % step !== first) return [];
      const position: Position = inside ? 'inside' : index % 2 === 0 ? 'before' : 'after';
      return [{ call: index + 1, position, title: `${words}, ${position} call ${index + 1}: ${op} ${path}` }];
    });
  }

  it('while it installed: another install ends it, and uninstall takes all back', () => {
    const words = 'install --with memory --harness claude,codex';
    const cuts = chooseCuts(words);
    // The manifest lists the directories that its own call created, so it differs after a cut.
    const withoutManifest = () => listAll(project.root).filter((one) => !one.startsWith('/.dev/install.json:'));
    const whole = withoutManifest();
    expectTakenBack(words);
    for (const { call: number, position, title } of cuts) {
      expect(run(words, { cut: { call: number, position } }), title).toBe(null);
      if (number % 2 === 0) {
        expect(call(words).code, title).toBe(0);
        expect(withoutManifest(), title).toEqual(whole);
      }
      expectTakenBack(title);
    }
  }, 600_000);

  it('while it removed one harness of two: nothing of either stays behind', () => {
    const words = 'uninstall --harness codex';
    const both = 'install --with memory --harness claude,codex';
    call(both);
    const cuts = chooseCuts(words);
    expectTakenBack(words);
    for (const { call: number, position, title } of cuts) {
      call(both);
      expect(run(words, { cut: { call: number, position } }), title).toBe(null);
      expectTakenBack(title);
    }
  }, 600_000);
});

it('an upgrade that was cut off before the files is ended by the next, and takes nothing for edited', () => {
  const words = 'install --harness codex';
  call(words);
  const [old, path] = ['name = "of an earlier version"\n', '.codex/agents/dev-cli-worker.toml'];
  const manifestPath = join(project.root, '.dev/install.json');
  const shipped = readFileSync(join(project.root, path), 'utf8');
  writeProjectFile(project, path, old);
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
  manifest.harnesses.codex[path].sha256 = createHash('sha256').update(old).digest('hex');
  writeFileSync(manifestPath, JSON.stringify(manifest));
  const trace = join(project.home, '..', 'trace.json');
  const image = [path, '.dev/install.json'].map((one) => [one, readFileSync(join(project.root, one))] as const);
  expect(run(words, { trace })).toBe(0);
  for (const [one, content] of image) writeProjectFile(project, one, content);
  const mutations = JSON.parse(readFileSync(trace, 'utf8')) as Mutation[];
  const written = mutations.findIndex(({ op, to }) => op === 'rename' && to === manifestPath);
  expect(run(words, { cut: { call: written + 1, position: 'after' } })).toBe(null);
  expect(readFileSync(join(project.root, path), 'utf8')).toBe(old);
  expect(call(words).code).toBe(0);
  expect(readFileSync(join(project.root, path), 'utf8')).toBe(shipped);
  expectTakenBack('upgrade');
});

it('a project that was moved is taken back, too', () => {
  call('install --harness claude');
  const root = `${project.root}-moved`;
  renameSync(project.root, root);
  const removed = spawnSync(process.execPath, [BINARY, 'uninstall', '--yes'], {
    cwd: root,
    env: { ...project.env, ...around() },
  });
  const left = listAll(root);
  renameSync(root, project.root);
  expect(removed.status).toBe(0);
  expect(left).toEqual(before);
});
