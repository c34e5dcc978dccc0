import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/**
 * The front door (door-entry.ts) in a thread of this process, asked and waited for: a call costs some milliseconds where
 * a process costs a hundred. What is about the process itself (signals, a closed pipe, a real terminal, start-up) takes
 * the real binary; tests/contract/cli/door.test.ts holds the two equal.
 */
export interface DoorCall {
  argv: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Without it standard input is empty. */
  stdin?: string | Buffer | undefined;
  /** What a person at a terminal types; without it an agent calls. */
  typed?: readonly string[] | undefined;
  /** Whether the whole program answers a question, not the one of its own. */
  whole?: boolean;
}

export interface Printed {
  exit: number;
  stdout: string;
  stderr: string;
}

/** What is passed to the thread for a call (door-thread.cjs). */
export interface Message {
  argv: string[];
  cwd: string;
  env: Record<string, string | undefined>;
  /** The file that standard input comes from. */
  input: string | null;
  typed: readonly string[] | null;
  whole: boolean;
}

interface Thread {
  worker: Worker;
  port: MessagePort;
  /** Changes whenever an answer is there. */
  bell: Int32Array;
  /** Where standard input lies. */
  scratch: string;
}

/** As long as a call may take, in milliseconds. */
const PATIENCE = 90_000;

let thread: Thread | null = null;

/** Makes one call and waits for what it prints. */
export function callDoor({ argv, cwd, env, stdin, typed, whole = false }: DoorCall): Printed {
  if ('NODE_OPTIONS' in env) throw new Error('What Node itself is told takes a process: spawnDevCli.');
  thread ??= openThread();
  const { port, bell, scratch } = thread;
  const input = stdin === undefined ? null : join(scratch, 'stdin');
  if (input !== null) writeFileSync(input, stdin ?? '');
  const rung = Atomics.load(bell, 0);
  const message: Message = { argv, cwd: realpathSync(cwd), env: { ...env }, input, typed: typed ?? null, whole };
  port.postMessage(message);
  if (Atomics.wait(bell, 0, rung, PATIENCE) === 'timed-out') {
    void thread.worker.terminate();
    thread = null;
    throw new Error(`no answer: ${argv.join(' ')}`);
  }
  const answer = answerOf(port, bell);
  if ('crash' in answer) throw new Error(`${argv.join(' ')}: ${answer.crash}`);
  return answer;
}

/** The bell may be heard before the answer is there. */
function answerOf(port: MessagePort, bell: Int32Array): Printed | { crash: string } {
  for (let looks = 0; looks < 1_000; looks += 1) {
    const answer = receiveMessageOnPort(port);
    if (answer !== undefined) return answer.message;
    Atomics.wait(bell, 0, Atomics.load(bell, 0), 5);
  }
  throw new Error('The door rang and gave no answer.');
}

/** One for all calls of this process, in which many test files may run. */
function openThread(): Thread {
  const { port1, port2 } = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const scratch = mkdtempSync(join(tmpdir(), 'dev-cli-door-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  const worker = new Worker(fileURLToPath(new URL('door-thread.cjs', import.meta.url)), {
    env: {},
    workerData: { bundle: process.env['DEV_CLI_TESTS_DOOR'], port: port2, bell },
    transferList: [port2],
  });
  worker.unref();
  port1.unref();
  return { worker, port: port1, bell, scratch };
}
