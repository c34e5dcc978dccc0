import { describe, expect, it } from 'vitest';
import { DevCliError, type ErrorCode } from '../../../src/base/errors.js';
import { toStep } from '../../../src/wings/runtime/drive/driven.js';
import { createFinish } from '../../../src/wings/runtime/drive/finish.js';
import type { ToolScope } from '../../../src/wings/runtime/tools/tool.js';

/** What follows if `finish` is refused: for each error code, whether it is tried again (runtime.md, Driving). */

async function finish(code: ErrorCode, times = 1) {
  const { tool, outcome } = createFinish([], () => Promise.reject(new DevCliError(code, 'Not now.')));
  for (let time = 1; time <= times; time += 1) {
    const plan = await tool.prepare({}, {} as ToolScope);
    if (plan.kind !== 'read') throw new Error(plan.kind);
    await plan.run();
  }
  return outcome();
}

describe('finish', () => {
  it.each<ErrorCode>(['STALE_ACTION', 'NOT_REACHED', 'PHASE_ENDED', 'RUN_ENDED'])(
    'is of no use any more after %s',
    async (code) => {
      expect(await finish(code)).toEqual({ kind: 'stale' });
      expect(toStep(new DevCliError(code, ''))).toEqual({ kind: 'went-on' });
    },
  );

  it.each<ErrorCode>(['LOCKED', 'COMMIT_RUNNING', 'RUN_BUSY', 'IO'])(
    'ends the drive with %s, and is called again by the next: the action is as it was',
    async (code) => {
      await expect(finish(code)).rejects.toMatchObject({ code });
      expect(() => toStep(new DevCliError(code, ''))).toThrow();
    },
  );

  it('of a run that is held ends nothing: the drive says by whom', async () => {
    await expect(finish('RUN_HELD')).rejects.toMatchObject({ code: 'RUN_HELD' });
    expect(toStep(new DevCliError('RUN_HELD', ''))).toEqual({ kind: 'went-on' });
  });

  it('is tried again three times, then the work has failed', async () => {
    expect(await finish('EVIDENCE_INVALID', 3)).toEqual({ kind: 'open', refused: 'Not now.' });
    expect(await finish('EVIDENCE_INVALID', 4)).toEqual({ kind: 'failed', reason: 'refused 4 times: Not now.' });
  });
});
