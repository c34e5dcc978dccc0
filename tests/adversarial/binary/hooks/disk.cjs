// Preloaded into the binary: records each call that changes something below a directory, with its data, and fakes the
// boot id, so that the machine seems to have been restarted. Processes that the binary starts are not affected.
const fs = require('node:fs');
const { sep } = require('node:path');

const { closeSync, existsSync, openSync, readFileSync, writeSync } = fs;
const { below = '', trace = '', boot = '' } = JSON.parse(process.env.DEV_CLI_TEST_DISK ?? '{}');
/** @type {object[]} */
const calls = [];
/** @type {Map<number, string>} */
const open = new Map();

/** @param {unknown} path */
const isBelow = (path) => String(path) === below || String(path).startsWith(below + sep);

/**
 * @param {string} op
 * @param {unknown} path
 * @param {object} [more]
 */
function note(op, path, more = {}) {
  if (isBelow(path)) calls.push({ op, path: String(path), ...more });
}

/** @param {Buffer | string} data */
const base64 = (data) => Buffer.from(data).toString('base64');

function watch() {
  fs.readFileSync = /** @type {typeof readFileSync} */ (
    (/** @type {unknown} */ path, /** @type {never[]} */ ...rest) =>
      path === '/proc/sys/kernel/random/boot_id' ? `${boot}\n` : readFileSync(/** @type {string} */ (path), ...rest)
  );
  fs.openSync = (path, flags, mode) => {
    const existed = existsSync(path);
    const descriptor = openSync(path, flags, mode);
    open.set(descriptor, String(path));
    const truncates = typeof flags === 'number' ? (flags & fs.constants.O_TRUNC) !== 0 : String(flags).startsWith('w');
    if (!existed || truncates) note('create', path);
    return descriptor;
  };
  fs.writeSync = /** @type {typeof writeSync} */ (
    (/** @type {number} */ descriptor, /** @type {Buffer} */ data, /** @type {number[]} */ ...rest) => {
      const written = writeSync(descriptor, data, ...rest);
      const [offset = 0] = rest;
      const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data).subarray(offset, offset + written);
      note('write', open.get(descriptor), { data: base64(bytes) });
      return written;
    }
  );
  const table = /** @type {Record<string, (...args: never[]) => unknown>} */ (/** @type {unknown} */ (fs));
  /**
   * @param {string} name
   * @param {(args: unknown[], made: unknown) => void} told
   */
  const after = (name, told) => {
    const real = table[name];
    table[name] = (...args) => {
      const result = real?.(...args);
      told(args, result);
      return result;
    };
  };
  for (const name of ['fsyncSync', 'fdatasyncSync']) after(name, ([fd]) => note('sync', open.get(Number(fd))));
  after('ftruncateSync', ([fd, size]) => note('truncate', open.get(Number(fd)), { size }));
  after('renameSync', ([from, to]) => note('rename', from, { to }));
  after('linkSync', ([from, to]) => note('link', from, { to }));
  for (const name of ['unlinkSync', 'rmSync', 'rmdirSync']) after(name, ([path]) => note('remove', path));
  after('mkdirSync', ([path], made) => note('mkdir', path, { made }));
  after('writeFileSync', ([path, data]) => {
    note('create', path);
    note('write', path, { data: base64(/** @type {string} */ (data)) });
  });
  process.on('exit', () => {
    const descriptor = openSync(trace, 'a');
    writeSync(descriptor, calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
    closeSync(descriptor);
  });
}

if (process.argv[1]?.endsWith('dev-cli.js') || process.argv[1]?.endsWith('/dev-cli')) watch();
