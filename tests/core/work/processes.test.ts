import { afterEach, describe, expect, it, vi } from 'vitest';
import { childProcess, executeFileNow } from '../../../src/work/processes.js';

const options = { cwd: '/', env: process.env, timeoutSeconds: 20, maxBuffer: 1024 };
const failure = (code: string) => Object.assign(new Error(`spawnSync git ${code}`), { code });

afterEach(() => vi.restoreAllMocks());

/** Makes Node report this result for every program that is run. */
function plant(reported: object): void {
  const nothing = { pid: 1, output: [], stdout: Buffer.from('out'), stderr: Buffer.alloc(0), signal: null };
  vi.spyOn(childProcess(), 'spawnSync').mockReturnValue({ ...nothing, ...reported } as never);
}

describe('executeFileNow', () => {
  it('a program that ended by itself is judged by its exit code, though a sandbox forbade to close a pipe to it', () => {
    plant({ status: 0, error: failure('EPERM') });
    expect(executeFileNow('git', [], options)).toMatchObject({ error: null, stdout: Buffer.from('out') });
    plant({ status: 3, error: failure('EPERM') });
    expect(executeFileNow('git', [], options)).toMatchObject({ error: { code: 3, killed: false } });
  });

  it('one that could not be started has failed by that', () => {
    plant({ status: null, stdout: null, stderr: null, error: failure('EPERM') });
    expect(executeFileNow('git', [], options)).toMatchObject({ error: { code: 'EPERM' }, stdout: Buffer.alloc(0) });
  });

  it('one that was ended for its time or its output has failed, even where it then says that all is well', () => {
    plant({ status: 0, error: failure('ETIMEDOUT') });
    expect(executeFileNow('git', [], options)).toMatchObject({ error: { killed: true } });
    plant({ status: 0, error: failure('ENOBUFS') });
    expect(executeFileNow('git', [], options)).toMatchObject({ error: { code: 'ENOBUFS' } });
  });

  it('reads nothing and never waits to be written to', () => {
    const { error, stdout } = executeFileNow('cat', [], options);
    expect([error, stdout.length]).toEqual([null, 0]);
  });
});
