import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reserveNumber } from '../../../src/wings/loop/begin.js';
import { openRefs } from '../../../src/wings/loop/refs.js';
import { scratchDirectory } from '../../support/scratch.js';

/** How an attempt's number is reserved by writing a reference (loop-core.md, auto). */

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];

/** Opens a repository that refuses the first few writes of a reference. */
function openRepository(refusals: number) {
  const top = scratchDirectory('reserve-');
  const git = (...args: string[]) => execFileSync('git', [...IDENTITY, ...args], { cwd: top, encoding: 'utf8' }).trim();
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const counter = join(top, '.git/refusals');
  writeFileSync(counter, `${refusals}\n`);
  const hook = [
    '#!/bin/sh',
    '[ "$1" = prepared ] || exit 0',
    `read -r left <"${counter}"`,
    '[ "$left" -gt 0 ] || exit 0',
    `echo $((left - 1)) >"${counter}"`,
    'exit 1',
  ];
  writeFileSync(join(top, '.git/hooks/reference-transaction'), `${hook.join('\n')}\n`, { mode: 0o755 });
  return { top, base: git('rev-parse', 'HEAD'), git: { env: process.env } };
}

describe('a number', () => {
  it('is asked for again where the reference was taken and given back meanwhile', async () => {
    const { top, base, git } = openRepository(2);
    expect(await reserveNumber({ refs: openRefs(top, git) }, 'g', { last: 3, base })).toBe(4);
  });

  it('that can never be written down is told as such', async () => {
    const { top, base, git } = openRepository(99);
    await expect(reserveNumber({ refs: openRefs(top, git) }, 'g', { last: 3, base })).rejects.toMatchObject({
      code: 'GIT_FAILED',
    });
  });
});
