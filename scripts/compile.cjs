// Preloaded by scripts/build.mjs into calls of the built command line: when such a call ends, what V8 has compiled of its
// program is written down where scripts/start.cjs looks for it, with all that earlier calls had found there.
const { readFileSync, writeFileSync } = require('node:fs');
const vm = require('node:vm');

/** @type {Map<string, vm.Script>} */
const programs = new Map();

vm.Script = class extends vm.Script {
  /** @param {string} code @param {vm.ScriptOptions & { filename: string }} options */
  constructor(code, options) {
    super(code, options);
    programs.set(options.filename, this);
  }
};

process.on('exit', () => {
  for (const [filename, script] of programs) {
    const made = script.createCachedData();
    writeFileSync(filename.replace(/js$/, 'bin'), Buffer.concat([made, made, readFileSync(filename)]));
  }
});
