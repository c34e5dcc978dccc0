// Preloaded into the real binary (NODE_OPTIONS=--require): wraps its file-system calls to pause it at a moment
// (DEV_CLI_TEST_PAUSE), slow it down (DEV_CLI_TEST_SLOW, milliseconds), or plant a defect (DEV_CLI_TEST_PLANT). The
// product itself knows nothing of this.
const fs = require('node:fs');

// Without the compile cache, a call ends once it has answered, instead of compiling code for later calls.
process.env.NODE_DISABLE_COMPILE_CACHE = '1';

const { DEV_CLI_TEST_PAUSE: pauseAt, DEV_CLI_TEST_SLOW: slow, DEV_CLI_TEST_PLANT: plant } = process.env;
const { existsSync, linkSync, openSync, readFileSync, readlinkSync, renameSync, unlinkSync, writeFileSync, writeSync } =
  fs;
const isLock = (/** @type {unknown} */ path) => /\/lock$/.test(String(path));
const isJournal = (/** @type {unknown} */ path) => /\/events\.jsonl$/.test(String(path));

/** @param {number} milliseconds */
function wait(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Whether the process has already been paused; it is paused only once. */
let paused = false;
/** @param {string} moment */
function reach(moment) {
  if (moment !== pauseAt || paused) return;
  paused = true;
  process.kill(process.pid, 'SIGSTOP');
}

/**
 * Work that a planted defect delays until the process ends; if the process is killed, the work is never done.
 * @type {(() => void)[]}
 */
const later = [];
process.once('exit', () => {
  if (plant === 'answer-before-commit' && later.length > 0) wait(500);
  for (const work of later) work();
});

/** Descriptors through which the journal is written. */
const journals = new Set();

fs.openSync = (/** @type {any[]} */ ...args) => {
  // The call is about to launch a command when it opens the temporary file from which command.json is made.
  if (/\/command\.json\.[^/]+$/.test(String(args[0]))) reach('before-launch');
  // Hides that a command has begun.
  if (plant === 'start-not-read' && /\/started\.json$/.test(String(args[0]))) {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open', path: args[0] });
  }
  const descriptor = openSync(.../** @type {Parameters<typeof openSync>} */ (args));
  if (isJournal(args[0]) && (Number(args[1]) & fs.constants.O_APPEND) !== 0) journals.add(descriptor);
  else journals.delete(descriptor);
  return descriptor;
};

fs.writeSync = (/** @type {any[]} */ ...args) => {
  const write = () => writeSync(.../** @type {Parameters<typeof writeSync>} */ (args));
  if (!journals.has(args[0])) return write();
  reach('before-commit');
  if (slow !== undefined) wait(Number(slow));
  if (plant === 'answer-before-commit') {
    const [path, bytes] = [fs.readlinkSync(`/proc/self/fd/${args[0]}`), Buffer.from(args[1])];
    later.push(() => fs.appendFileSync(path, bytes));
    return bytes.length;
  }
  const written = write();
  reach('after-commit');
  return written;
};

fs.writeFileSync = (/** @type {any[]} */ ...args) => {
  if (/\/\.dev\/lock\.[^/]+$/.test(String(args[0]))) reach('before-root-lock');
  writeFileSync(.../** @type {Parameters<typeof writeFileSync>} */ (args));
};

fs.linkSync = (from, to) => {
  if (isLock(to) && plant === 'no-lock') {
    if (existsSync(to)) unlinkSync(to);
  }
  if (isLock(to) && plant === 'pid-lock') return takePidLock(String(to));
  linkSync(from, to);
  if (isLock(to)) reach('locked');
  if (/\/runner$/.test(String(to))) reach('claimed');
};

fs.renameSync = (from, to) => {
  const starts = /\/started\.json$/.test(String(to));
  if (starts) reach('before-started');
  renameSync(from, to);
  if (starts) reach('after-started');
};

// Hides that a command was withdrawn.
fs.existsSync = (path) =>
  plant === 'withdrawn-not-read' && /\/withdrawn$/.test(String(path)) ? false : existsSync(path);

// Keeps the process from reading its process namespace, so that it does not notice that it runs in a sandbox's own
// namespace.
fs.readlinkSync = /** @type {any} */ (
  (/** @type {any[]} */ ...args) => {
    if (plant === 'no-namespace' && args[0] === '/proc/self/ns/pid') throw new Error('hidden');
    return readlinkSync(.../** @type {Parameters<typeof readlinkSync>} */ (args));
  }
);

/**
 * Takes the lock as earlier tools did: creates the file exclusively, then writes the pid into it. A lock that is empty
 * or whose pid does not run counts as stale.
 * @param {string} path
 */
function takePidLock(path) {
  for (;;) {
    try {
      const descriptor = openSync(path, 'wx');
      wait(1);
      writeSync(descriptor, String(process.pid));
      fs.closeSync(descriptor);
      later.push(() => fs.rmSync(path, { force: true }));
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      const holder = holderOf(path);
      if (holder === process.pid) return;
      if (holder !== 0 && isRunning(holder)) throw error;
      fs.rmSync(path, { force: true });
    }
  }
}

/** @param {string} path */
function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
