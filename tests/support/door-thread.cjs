// The front door in a thread of its own (door.ts): one call after the other, each told by a number that changes.
const { workerData } = require('node:worker_threads');
const { closeSync, openSync } = require('node:fs');
const { asked, call } = require(workerData.bundle);
const { port, bell } = workerData;

/**
 * Nothing of the call before is left.
 * @param {NodeJS.ProcessEnv} env
 */
function setEnvironment(env) {
  for (const key of Object.keys(process.env)) delete process.env[key];
  Object.assign(process.env, env);
}

/**
 * @param {import('./door.js').Message} call
 * @returns {Promise<import('./door.js').Printed>}
 */
async function answered({ argv, cwd, env, input, typed, whole }) {
  setEnvironment(env);
  const stdin = openSync(input ?? '/dev/null', 'r');
  const terminal = typed !== null;
  const lines = [...(typed ?? [])];
  let written = '';
  const write = (/** @type {string} */ text) => {
    written += text;
    return true;
  };
  try {
    const { exit, stdout, stderr } = await call(argv, whole, {
      cwd,
      env: process.env,
      stdin,
      stdinIsTerminal: terminal,
      stdoutIsTerminal: terminal,
      interruption: () => new AbortController().signal,
      ask: async (/** @type {string} */ question) => {
        const line = lines.shift();
        if (line === undefined) throw new Error(`nobody answers: ${question}`);
        const { seen, answer } = asked(question, line);
        write(seen);
        return answer;
      },
      write,
      screen: () => ({ columns: 80, rows: 24 }),
    });
    return { exit, stdout: written + stdout, stderr };
  } finally {
    closeSync(stdin);
  }
}

/** @param {import('./door.js').Printed | { crash: string }} message */
function tell(message) {
  port.postMessage(message);
  Atomics.add(bell, 0, 1);
  Atomics.notify(bell, 0);
}

port.on('message', (/** @type {import('./door.js').Message} */ message) =>
  answered(message).then(tell, (error) => tell({ crash: String(error?.stack ?? error) })),
);
