// Preloaded into the binary: on exit, appends a line to a file that lists the files the process has synced.
const fs = require('node:fs');

const { appendFileSync, fdatasyncSync, fsyncSync, openSync } = fs;
/** @type {Map<number, string>} */
const paths = new Map();
/** @type {string[]} */
const synced = [];

fs.openSync = (path, ...rest) => {
  const descriptor = openSync(path, ...rest);
  paths.set(descriptor, String(path));
  return descriptor;
};
fs.fsyncSync = (descriptor) => {
  synced.push(paths.get(descriptor) ?? String(descriptor));
  fsyncSync(descriptor);
};
fs.fdatasyncSync = (descriptor) => {
  synced.push(paths.get(descriptor) ?? String(descriptor));
  fdatasyncSync(descriptor);
};

process.on('exit', () => {
  const line = JSON.stringify({ argv: process.argv.slice(1), synced });
  appendFileSync(String(process.env.DEV_CLI_TEST_FSYNCS), `${line}\n`);
});
