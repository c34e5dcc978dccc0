// Started by the rig instead of a harness's CLI. Starts the CLI, and starts it again for each later prompt of the
// session. If the play types lines, the CLI runs on a terminal; if it needs dev-cli for the user, dev-cli is installed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findRealTerminal } from '../support/terminal.mjs';
import { digest } from './digests.mjs';

const [file, ...words] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(file, 'utf8'));

/** By harness, returns the arguments that resume its last session with a prompt. */
const RESUMES = {
  codex: (prompt) => [...words.slice(0, -1), 'resume', '--last', prompt],
  gemini: (prompt) => [
    '--resume',
    'latest',
    ...words.map((word, index) => (words[index - 1] === '-p' ? prompt : word)),
  ],
};

/** Files that Gemini CLI itself writes into the home directory. */
const OF_GEMINI = /^\.gemini\/(?:tmp|history|projects\.json)$/;
// Runs on a terminal, because otherwise `uninstall` is refused while a run is guarded.
const install = (verb) => {
  if (!plan.user) return;
  const command = `'${process.execPath}' '${plan.binary}' ${verb} --user --harness ${plan.harness} --yes`;
  const { exit, output } = findRealTerminal()(command, { cwd: process.cwd(), env: process.env });
  assert.equal(exit, 0, output);
};

const before = digest(process.env.HOME, OF_GEMINI);
install('install');
let status = plan.typed === undefined ? await run(plan.instead ?? words) : await type(words, plan.typed);
for (const prompt of plan.then) if (status === 0) status = await run(RESUMES[plan.harness](prompt));
install('uninstall');
if (plan.user) assert.deepEqual(digest(process.env.HOME, OF_GEMINI), before, 'the home directory is not as before');
process.exit(status);

function run(args) {
  const program = plan.instead === undefined ? plan.program : startInstead();
  const all = plan.driver === undefined ? args : [plan.driver, ...args];
  return waitFor(spawn(program, all, { stdio: ['ignore', 'inherit', 'inherit'], detached: true }));
}

/**
 * Prepares a start of the CLI by dev-cli or by the play's driver, for a user who never started the CLI here: nothing is
 * trusted, and no question is suppressed. Returns the program that starts the CLI.
 */
function startInstead() {
  const { CODEX_HOME, PATH } = process.env;
  process.env.PATH = `${dirname(plan.program)}:${PATH}`;
  delete process.env.GEMINI_CLI_TRUST_WORKSPACE;
  const program = plan.driver === undefined ? plan.binary : process.execPath;
  if (CODEX_HOME === undefined) return program;
  const config = join(CODEX_HOME, 'config.toml');
  const text = readFileSync(config, 'utf8');
  writeFileSync(
    config,
    text.replace(/^approval_policy = .*\n/m, '').replace(/^\[projects\..*\ntrust_level = .*\n/m, ''),
  );
  return program;
}

/** Types lines one after another, each once its `when` is on the screen, then waits for the CLI's end. */
async function type(args, lines) {
  const quote = (word) => `'${String(word).replaceAll("'", "'\\''")}'`;
  // Drops the options with which Gemini CLI would answer one prompt and exit.
  const bare = args.filter((word, index) => !['-p', '-o'].includes(word) && !['-p', '-o'].includes(args[index - 1]));
  const command = [plan.program, ...bare].map(quote).join(' ');
  const child = spawn('script', ['-qec', `stty cols 160 rows 50; ${command}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    env: { ...process.env, TERM: 'xterm-256color' },
  });
  let screen = '';
  child.stdout.on('data', (data) => {
    screen += data;
    process.stdout.write(data);
  });
  const ended = waitFor(child);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  for (const { when, text } of lines) {
    const limit = Date.now() + 60_000;
    while (!screen.includes(when) && child.exitCode === null) {
      if (Date.now() > limit) {
        console.error(`${JSON.stringify(when)} never came to the screen.`);
        process.kill(-child.pid, 'SIGKILL');
        return 1;
      }
      await pause(100);
    }
    await pause(500);
    screen = '';
    // Typed slowly, because a harness takes fast input for pasted text, including the line feed at its end.
    for (const character of text) {
      child.stdin.write(character);
      await pause(20);
    }
    await pause(300);
    child.stdin.write('\r');
  }
  await ended;
  return 0;
}

function waitFor(child) {
  const limit = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), plan.seconds * 900);
  return new Promise((resolve) =>
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve(code ?? 1);
    }),
  );
}
