import childProcess from 'node:child_process';
import fs from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Calls, HookPlan, Mutation } from './calls.js';
import { HOOK_PLAN } from './calls.js';
import { plant } from './defects.js';

// Preloaded into the binary's process (`node --require`). It wraps node:fs, counts and records the calls that change
// something, and kills the process at one of them: before it, inside it, or after it.
process.env['NODE_DISABLE_COMPILE_CACHE'] = '1';

const plan = JSON.parse(process.env[HOOK_PLAN] ?? '{}') as HookPlan;
const table = fs as unknown as Calls;
const promises = fs.promises as unknown as Calls;
/** Node's own functions, unchanged. */
const real: Calls = { ...table };
const realPromises: Calls = { ...promises };
const trace: Mutation[] = [];
/** The open files, by descriptor. */
const open = new Map<unknown, { path: string; directory: boolean }>([
  [1, { path: 'stdout', directory: false }],
  [2, { path: 'stderr', directory: false }],
]);

/** Calls that name their target by one or two paths. They are atomic, so none can be cut inside. */
const BY_PATH = [
  'rename',
  'link',
  'symlink',
  'unlink',
  'rmdir',
  'rm',
  'truncate',
  'chmod',
  'chown',
  'utimes',
  'copyFile',
];
const BY_DESCRIPTOR = ['fsync', 'fdatasync', 'ftruncate', 'fchmod', 'fchown', 'futimes'];
const TWO_PATHS = ['rename', 'link', 'symlink', 'copyFile'];

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Records a call, and kills the process before or inside it if told to; returns whether to kill it after the call. */
function begin(mutation: Mutation, half?: () => void): boolean {
  if (trace.length === 0 && !mutation.path.includes(plan.from ?? '')) return false;
  trace.push(mutation);
  if (plan.cut?.call !== trace.length) return false;
  if (plan.cut.position === 'before') die();
  if (plan.cut.position === 'inside') {
    if (half === undefined) throw new Error(`nothing inside ${mutation.op} ${mutation.path}`);
    half();
    die();
  }
  return true;
}

/** Records a call that changes something, and makes it or cuts it. */
function counted(mutation: Mutation, act: () => unknown, half?: () => void): unknown {
  const last = begin(mutation, half);
  try {
    return act();
  } catch (error) {
    mutation.failed = true;
    throw error;
  } finally {
    if (last) die();
  }
}

function mutation(op: string, path: string, more: Partial<Mutation> = {}): Mutation {
  return { op, path, inside: false, directory: false, failed: false, ...more };
}

function pathOf(value: unknown): string {
  if (typeof value === 'number') return open.get(value)?.path ?? `descriptor ${value}`;
  return resolve(value instanceof URL ? value.pathname : String(value));
}

function mutationOf(op: string, args: unknown[]): Mutation {
  const directory = open.get(args[0])?.directory ?? false;
  return mutation(op, pathOf(args[0]), { directory, ...(TWO_PATHS.includes(op) ? { to: pathOf(args[1]) } : {}) });
}

