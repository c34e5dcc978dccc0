// Preloaded with `node --require`: on exit, writes down what a process has loaded (tests/contract/cli/loaded.test.ts).
const fs = require('node:fs');
const { builtinModules } = require('node:module');

/** @returns {string[]} every module of Node that was loaded, public or not; the list is not in the types */
function loadedByNode() {
  return Reflect.get(process, 'moduleLoadList');
}

const atStart = new Set(loadedByNode());
// What is run from compiled code is read, too, and is in no list of Node's (src/cli/compiled.ts).
const { readFileSync } = fs;
const files = new Set();
Object.assign(fs, {
  /** @param {Parameters<typeof readFileSync>} given */
  readFileSync(...given) {
    if (/\.c?js$/.test(String(given[0]))) files.add(given[0]);
    return readFileSync(...given);
  },
});

process.on('exit', () => {
  const builtins = loadedByNode()
    .filter((entry) => !atStart.has(entry) && entry.startsWith('NativeModule '))
    .map((entry) => entry.slice('NativeModule '.length))
    .filter((name) => builtinModules.includes(name) && !name.startsWith('_'));
  const notes = { builtins: builtins.sort(), files: [...files].sort() };
  fs.writeFileSync(String(process.env.DEV_CLI_TEST_LOADED), JSON.stringify(notes));
});
