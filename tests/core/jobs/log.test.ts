import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Log } from '../../../src/jobs/log.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'log-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function written(chunks: Uint8Array[], limit: number): { log: Log; kept: Buffer } {
  const path = join(directory, 'log');
  const log = new Log(path, limit);
  for (const chunk of chunks) log.add(Buffer.from(chunk));
  log.close();
  return { log, kept: readFileSync(path) };
}

describe('the log of a command', () => {
  it('keeps all of an output within the bound, and of a longer one both ends, however it arrives', () => {
    const half = 8;
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 12 }), (chunks) => {
        const all = Buffer.concat(chunks);
        const { log, kept } = written(chunks, 2 * half);
        expect(log.bytes).toBe(all.length);
        expect(log.failure).toBeUndefined();
        if (all.length <= 2 * half) {
          expect(kept).toEqual(all);
        } else {
          const mark = Buffer.from(`\n[dev-cli: ${all.length - 2 * half} bytes of output were cut out here]\n`);
          expect(kept).toEqual(Buffer.concat([all.subarray(0, half), mark, all.subarray(-half)]));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is neither written through a link nor into a pipe that was put in its place; the bytes are counted all the same', () => {
    symlinkSync('elsewhere', join(directory, 'log'));
    const linked = new Log(join(directory, 'log'));
    linked.add(Buffer.from('abc'));
    linked.close();
    expect(linked).toMatchObject({ bytes: 3, failure: expect.stringContaining('ELOOP') });
    expect(readdirSync(directory)).toEqual(['log']);
    execFileSync('mkfifo', [join(directory, 'pipe')]);
    expect(new Log(join(directory, 'pipe')).failure).toContain('ENXIO');
  });
});
