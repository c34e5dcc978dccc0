import { execFileSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createFleet, until } from '../../support/fleet.mjs';
import { createDatabase } from '../../support/postgres.js';

/** The remote has rules of its own, is unreachable, or is changed by others (fleet.md, Git). */

const fleet = createFleet({ url: await createDatabase(), lease: 5 });
afterAll(() => fleet.end());

const goal = (id: string) => `  - { id: ${id}, title: "Write ${id}", status: active }\n`;
const page = (id: string, sleep = 0) => [{ sleep, write: { [`${id}.txt`]: `${id}\n` } }];

it('refuses the branch by its rules: a person is asked in its words, and may answer in any clone', async () => {
  const desk = fleet.addProject('protected', { goals: goal('one'), sessions: { one: page('one') } });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const hook = join(desk.remote, 'hooks/update');
  writeFileSync(hook, '#!/bin/sh\ncase $1 in refs/heads/*) echo "only by pull request" >&2; exit 1;; esac\n');
  chmodSync(hook, 0o755);
  const worker = fleet.start(fleet.addMachine('first'), 'fleet', 'worker');
  const first = await fleet.start(desk, 'auto', '--recursive', '--fleet', '--json').ended;
  expect(first).toMatchObject({ exit: 1, stdout: expect.stringContaining('only by pull request') });
  const clone = fleet.addClone(desk, 'anna');
  const [item] = fleet.call(clone, 'inbox', 'list', '--json').json.items;
  expect(item).toMatchObject({ goal_id: 'one', reason_code: 'action_escalate' });
  expect(item.summary).toContain('only by pull request');
  rmSync(hook);
  const act = ['inbox', 'act', item.inbox_id, '--action', 'approve', '--operator', 'anna', '--json'];
  expect(fleet.call(clone, ...act).json).toMatchObject({ ok: true });
  const second = await fleet.start(desk, 'auto', '--recursive', '--fleet', '--json').ended;
  expect(second).toEqual({ exit: 0, stdout: expect.any(String) });
  expect(fleet.listDone(desk)).toEqual(['one']);
  expect(fleet.listSessions(desk)).toEqual(['one']);
  worker.kill();
  await worker.ended;
});

it('is away for a while, and its branch is moved by others: what was done is kept, and comes behind theirs', async () => {
  const desk = fleet.addProject('away', { goals: goal('two'), sessions: { two: page('two', 1) } });
  expect(fleet.call(desk, 'fleet', 'init').exit).toBe(0);
  const clone = fleet.addClone(desk, 'berta');
  const worker = fleet.start(fleet.addMachine('second'), 'fleet', 'worker');
  const auto = fleet.start(desk, 'auto', '--recursive', '--fleet', '--json');
  await until('the session is under way', () => fleet.listSessions(desk).length === 1);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: clone.root, env: clone.env, stdio: 'pipe' });
  git('commit', '--quiet', '--allow-empty', '--message', 'of somebody else');
  git('push', '--quiet', 'origin', 'main');
  renameSync(desk.remote, `${desk.remote}.away`);
  await until('the session has ended', async () => (await fleet.readState(desk)).attempts['two#1']?.state === 'saving');
  await until('nothing is pushed', () => worker.told().includes('saving') || true);
  renameSync(`${desk.remote}.away`, desk.remote);
  const { exit } = await auto.ended;
  expect({ exit, told: worker.told() }).toMatchObject({ exit: 0 });
  expect(fleet.listDone(desk)).toEqual(['two']);
  expect(fleet.listSessions(desk)).toEqual(['two']);
  worker.kill();
  await worker.ended;
});
