import { execFileSync, spawn } from 'node:child_process';
import { constants, openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratchDirectory } from './scratch.js';

/**
 * A call of the front door (door-entry.ts), which runs in a long-lived process: a call takes a few milliseconds, where
 * a process of its own would take a hundred. Tests about the process itself (signals, a closed pipe, a real terminal,
 * start-up) use the real binary; tests/contract/cli/door.test.ts checks that door and binary behave alike.
 *
 * The door is not a thread of the test's process, because that process is large: each program that a call starts would
 * be forked from it.
 */
export interface DoorCall {
  argv: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** If absent, standard input is empty. */
  stdin?: string | Buffer | undefined;
  /** The lines that a person types at a terminal; absent if an agent makes the call. */
  typed?: readonly string[] | undefined;
  /** Whether the whole program answers a question instead of the question's small program. */
  whole?: boolean;
}

export interface Printed {
  exit: number;
  stdout: string;
  stderr: string;
}

/** A call in the form that door-process.cjs takes. */
export interface Request {
  argv: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The file that standard input is read from. */
  input: string | null;
  typed: readonly string[] | null;
  whole: boolean;
}

export type Reply = Printed | { crash: string } | { ready: true };

interface Door {
  requests: number;
  answers: number;
  /** The directory of the file for standard input. */
  scratch: string;
}

/**
 * Returns checks that need much of the program. They are bundled with the door, since every process of tests would take
 * seconds to import their sources one by one.
 */
export function loadChecks(): typeof import('./door-entry.js').checks {
  return load(process.env['DEV_CLI_TESTS_DOOR'] ?? '').checks;
}

const load = createRequire(import.meta.url);

/** The longest that a call may take, in milliseconds. */
const PATIENCE = 90_000;

/** The one door for all calls from this process, which may run many test files. */
let door: Door | null = null;

/** Makes one call and waits for its output. */
export function callDoor({ argv, cwd, env, stdin, typed, whole = false }: DoorCall): Printed {
  if ('NODE_OPTIONS' in env) throw new Error('What Node itself is told takes a process: spawnDevCli.');
  door ??= openDoor();
  const input = stdin === undefined ? null : join(door.scratch, 'stdin');
  if (input !== null) writeFileSync(input, stdin ?? '');
  const request: Request = { argv, cwd, env, input, typed: typed ?? null, whole };
  const bytes = Buffer.from(`${JSON.stringify(request)}\n`);
  for (let written = 0; written < bytes.length; ) written += writeSync(door.requests, bytes, written);
  const reply = replyOf(door.answers);
  if ('exit' in reply) {
    loadChecks().requireDeclared(argv, reply);
    return reply;
  }
  throw new Error(`${argv.join(' ')}: ${JSON.stringify(reply)}`);
}

function openDoor(): Door {
  const scratch = scratchDirectory('door-');
  const [requests, answers] = ['requests', 'answers'].map((name) => join(scratch, name)) as [string, string];
  execFileSync('mkfifo', [requests, answers]);
  const program = fileURLToPath(new URL('door-process.cjs', import.meta.url));
  const bundle = process.env['DEV_CLI_TESTS_DOOR'] ?? '';
  spawn(process.execPath, [program, bundle, requests, answers], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'inherit', 'inherit'],
  }).unref();
  const opened: Door = {
    answers: openSync(answers, constants.O_RDONLY | constants.O_NONBLOCK),
    requests: openSync(requests, constants.O_RDWR),
    scratch,
  };
  replyOf(opened.answers);
  return opened;
}

/** Polls for the reply, because a blocking read could not time out. */
function replyOf(answers: number): Reply {
  const chunk = Buffer.allocUnsafe(64 * 1024);
  const chunks: Buffer[] = [];
  for (const until = performance.now() + PATIENCE; performance.now() < until; ) {
    const length = readSome(answers, chunk);
    if (length === 0) pause(1);
    else chunks.push(Buffer.from(chunk.subarray(0, length)));
    if (length > 0 && chunk[length - 1] === 0x0a) return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  }
  door = null;
  throw new Error('The front door does not answer.');
}

/** Returns how many bytes it has read; 0 if nothing has arrived yet. */
function readSome(descriptor: number, chunk: Buffer): number {
  try {
    return readSync(descriptor, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
