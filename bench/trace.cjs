// Preloaded with `node --require` before a program built by bench/instrument.mjs. When the program exits, writes the
// calls of its functions, in order, each with its caller.
const { AsyncLocalStorage } = require('node:async_hooks');
const { writeFileSync } = require('node:fs');

/** The index of the call that the running code belongs to, even after an `await`. */
const callers = new AsyncLocalStorage();
/** @type {{ file: string, name: string, caller: number }[]} `caller` is an index into this list, or -1 for none */
const calls = [];
/** How many modules are being evaluated. Function calls during evaluation only prepare the program and do not count. */
let evaluating = 0;

function entered(file, name) {
  return calls.push({ file, name, caller: callers.getStore() ?? -1 }) - 1;
}

globalThis.__trace = {
  /** Runs a function's body, and records it as the caller of every function called inside. */
  call: (file, name, body) => (evaluating > 0 ? body() : callers.run(entered(file, name), body)),
  /** Records a call whose body cannot be wrapped; functions called inside then count as called by its own caller. */
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
