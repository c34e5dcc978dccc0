// Preloaded with `node --require`: on exit, writes down what a process has loaded (tests/contract/cli/loaded.test.ts).
const { writeFileSync } = require('node:fs');
const { builtinModules } = require('node:module');

/** @returns {string[]} every module of Node that was loaded, public or not; the list is not in the types */
function loadedByNode() {
  return Reflect.get(process, 'moduleLoadList');
}

const atStart = new Set(loadedByNode());
const here = __filename;

process.on('exit', () => {
  const builtins = loadedByNode()
    .filter((entry) => !atStart.has(entry) && entry.startsWith('NativeModule '))
    .map((entry) => entry.slice('NativeModule '.length))
    .filter((name) => builtinModules.includes(name) && !name.startsWith('_'));
  const files = Object.keys(require.cache).filter((file) => file !== here);
  writeFileSync(
    String(process.env.DEV_CLI_TEST_LOADED),
    JSON.stringify({ builtins: builtins.sort(), files: files.sort() }),
  );
});
