import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { temporaryRoot } from '../../core/store/disk.js';

let bundle: string | undefined;

/** Bundles the worker into one file that node runs without a loader. */
function workerBundle(): string {
  if (bundle === undefined) {
    bundle = join(temporaryRoot(), 'worker.cjs');
    const entryPoints = [join(import.meta.dirname, 'worker.ts')];
    buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: bundle, logLevel: 'error' });
  }
  return bundle;
}

/** Starts the worker on a root. */
export function startWorker(root: string, task: string, detail = '', env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [workerBundle(), root, task, detail], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Returns what the worker printed, and how it ended. */
export async function finished(
  worker: ChildProcess,
): Promise<{ code: number | null; signal: string | null; out: string }> {
  let out = '';
  worker.stdout?.on('data', (piece: Buffer) => {
    out += piece.toString();
  });
  const [code, signal] = (await once(worker, 'close')) as [number | null, string | null];
  return { code, signal, out };
}
