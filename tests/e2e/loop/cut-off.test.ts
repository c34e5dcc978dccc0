import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshProjects } from '../../support/fresh.js';
import { call, countSessions, git, readDigest, runLoop, setUpLoop, subjectsOf } from '../../support/loop.js';
import { BINARY, type Project } from '../../support/project.mjs';

const create = freshProjects();

const GOAL = '  - id: one\n    title: The one\n    status: active\n';

/** Starts a batch in a separate process. */
function begin(project: Project, ...args: string[]) {
  const argv = [BINARY, 'auto', '--recursive', '--trust', readDigest(project), '--json', ...args];
  const child = spawn(process.execPath, argv, {
    cwd: project.root,
    env: project.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const ended = new Promise<{ code: number | null; said: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, said })),
  );
  return { child, ended };
}

async function until(holds: () => boolean): Promise<void> {
  for (let left = 600; !holds(); left -= 1) {
    if (left === 0) throw new Error('it never came');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const isBegun = (project: Project): boolean => existsSync(`${project.env['LOOP_SCRIPT']}.begun`);

describe('a batch that is cut off (loop-core.md, auto)', () => {
  it('a session outlives a killed auto, and the next one adopts it', async () => {
    const project = create();
    setUpLoop(project, { goals: GOAL, sessions: { one: [{ sleep: 3, write: { 'one.txt': '1\n' } }] } });
    const { child, ended } = begin(project);
    await until(() => isBegun(project));
    child.kill('SIGKILL');
    await ended;
    const { exit, json } = runLoop(project, 'auto', '--recursive');
    expect(json.goals_processed).toMatchObject([{ id: 'one', success: true }]);
    expect(exit).toBe(0);
    expect(countSessions(project, 'one')).toBe(1);
    expect(subjectsOf(project)).toEqual(['feat(one): The one']);
  });

  it('Ctrl-C ends the session, keeps its work and counts nothing', async () => {
    const project = create();
    setUpLoop(project, {
      goals: GOAL,
      sessions: { one: [{ write: { 'half.txt': 'half\n' }, run: 'sleep 60' }, { write: { 'one.txt': '1\n' } }] },
    });
    const { child, ended } = begin(project);
    await until(() => isBegun(project));
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGINT');
    const { code, said } = await ended;
    expect(code).toBe(130);
    expect(JSON.parse(said)).toMatchObject({
      exit_code: 130,
      goals_processed: [
        { id: 'one', classification: 'interrupted', action_taken: 'retry', ref: 'refs/dev-cli/attempts/one/1' },
      ],
    });
    expect(git(project, 'show', 'refs/dev-cli/attempts/one/1:half.txt')).toBe('half');
    expect(call(project, ['attempt', 'show', 'one#1']).json).toMatchObject({
      verdict: { classification: 'interrupted' },
    });
    expect(runLoop(project, 'auto').json.goals_processed).toMatchObject([{ id: 'one', success: true, attempts: 2 }]);
  });

  it('of two at once one begins, and the other is told so', async () => {
    const project = create();
    setUpLoop(project, { goals: GOAL, sessions: { one: [{ sleep: 2, write: { 'one.txt': '1\n' } }] } });
    const first = begin(project);
    await until(() => isBegun(project));
    expect(JSON.parse(readFileSync(join(project.root, '.ai/auto.lock'), 'utf8'))).toMatchObject({
      base_commit: git(project, 'rev-parse', 'HEAD'),
    });
    expect(runLoop(project, 'auto', '--recursive').json.error).toMatchObject({ code: 'LOCKED' });
    expect((await first.ended).code).toBe(0);
    expect(countSessions(project, 'one')).toBe(1);
  });
});
