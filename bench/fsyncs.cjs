// Preloaded before dev-cli: writes down, at exit, how often it has waited for the disk.
const fs = require('node:fs');

let count = 0;
for (const name of ['fsyncSync', 'fdatasyncSync', 'fsync', 'fdatasync']) {
  const original = fs[name];
  fs[name] = (...given) => {
    count += 1;
    return original.apply(fs, given);
  };
}

process.on('exit', () => fs.writeFileSync(process.env.BENCH_FSYNCS, String(count)));
