import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { devCli, imageOf, spawnDevCli, stateOf, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { BINARY } from '../../support/project.mjs';
import { END_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';
import { begin, doAll, hand, making, planOf, RUN } from './executing.js';
import { type Ended, isRunning, pausedAt, startCall } from './victims.js';

/** SIGTERM and SIGHUP act like Ctrl-C: one document, exit 130, nothing half done (protocol.md §1). */

useProject({ sample: null });

/**
 * Milliseconds after which a call is taken to have begun to wait. On a busy machine, where CALLS calls take longer than
 * that, their duration is used instead.
 */
const WAITING = 700;
const CALLS = 6;

async function endedBy(signal: NodeJS.Signals, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const begun = performance.now();
  spawnDevCli(project, ['list']);
  const taken = performance.now() - begun;
  const call = startCall(project, args, env);
  await sleep(Math.max(WAITING, CALLS * taken));
  expect(isRunning(call.pid), `dev-cli ${args.join(' ')} waits`).toBe(true);
  process.kill(call.pid, signal);
  return call.ended;
}

function expectInterrupted({ code, signal, stdout, json }: Ended): void {
  expect([code, signal], stdout).toEqual([130, null]);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(json).toMatchObject({ ok: false, error: { code: 'INTERRUPTED', fix: expect.any(String) } });
}

it('SIGKILL of git while a decision asks it: the call is refused, and nothing is decided without the answer', () => {
  const first = begin(project, planOf(making('todo-1')));
  for (const task of first.tasks) hand(project, task);
  const image = imageOf(project);
  const ack = (first.ack ?? '').split(' ').slice(1);
  const { code, json } = spawnDevCli(project, ack, { env: { PATH: fakeGit('kill -KILL $$') } });
  expect([code, json.error?.code, json.error?.fix]).toEqual([1, 'GIT_FAILED', 'Repeat the same call.']);
  expect(imageOf(project)).toEqual(image);
  expect(devCli(project, ack).code).toBe(0);
});

/** Returns a PATH on which git is a script. */
function fakeGit(script: string): string {
  const bin = join(project.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return `${bin}:${project.env['PATH']}`;
}

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s', (signal) => {
  it('while a command is waited for; the command goes on', async () => {
    const first = begin(project, planOf(making('todo-1', [['sleep', '30']])));
    expect(doAll(project, first, { env: { DEV_CLI_ANSWER_WITHIN: '0' } }).json.next?.action).toBe('running');
    expectInterrupted(await endedBy(signal, ['next', RUN, '--wait', '20']));
    expect(devCli(project, ['next', RUN]).json.action).toBe('running');
    expect(devCli(project, ['abort', RUN, '--reason', 'x']).code).toBe(0);
  });

  it('while a source is read that keeps its reader busy', async () => {
    const image = imageOf(project);
    writeProjectFile(project, 'slow.md', `- [ ] x\n\n${`${'[a]('.repeat(4_500)}\n`.repeat(20)}`);
    expectInterrupted(await endedBy(signal, ['plan', 'import', 'a', 'slow.md']));
    expect(imageOf(project)).toEqual(image);
  });

  it('while results are waited for', async () => {
    const { actionId } = begin(project, planOf(making('todo-1')));
    const image = imageOf(project);
    const args = ['step', 'complete', RUN, '--action', actionId ?? '', '--collect', '--wait', '20'];
    expectInterrupted(await endedBy(signal, args));
    expect(imageOf(project)).toEqual(image);
  });

  it('that ends git as well, while a decision asks it: nothing is decided without its answer', () => {
    const first = begin(project, planOf(making('todo-1')));
    for (const task of first.tasks) hand(project, task);
    const image = imageOf(project);
    const PATH = fakeGit(`kill -${signal.slice(3)} $$`);
    const { code, json } = spawnDevCli(project, (first.ack ?? '').split(' ').slice(1), { env: { PATH } });
    expect([code, json.error?.code]).toEqual([130, 'INTERRUPTED']);
    expect(imageOf(project)).toEqual(image);
  });

  it('while the lock is waited for', async () => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const ack = ['step', 'complete', 'run-1', '--action', 'a1'];
    const holder = await pausedAt(project, 'locked', ack);
    const image = imageOf(project);
    expectInterrupted(await endedBy(signal, ack));
    expect(imageOf(project)).toEqual(image);
    process.kill(holder.pid, 'SIGCONT');
    expect((await holder.ended).code).toBe(0);
  });

  it.each(['locked', 'before-commit', 'after-commit'])(
    'while the lock is held (%s): all of it, or nothing',
    async (at) => {
      startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
      const holder = await pausedAt(project, at, ['step', 'complete', 'run-1', '--action', 'a1']);
      process.kill(holder.pid, signal);
      process.kill(holder.pid, 'SIGCONT');
      const { code, stdout, json } = await holder.ended;
      expect([0, 130], stdout).toContain(code);
      expect(json?.ok, stdout).toBe(code === 0);
      expect(stateOf(project, 'run-1').steps['think']?.status).toBe('done');
      expect(devCli(project, ['next', 'run-1']).json.block).toBe('last');
    },
  );

  it.each([
    ['journal', 'run-1', '--follow'],
    ['status', 'run-1', '--watch', '--json'],
  ])('during a stream (%s): its last line says so', async (...args) => {
    startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const child = spawn(process.execPath, [BINARY, ...args], { cwd: project.root, env: project.env });
    let stdout = '';
    const spoken = new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        resolve();
      });
    });
    await spoken;
    const closed = new Promise((resolve) => child.once('close', (code, by) => resolve([code, by])));
    child.kill(signal);
    expect(await closed, stdout).toEqual([130, null]);
    const last: unknown = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ type: 'end', ok: false, error: { code: 'INTERRUPTED' } });
  });
});
