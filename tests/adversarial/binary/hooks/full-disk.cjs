// Preloaded into the binary: from the N-th call that needs space on, the disk is full. Output still works.
const fs = /** @type {Record<string, (...args: unknown[]) => unknown>} */ (/** @type {unknown} */ (require('node:fs')));

const from = Number(process.env['TEST_FULL_FROM']);
let count = 0;

for (const name of ['mkdirSync', 'writeFileSync', 'writeSync']) {
  const original = fs[name] ?? (() => undefined);
  fs[name] = (...args) => {
    const [target, content] = args;
    if (name === 'writeSync' && (target === 1 || target === 2)) return original(...args);
    count += 1;
    if (count < from) return original(...args);
    // A disk that becomes full still takes the part that fits.
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    if (count === from && Buffer.isBuffer(bytes)) original(target, bytes.subarray(0, bytes.length >> 1));
    const path = typeof target === 'string' ? { path: target } : {};
    throw Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), {
      code: 'ENOSPC',
      syscall: name,
      ...path,
    });
  };
}

// A special exit code shows that the disk never became full.
process.on('exit', (code) => {
  if (count < from && code === 0) process.exitCode = 99;
});
