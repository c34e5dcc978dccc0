import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { computeInWorker } from '../../../src/jobs/aside.js';

// plans-from-elsewhere.md, plan import: a computation that takes too long is given up, and a signal ends the call while
// it computes.

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dev-cli-aside-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function writeProgram(body: string): string {
  const path = join(directory, 'program.cjs');
  writeFileSync(path, `const { parentPort, workerData } = require('node:worker_threads');\n${body}\n`);
  return path;
}

const NEVER = new AbortController().signal;
const LIMITS = { signal: NEVER, processorMs: 60_000 };
const BUSY = 'for (;;);';

it('answers with what the program makes of what it is given', async () => {
  const program = writeProgram('parentPort.postMessage({ twice: workerData.once * 2 });');
  expect(await computeInWorker(program, { once: 21 }, LIMITS)).toEqual({ twice: 42 });
});

it('gives up what takes more time than it may', async () => {
  expect(await computeInWorker(writeProgram(BUSY), null, { signal: NEVER, processorMs: 200 })).toBeNull();
});

it('hears a signal while the program is busy', async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  const busy = computeInWorker(writeProgram(BUSY), null, { ...LIMITS, signal: controller.signal });
  await expect(busy).rejects.toMatchObject({ code: 'INTERRUPTED' });
});

it('fails as the program fails', async () => {
  await expect(computeInWorker(writeProgram("throw new RangeError('no')"), null, LIMITS)).rejects.toThrow('no');
  await expect(computeInWorker(writeProgram('process.exit(0)'), null, LIMITS)).rejects.toThrow('gave no answer');
});
