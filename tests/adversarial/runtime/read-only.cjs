// Preloaded into the binary: nothing below `.dev` can be written, as on a file system mounted read-only.
const fs = /** @type {Record<string, (...args: any[]) => unknown>} */ (/** @type {unknown} */ (require('node:fs')));
const { constants } = require('node:fs');

/** @param {unknown} path */
const isBelow = (path) => /\/\.dev(\/|$)/.test(String(path));

for (const name of ['mkdirSync', 'writeFileSync', 'renameSync', 'linkSync', 'unlinkSync', 'rmSync', 'openSync']) {
  const original = fs[name] ?? (() => undefined);
  fs[name] = (...args) => {
    const opensToRead =
      name === 'openSync' && (args[1] === 'r' || args[1] === undefined || args[1] === constants.O_RDONLY);
    if (!isBelow(args[0]) || opensToRead) return original(...args);
    throw Object.assign(new Error(`EROFS: read-only file system, ${name}`), {
      code: 'EROFS',
      syscall: name,
      path: args[0],
    });
  };
}
