// Preloaded into the binary: the file system refuses hard links, with the code TEST_LINK_CODE.
const fs = require('node:fs');

fs.linkSync = (from, to) => {
  const code = process.env['TEST_LINK_CODE'] ?? 'EPERM';
  throw Object.assign(new Error(`${code}: link refused`), { code, syscall: 'link', path: from, dest: to });
};
