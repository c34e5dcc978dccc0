// The front door in a process of its own (door.ts): takes one request per line, in order, and writes one answer per
// line. Arguments: the bundled door, the pipe that requests come from, the pipe that answers go to.
const { closeSync, createReadStream, openSync, writeSync } = require('node:fs');
const { createInterface } = require('node:readline');

const [, , bundle = '', requests = '', answers = ''] = process.argv;
const { asked, call, plainScreen } = require(bundle);

/**
 * Replaces the environment, so that no variable of the previous call remains.
 * @param {NodeJS.ProcessEnv} env
 */
function setEnvironment(env) {
  for (const key of Object.keys(process.env)) delete process.env[key];
  Object.assign(process.env, env);
}

/**
 * @param {import('./door.js').Request} request
 * @returns {Promise<import('./door.js').Printed>}
 */
async function answered({ argv, cwd, env, input, typed, whole }) {
  process.chdir(cwd);
  setEnvironment(env);
  const stdin = openSync(input ?? '/dev/null', 'r');
  const terminal = typed !== null;
  const lines = [...(typed ?? [])];
  let written = '';
  let told = '';
  const write = (/** @type {string} */ text) => {
    written += text;
    return true;
  };
  try {
    const { exit, stdout, stderr } = await call(argv, whole, {
      cwd: process.cwd(),
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
      gateScreen: async () =>
        plainScreen(write, async (/** @type {string} */ question) => {
          const line = lines.shift();
          if (line === undefined) throw new Error(`nobody answers: ${question}`);
          const { seen, answer } = asked(question, line);
          write(seen);
          return answer;
        }),
      write,
      tell: (/** @type {string} */ line) => {
        told += `${line}\n`;
      },
      screen: () => ({ columns: 80, rows: 24 }),
    });
    return { exit, stdout: written + stdout, stderr: told + stderr };
  } finally {
    closeSync(stdin);
    // Leaves the call's directory, because the test may remove or unmount it.
    process.chdir('/');
  }
}

const out = openSync(answers, 'w');

/** @param {import('./door.js').Reply} reply */
function tell(reply) {
  const bytes = Buffer.from(`${JSON.stringify(reply)}\n`);
  for (let written = 0; written < bytes.length; ) written += writeSync(out, bytes, written);
}

createInterface({ input: createReadStream(requests) })
  .on('line', (line) => {
    answered(JSON.parse(line)).then(tell, (error) => tell({ crash: String(error?.stack ?? error) }));
  })
  // The pipe closes when the process that sends requests has ended.
  .on('close', () => process.exit());
tell({ ready: true });