function opensForWriting(flags: unknown): boolean {
  if (typeof flags !== 'number') return !['r', 'rs', 'sr', undefined].includes(flags as string);
  return (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0;
}

function openMutation(args: unknown[]): Mutation {
  return mutation('open', pathOf(args[0]), { existed: fs.existsSync(pathOf(args[0])) });
}

function remember(descriptor: unknown, path: unknown): void {
  open.set(descriptor, { path: pathOf(path), directory: fs.fstatSync(descriptor as number).isDirectory() });
}

/** Returns the bytes of a write and their position. */
function bytesOf([, data, second, third, fourth]: unknown[]): { bytes: Buffer; at: number | null } {
  if (typeof data === 'string') {
    return { bytes: Buffer.from(data, (third as BufferEncoding) ?? 'utf8'), at: (second as number) ?? null };
  }
  const view = data as NodeJS.ArrayBufferView;
  const all = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  const from = typeof second === 'number' ? second : 0;
  const length = typeof third === 'number' ? third : all.length - from;
  return { bytes: all.subarray(from, from + length), at: (fourth as number) ?? null };
}

function half(descriptor: unknown, { bytes, at }: ReturnType<typeof bytesOf>): () => void {
  return () => {
    const length = Math.floor(bytes.length / 2);
    for (let done = 0; done < length; ) {
      done += fsWrite(descriptor, bytes, done, length - done, at === null ? null : at + done);
    }
  };
}

const fsWrite = real['writeSync'] as (...args: unknown[]) => number;

/** Lists the directories that a mkdir would create, topmost first. */
function missing(path: string, recursive: boolean): string[] {
  const found: string[] = [];
  for (let at = path; !fs.existsSync(at); at = dirname(at)) {
    found.unshift(at);
    if (!recursive) break;
  }
  return found;
}

function isRecursive(options: unknown): boolean {
  return typeof options === 'object' && options !== null && (options as { recursive?: boolean }).recursive === true;
}

const sync: Calls = {
  openSync(...args) {
    const descriptor = opensForWriting(args[1])
      ? counted(openMutation(args), () => real['openSync']?.(...args))
      : real['openSync']?.(...args);
    remember(descriptor, args[0]);
    return descriptor;
  },
  writeSync(...args) {
    const what = bytesOf(args);
    const inside = what.bytes.length > 1;
    return counted({ ...mutationOf('write', args), inside }, () => fsWrite(...args), half(args[0], what));
  },
  mkdirSync(...args) {
    const made = missing(pathOf(args[0]), isRecursive(args[1]));
    if (made.length === 0) return real['mkdirSync']?.(...args);
    const note = mutation('mkdir', pathOf(args[0]), { made, inside: made.length > 1 });
    return counted(
      note,
      () => real['mkdirSync']?.(...args),
      () => real['mkdirSync']?.(made[0]),
    );
  },
  // Each of these two makes several system calls, so each system call is counted and can be cut.
  writeFileSync: (path, data, options) => writeWhole(path, data, options, 'w'),
  appendFileSync: (path, data, options) => writeWhole(path, data, options, 'a'),
};

function writeWhole(path: unknown, data: unknown, options: unknown, flag: string): void {
  const given = typeof options === 'string' ? { encoding: options } : ((options ?? {}) as { [key: string]: unknown });
  const bytes = typeof data === 'string' ? Buffer.from(data, given['encoding'] as BufferEncoding) : (data as Buffer);
  if (typeof path === 'number') {
    writeAll(path, bytes);
    return;
  }
  const descriptor = table['openSync']?.(path, given['flag'] ?? flag, given['mode'] ?? 0o666) as number;
  try {
    writeAll(descriptor, bytes);
    if (given['flush'] === true) table['fsyncSync']?.(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += table['writeSync']?.(descriptor, bytes, done) as number;
}

function watchSync(): void {
  for (const op of [...BY_PATH, ...BY_DESCRIPTOR]) {
    sync[`${op}Sync`] = (...args) => counted(mutationOf(op, args), () => real[`${op}Sync`]?.(...args));
  }
  Object.assign(table, sync);
}

/** Wraps asynchronous calls. They are counted when they are made; a cut after a call happens when it completes. */
function watchLater(): void {
  for (const op of [...BY_PATH, ...BY_DESCRIPTOR, 'mkdir', 'write', 'writeFile', 'appendFile', 'open']) {
    const changes = (args: unknown[]) => op !== 'open' || opensForWriting(args[1]);
    table[op] = (...args) => {
      const done = args.at(-1) as (...results: unknown[]) => void;
      if (!changes(args)) return real[op]?.(...args);
      const last = begin(mutationOf(op, args), laterHalf(op, args));
      return real[op]?.(...args.slice(0, -1), (...results: unknown[]) => {
        if (last) die();
        done(...results);
      });
    };
    if (promises[op] === undefined) continue;
    promises[op] = async (...args) => {
      if (!changes(args)) return realPromises[op]?.(...args);
      const made = mutationOf(op, args);
      const last = begin(made, laterHalf(op, args));
      try {
        const result = await realPromises[op]?.(...args);
        return op === 'open' ? watchedHandle(result as object, pathOf(args[0])) : result;
      } catch (error) {
        made.failed = true;
        throw error;
      } finally {
        if (last) die();
      }
    };
  }
}

function laterHalf(op: string, args: unknown[]): (() => void) | undefined {
  return op === 'write' ? half(args[0], bytesOf(args)) : undefined;
}

function watchedHandle(handle: object, path: string): object {
  const methods = handle as Calls;
  for (const op of ['write', 'writeFile', 'appendFile', 'truncate', 'sync', 'datasync', 'chmod', 'chown', 'utimes']) {
    const method = methods[op]?.bind(handle);
    methods[op] = async (...args) => {
      const last = begin(mutation(op, path));
      const result = await method?.(...args);
      if (last) die();
      return result;
    };
  }
  return handle;
}

/** Wraps calls that start a program and wait for it. A cut inside leaves the program running. */
function watchPrograms(): void {
  const programs = childProcess as unknown as Calls;
  const { execFile } = programs;
  programs['execFile'] = (...args) => {
    const done = args.at(-1) as (...results: unknown[]) => void;
    const note = mutation('execFile', [args[0], ...(args[1] as string[])].join(' '), { inside: true });
    const start = (callback: unknown) => execFile?.(...args.slice(0, -1), callback);
    if (plan.cut?.call === trace.length + 1 && plan.cut.position === 'inside') {
      // Dies a moment later, so that the caller can first pass the program its input.
      setImmediate(die);
      return start(done);
    }
    const last = begin(note);
    return start((...results: unknown[]) => {
      if (last) die();
      done(...results);
    });
  };
}

watchSync();
watchLater();
if (plan.programs === true) watchPrograms();
if (plan.defect !== null) plant(plan.defect, table, real);
if (plan.trace !== null) {
  process.on('exit', () => {
    const descriptor = real['openSync']?.(plan.trace, 'w');
    fsWrite(descriptor, JSON.stringify(trace));
  });
}
