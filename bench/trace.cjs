// Preloaded with `node --require` before a program built by bench/instrument.mjs: writes, at exit, which functions were
// called, in which order and from where.
const { AsyncLocalStorage } = require('node:async_hooks');
const { writeFileSync } = require('node:fs');

/** The call that the running code belongs to, also after an `await`. */
const callers = new AsyncLocalStorage();
/** @type {{ file: string, name: string, caller: number }[]} `caller`: an index of this list, -1 for none */
const calls = [];
/** How many modules are being evaluated. Calls during evaluation prepare the program and are not part of the call. */
let evaluating = 0;

function entered(file, name) {
  return calls.push({ file, name, caller: callers.getStore() ?? -1 }) - 1;
}

globalThis.__trace = {
  /** Calls a function's body and records that it called whatever runs inside. */
  call: (file, name, body) => (evaluating > 0 ? body() : callers.run(entered(file, name), body)),
  /** For a body that cannot be wrapped; what it calls counts as called by its own caller. */
  note: (file, name) => {
    if (evaluating === 0) entered(file, name);
  },
  evaluationBegins: () => {
    evaluating += 1;
  },
  evaluationEnds: () => {
    evaluating -= 1;
  },
};

process.on('exit', () => writeFileSync(process.env.DEV_CLI_BENCH_TRACE, JSON.stringify(calls)));
