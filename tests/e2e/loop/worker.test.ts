import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { openLeases } from '../../../src/wings/loop/leases.js';
import { LOOP, openLoop } from '../../../src/wings/loop/streams.js';
import { call, git, readDigest, runLoop, type Session, setUpLoop, subjectsOf } from '../../support/loop.js';
import { BINARY, CHECKOUT, createProject, type Project } from '../../support/project.mjs';
import { scratchDirectory } from '../../support/scratch.js';

// loop-operations.md, Queue and Packets: samples/worker.sh as a user would start it, in a path with spaces.

const WORKER = join(CHECKOUT, 'samples/worker.sh');

const projects: Project[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function create(ids: readonly string[], sessions: Record<string, Session[]> = {}, name = 'a b'): Project {
  const project = createProject({ at: join(scratchDirectory('worker-'), name) });
  projects.push(project);
  const goals = ids.map((id) => `  - id: ${id}\n    title: The ${id}\n    status: active\n`).join('');
  setUpLoop(project, { goals, sessions });
  project.env['TMPDIR'] = join(project.home, 'tmp dir');
  mkdirSync(project.env['TMPDIR']);
  return project;
}

const statusesOf = (project: Project): string[] =>
  (call(project, ['queue', 'list']).json as unknown as { claims: { worker_id: string; status: string }[] }).claims.map(
    ({ worker_id: worker, status }) => `${worker} ${status}`,
  );

describe('samples/worker.sh', () => {
  it('works goals off, one after the other; auto puts each on the branch, judged, and leaves nothing behind', () => {
    const project = create(['one', 'two']);
    const line =
      'node -e "JSON.parse(fs.readFileSync(process.env.PACKET))" && echo "$GOAL" >"$GOAL file.txt" && mkdir -p .ai/x && : >.ai/x/y';
    const done = spawnSync('sh', [WORKER, 'w 1', line], { cwd: project.root, env: project.env, encoding: 'utf8' });
    expect([done.status, done.stderr]).toEqual([0, '']);
    expect(statusesOf(project)).toEqual(['w 1 released', 'w 1 released']);
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(readdirSync(project.env['TMPDIR'] ?? '')).toEqual([]);
    const { exit, json } = runLoop(project, 'auto', '--recursive', '--parallel', '2');
    expect([exit, json['sessions'] ?? 0, json.goals_processed.map(({ success }) => success)]).toEqual([
      0,
      0,
      [true, true],
    ]);
    expect(existsSync(`${project.env['LOOP_SCRIPT']}.begun`)).toBe(false);
    expect(subjectsOf(project).sort()).toEqual(['feat(one): The one', 'feat(two): The two']);
    expect(git(project, 'show', 'main:two file.txt')).toBe('two');
  });

  it('ends where nothing was made, and gives the goal back', () => {
    const project = create(['one']);
    const done = spawnSync('sh', [WORKER, 'w1', ':'], { cwd: project.root, env: project.env, encoding: 'utf8' });
    expect([done.status, done.stderr]).toEqual([1, 'w1: nothing was made for one\n']);
    expect(statusesOf(project)).toEqual(['w1 released']);
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('killed in the middle: its goal is free again when its lease is over, and what it hands in late does not count', async () => {
    const project = create(['one']);
    const { root, env } = project;
    const began = join(project.home, 'began');
    const worker = spawn('sh', [WORKER, 'w1', `: >'${began}'; sleep 60`], {
      cwd: root,
      env,
      detached: true,
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => worker.on('exit', resolve));
    while (!existsSync(began)) await sleep(50);
    process.kill(-(worker.pid ?? 0), 'SIGKILL');
    await ended;
    const claim = () => call(project, ['queue', 'claim', '--worker', 'w2']).json as unknown as { claim_id?: string };
    expect(claim().claim_id).toBeUndefined();
    // Opens the same loop as if 31 minutes had passed, so that the lease has expired.
    const ids = { hex: (length: number) => 'f'.repeat(length) };
    const later = openLoop({
      root,
      ids,
      clock: { now: () => Date.now() + 31 * 60_000 },
      caller: { via: 'cli', harness: null } as never,
    });
    await openLeases(later, ids).list();
    const [late] = Object.values((await later.read(LOOP)).leases);
    const packet = JSON.parse(
      readFileSync(join(env['TMPDIR'] ?? '', readdirSync(env['TMPDIR'] ?? '')[0] ?? '', 'export.json'), 'utf8'),
    ).packet;
    const result = {
      schema_version: 'protocol_result.v1',
      adapter: 'other',
      goal_id: 'one',
      success: true,
      packet_id: packet.packet_id,
    };
    const path = join(project.home, 'late.json');
    writeFileSync(path, JSON.stringify({ ...result, claim_id: late?.id }));
    expect(call(project, ['protocol', 'ingest', path]).json.error).toMatchObject({
      code: 'PACKET_REFUSED',
      details: [{ pointer: '/claim_id', problem: 'is not active' }],
    });
    const other = spawnSync('sh', [WORKER, 'w2', 'echo 1 >made'], { cwd: root, env, encoding: 'utf8' });
    expect([other.status, other.stderr]).toEqual([0, '']);
    expect(statusesOf(project).sort()).toEqual(['w1 expired', 'w2 released']);
  });
});

describe('a batch at work', () => {
  it('takes up what is handed in, onto its own branch, and ends after it', async () => {
    const go = 'for n in $(seq 600); do [ -e "$HOME/go" ] && break; sleep 0.1; done';
    const project = create(['slow', 'two'], { slow: [{ run: go, write: { slow: '1' } }] }, 'plain');
    const argv = [BINARY, 'auto', 'slow', '--onto', 'night', '--trust', readDigest(project)];
    const batch = spawn(process.execPath, argv, { cwd: project.root, env: project.env, stdio: 'ignore' });
    const ended = new Promise((resolve) => batch.on('exit', resolve));
    onTestFinished(() => void batch.kill('SIGKILL'));
    while (!existsSync(`${project.env['LOOP_SCRIPT']}.begun`)) await sleep(50);
    const { json } = call(project, ['protocol', 'export', '--adapter', 'other', '--no-write']);
    const { packet_id, goal } = json['packet'] as { packet_id: string; goal: { id: string } };
    const patch = 'diff --git a/two b/two\nnew file mode 100644\n--- /dev/null\n+++ b/two\n@@ -0,0 +1 @@\n+2\n';
    const result = {
      schema_version: 'protocol_result.v1',
      adapter: 'other',
      goal_id: goal.id,
      success: true,
      packet_id,
    };
    writeFileSync(join(project.home, 'result.json'), JSON.stringify({ ...result, patch }));
    expect(call(project, ['protocol', 'ingest', join(project.home, 'result.json')]).json['attempt']).toBe('two#1');
    while (subjectsOf(project, 'night').length === 0) await sleep(100);
    expect(subjectsOf(project, 'night')).toEqual(['feat(two): The two']);
    writeFileSync(join(project.home, 'go'), '');
    expect(await ended).toBe(0);
    expect([subjectsOf(project, 'night').length, subjectsOf(project).length]).toEqual([2, 0]);
  });
});
