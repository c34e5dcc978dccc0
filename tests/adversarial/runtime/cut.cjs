// Preloaded into the binary: kills a driver at its n-th write to a journal (DEV_CLI_TEST_CUT, from 1), before, inside
// or after the write (DEV_CLI_TEST_CUT_AT). If the driver ends by itself, records the number of writes in the file that
// DEV_CLI_TEST_COUNT names.
const fs = require('node:fs');

process.env.NODE_DISABLE_COMPILE_CACHE = '1';

const { DEV_CLI_TEST_CUT: cut, DEV_CLI_TEST_CUT_AT: at, DEV_CLI_TEST_COUNT: count } = process.env;
const { openSync, writeSync } = fs;
const journals = new Set();
let writes = 0;

/** @returns {never} */
function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

// Acts only in a driver, because processes that a driver starts also preload this module.
if (process.argv.includes('drive') || process.argv.includes('prompt')) {
  fs.openSync = (/** @type {any[]} */ ...args) => {
    const descriptor = openSync(.../** @type {Parameters<typeof openSync>} */ (args));
    const isJournal = /\/events\.jsonl$/.test(String(args[0])) && (Number(args[1]) & fs.constants.O_APPEND) !== 0;
    journals[isJournal ? 'add' : 'delete'](descriptor);
    return descriptor;
  };
  fs.writeSync = (/** @type {any[]} */ ...args) => {
    const given = /** @type {Parameters<typeof writeSync>} */ (args);
    if (!journals.has(args[0])) return writeSync(...given);
    writes += 1;
    if (String(writes) !== cut) return writeSync(...given);
    if (at === 'inside') writeSync(args[0], args[1], 0, args[1].length >> 1);
    if (at === 'behind') writeSync(...given);
    return die();
  };
  process.on('exit', () => {
    if (count !== undefined) fs.writeFileSync(count, String(writes));
  });
}
