import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runNotification } from '../../../src/work/notification.js';
import { readStartTime, waitUntil } from '../../../src/work/processes.js';
import { scratchDirectory } from '../../support/scratch.js';

const scratch = () => scratchDirectory('notification-');

const run = (script: string, { seconds = 5, signal = new AbortController().signal, cwd = scratch() } = {}) =>
  runNotification({ argv: ['sh', '-c', script, 'sh'], cwd, env: { WHO: 'me' }, signal, seconds });

describe('a notification', () => {
  it.each([
    ['exit 0', null],
    ['test "$WHO" = me', null],
    ['exit 3', 'ended with exit code 3'],
    ['kill -TERM $$', 'was ended by SIGTERM'],
    // A program that prints much is not blocked by a full pipe, because its output is discarded.
    ['head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2', null],
    ['read -r line && exit 1 || exit 0', null],
  ])('%s: %s', async (script, why) => {
    expect(await run(script)).toBe(why);
  });

  it.each([
    ['no-such-program', 'ENOENT'],
    ['/', 'EACCES'],
    ['', 'ERR_INVALID_ARG_VALUE'],
    ['a\u0000b', 'ERR_INVALID_ARG_VALUE'],
  ])('that cannot be started says why: %j', async (program, why) => {
    const { signal } = new AbortController();
    const cwd = scratch();
    const ended = runNotification({ argv: [program], cwd, env: {}, signal, seconds: 1 });
    expect(await ended).toBe(`could not be started (${why})`);
  });

  it.each(['time', 'signal'])('is ended with all that it started, by %s', async (by) => {
    const cwd = scratch();
    const controller = new AbortController();
    const ended = run('sleep 60 & echo $! > pid; wait', {
      cwd,
      seconds: by === 'time' ? 1 : 60,
      signal: controller.signal,
    });
    expect(
      await waitUntil(() => existsSync(join(cwd, 'pid')) && readFileSync(join(cwd, 'pid')).length > 0, 5000, 20),
    ).toBe(true);
    const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
    if (by === 'signal') controller.abort();
    expect(await ended).toBe(by === 'time' ? 'did not end within 1 s' : null);
    expect(await waitUntil(() => readStartTime(pid) === null, 5000, 20)).toBe(true);
  });
});
