// Preloaded with `node --require`: on exit, appends a line of JSON that says which modules and files the process has
// loaded and opened, how many processes it has started, and how often it has synced a file to disk.
const fs = require('node:fs');
const Module = require('node:module');

/** @returns {string[]} every module of Node that was loaded, public or not; Node's types do not declare this list */
function loadedByNode() {
  return Reflect.get(process, 'moduleLoadList');
}

// Compiled code that earlier calls have cached must not influence the result.
process.env.NODE_DISABLE_COMPILE_CACHE = '1';

const atStart = new Set(loadedByNode());
const opened = new Set();
const counts = { processes: 0, fsyncs: 0 };

/**
 * Calls `look` with the first argument of each call of these functions.
 * @param {object} holder
 * @param {readonly string[]} names
 * @param {(first: unknown) => void} look
 */
function watch(holder, names, look) {
  for (const name of names) {
    const original = Reflect.get(holder, name);
    const watched = (/** @type {unknown[]} */ ...given) => {
      look(given[0]);
      return Reflect.apply(original, holder, given);
    };
    Reflect.set(holder, name, Object.assign(watched, original));
  }
}

watch(
  fs,
  ['openSync', 'readFileSync', 'writeFileSync'],
  (path) => typeof path === 'number' || opened.add(String(path)),
);
watch(fs, ['fsyncSync', 'fdatasyncSync', 'fsync', 'fdatasync'], () => {
  counts.fsyncs += 1;
});

const load = Reflect.get(Module, '_load');
Reflect.set(Module, '_load', (/** @type {unknown[]} */ ...given) => {
  const isNew = !loadedByNode().includes('NativeModule child_process');
  const loaded = load(...given);
  if (isNew && /^(node:)?child_process$/.test(String(given[0]))) {
    watch(loaded, ['spawn', 'spawnSync', 'execFile', 'execFileSync'], () => {
      counts.processes += 1;
    });
  }
  return loaded;
});

const notes = String(process.env.DEV_CLI_TEST_LOADED);
process.on('exit', () => {
  const builtins = loadedByNode()
    .filter((entry) => !atStart.has(entry) && entry.startsWith('NativeModule '))
    .map((entry) => entry.slice('NativeModule '.length))
    .filter((name) => Module.builtinModules.includes(name) && !name.startsWith('_'));
  const files = [...opened].filter((path) => /\.c?js$/.test(path));
  const told = {
    program: process.argv[1],
    builtins: builtins.sort(),
    files: files.sort(),
    opened: opened.size,
    ...counts,
  };
  fs.appendFileSync(notes, `${JSON.stringify(told)}\n`);
});
