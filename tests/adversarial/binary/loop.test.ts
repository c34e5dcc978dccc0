import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshProjects } from '../../support/fresh.js';
import { countSessions, git, readDigest, runLoop, setUpLoop, write } from '../../support/loop.js';
import { BINARY, type Project } from '../../support/project.mjs';
import { chosenSeed, seeded } from '../../support/seeded.js';

// loop-core.md, auto: `auto` is killed at any moment, while the user works in the same tree. No attempt, commit or
// session may be lost or doubled, and the user's work must stay untouched. DEV_CLI_TEST_LOOP_KILLS sets the number of
// kills (`npm run prove:loop`: 200), DEV_CLI_TEST_LOOP_RACES how often two batches begin at once.

const KILLS = Number(process.env['DEV_CLI_TEST_LOOP_KILLS'] ?? 4);
const RACES = Number(process.env['DEV_CLI_TEST_LOOP_RACES'] ?? 2);
/** How many batches in a row are killed before one may run to its end. */
const KILLS_A_NIGHT = 4;
/** The latest kill within a batch, in milliseconds. */
const LATEST = 3_000;

const create = freshProjects();
const IDS = ['one', 'two', 'three'];
const GOALS = IDS.map((id) => `  - id: ${id}\n    title: The ${id}\n    status: active\n`).join('');

const random = seeded(chosenSeed());

function begin(project: Project, digest: string): { child: ChildProcess; ended: Promise<void> } {
  const argv = [BINARY, 'auto', '--recursive', '--dirty', '--parallel', '2', '--trust', digest];
  const child = spawn(process.execPath, argv, { cwd: project.root, env: project.env, stdio: 'ignore' });
  return { child, ended: new Promise((resolve) => child.on('close', () => resolve())) };
}

/** Plays one night: `auto` is killed several times, then completes, while a user commits, stages and adds files. */
async function play(kills: number): Promise<void> {
  const project = create();
  write(project, '.gitignore', '*.local\n');
  const failing = [{ write: { broken: '' } }, { sleep: 0.3, write: { 'three.txt': '3\n' } }];
  setUpLoop(project, {
    goals: GOALS,
    sessions: {
      one: [{ sleep: 0.5, write: { 'one.txt': '1\n' } }],
      two: [{ sleep: 0.2, write: { 'two.txt': '2\n' }, run: 'git add two.txt && git commit -qm own' }],
      three: failing,
    },
    config: 'max_retries: 50',
  });
  const digest = readDigest(project);
  const users: Record<string, string> = {};
  for (let kill = 1; kill <= kills; kill += 1) {
    const { child, ended } = begin(project, digest);
    await new Promise((resolve) => setTimeout(resolve, random.unit() * LATEST));
    const [staged, left, ignored] = [`staged-${kill}`, `left-${kill}`, `kept-${kill}.local`];
    for (const path of [staged, left, ignored]) {
      users[path] = `${path}\n`;
      write(project, path, users[path] ?? '');
    }
    execFileSync('sh', ['-c', `until git add ${staged} 2>/dev/null; do sleep 0.1; done`], { cwd: project.root });
    child.kill('SIGKILL');
    await ended;
  }
  expect(runLoop(project, 'auto', '--recursive', '--dirty', '--parallel', '2').exit).toBe(0);

  const goals = git(project, 'log', '--format=%(trailers:key=Dev-Cli-Goal,valueonly)').split('\n').filter(Boolean);
  expect(goals.sort()).toEqual([...IDS].sort());
  for (const id of IDS) {
    expect(readFileSync(join(project.root, `${id}.txt`), 'utf8')).toBe(`${IDS.indexOf(id) + 1}\n`);
    const records = join(project.root, '.dev/loop/attempts', id);
    const attempts = readdirSync(records);
    // Each attempt has its verdict, and no session was begun twice.
    for (const n of attempts) expect(existsSync(join(records, n, 'verdict.json')), `${id}#${n}`).toBe(true);
    const begun = attempts.filter((n) => existsSync(join(records, n, 'session-1/exit.json')));
    expect(countSessions(project, id), id).toBeLessThanOrEqual(attempts.length);
    expect(countSessions(project, id), id).toBeGreaterThanOrEqual(begun.length);
  }
  for (const [path, content] of Object.entries(users))
    expect(readFileSync(join(project.root, path), 'utf8')).toBe(content);
  const status = git(project, 'status', '--porcelain', '--', '.', ':!.ai').split('\n');
  expect(status.filter((line) => !/^(A {2}staged|\?\? left)-\d+$/.test(line))).toEqual([]);
  expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(existsSync(join(project.root, '.ai/auto.lock'))).toBe(false);
}

describe('killed at any moment (loop-core.md, auto)', () => {
  it(`${KILLS} kills`, { timeout: 120_000 + KILLS * 20_000 }, async () => {
    for (let left = KILLS; left > 0; left -= KILLS_A_NIGHT) await play(Math.min(left, KILLS_A_NIGHT));
  });
});

describe('two at once (loop-core.md, auto)', () => {
  it(`${RACES} rounds: one works, the other is told so`, { timeout: 60_000 + RACES * 20_000 }, async () => {
    const ids = Array.from({ length: RACES }, (_, index) => `g${index}`);
    const project = create();
    setUpLoop(project, {
      goals: ids.map((id) => `  - id: ${id}\n    title: ${id}\n    status: active\n`).join(''),
      sessions: Object.fromEntries(ids.map((id) => [id, [{ sleep: 0.2, write: { [id]: '' } }]])),
    });
    const digest = readDigest(project);
    for (const id of ids) {
      const argv = [BINARY, 'auto', id, '--dirty', '--trust', digest];
      const options = { cwd: project.root, env: project.env, stdio: 'ignore' } as const;
      const calls = [1, 2].map(() => spawn(process.execPath, argv, options));
      const exits = await Promise.all(
        calls.map((child) => new Promise<number | null>((resolve) => child.on('close', resolve))),
      );
      expect(exits).toContain(0);
      // Exit 3 or 4 means refused, because of the lock or because the goal is already done.
      for (const exit of exits) expect([0, 3, 4]).toContain(exit);
      expect(countSessions(project, id)).toBe(1);
    }
    const goals = git(project, 'log', '--format=%(trailers:key=Dev-Cli-Goal,valueonly)').split('\n').filter(Boolean);
    expect(goals.sort()).toEqual([...ids].sort());
  });
});
