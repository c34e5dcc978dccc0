import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { buildSync } from 'esbuild';
import { CHECKOUT, type Project } from '../../../support/project.mjs';

/**
 * The front door in a thread of its own, asked and waited for: a call costs some milliseconds where a process costs a
 * hundred, and the stand-in, who waits for each answer, need not know.
 */
export interface Door {
  /** @param typed what a person at a terminal types; null when an agent calls */
  call(argv: string[], typed: string[] | null): { exit: number; stdout: string; stderr: string };
  close(): Promise<void>;
}

/** What the thread does: one call after the other, each told by a number that changes. */
const THREAD = `
const { workerData } = require('node:worker_threads');
const { front } = require(workerData.door);
const { port, bell, cwd } = workerData;
port.on('message', async ({ argv, typed }) => {
  const terminal = typed !== null;
  const printed = await front(argv, {
    cwd, env: process.env, stdinIsTerminal: terminal, stdoutIsTerminal: terminal,
    interruption: () => new AbortController().signal,
    ask: async () => typed.shift() ?? 'yes',
    write: () => true, screen: () => ({ columns: 80, rows: 24 }),
  });
  port.postMessage(printed);
  Atomics.add(bell, 0, 1);
  Atomics.notify(bell, 0);
});
`;

/** Opens the door on a project, whose environment is that of every call. */
export function openDoor(project: Project): Door {
  const home = packageAround();
  const { port1, port2 } = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(THREAD, {
    eval: true,
    env: project.env,
    workerData: { door: join(home, 'dist/door.cjs'), port: port2, bell, cwd: project.root },
    transferList: [port2],
  });
  let calls = 0;
  return {
    call(argv, typed) {
      port1.postMessage({ argv, typed });
      if (Atomics.wait(bell, 0, calls, 60_000) === 'timed-out') throw new Error(`no answer: ${argv.join(' ')}`);
      calls += 1;
      return answerOf(port1, bell);
    },
    async close() {
      await worker.terminate();
      port1.close();
      rmSync(home, { recursive: true });
    },
  };
}

/** The bell may be heard before the answer is there. */
function answerOf(port: MessagePort, bell: Int32Array): ReturnType<Door['call']> {
  for (let looks = 0; looks < 1_000; looks += 1) {
    const answer = receiveMessageOnPort(port);
    if (answer !== undefined) return answer.message;
    Atomics.wait(bell, 0, Atomics.load(bell, 0), 5);
  }
  throw new Error('The door rang and gave no answer.');
}

/** This package as it is, but for its `dist/`, where the door lies in one file beside the runner. */
function packageAround(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'dev-cli-door-')));
  for (const name of readdirSync(CHECKOUT)) if (name !== 'dist') symlinkSync(join(CHECKOUT, name), join(home, name));
  mkdirSync(join(home, 'dist'));
  symlinkSync(join(CHECKOUT, 'dist/runner.cjs'), join(home, 'dist/runner.cjs'));
  buildSync({
    entryPoints: [join(CHECKOUT, 'src/cli/front.ts')],
    outfile: join(home, 'dist/door.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20.17',
    format: 'cjs',
    external: ['yaml', 'ajv', 'ajv/*'],
    mainFields: ['module', 'main'],
    define: { 'import.meta.dirname': '__dirname' },
    logLevel: 'error',
  });
  writeFileSync(join(home, 'dist/cli.cjs'), `require(${JSON.stringify(join(CHECKOUT, 'dist/cli.cjs'))})`);
  return home;
}
