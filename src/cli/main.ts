import { DevCliError } from '../base/errors.js';
import { type ProcessIo, runCommandLine } from './front.js';
import { endProcess, isTerminal, listenForSignals, writeWholeText } from './process.js';

/** @throws DevCliError `IO` */
function getWorkingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new DevCliError('IO', 'The current directory no longer exists.', {
      fix: 'Change to the project with cd, then repeat the same call.',
      cause,
    });
  }
}

const io: ProcessIo = {
  // A getter, so that its error is thrown where it can be printed.
  get cwd() {
    return getWorkingDirectory();
  },
  env: process.env,
  stdin: 0,
  stdinIsTerminal: isTerminal(0),
  stdoutIsTerminal: isTerminal(1),
  interruption: listenForSignals,
  write: (text) => writeWholeText(1, text),
  tell: (line) => void writeWholeText(2, `${line}\n`),
  keys: async (pressed) => (await import('./screen/terminal.js')).listenForKeys(pressed),
  screen: () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }),
  ask: async (question) => (await import('./ask.js')).askForLine(question),
  gateScreen: async (inWords) => (await import('./gate-screen.js')).openGateScreen(inWords),
};

async function run(): Promise<void> {
  // Waits one tick. Modules loaded later import from this bundle, so all of it has to be evaluated before anything
  // runs.
  await undefined;
  const { stdout, stderr, exit } = await runCommandLine(process.argv.slice(2), io);
  writeWholeText(1, stdout);
  writeWholeText(2, stderr);
  endProcess(exit);
}

void run();
