import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../adversarial/binary/victims.js';
import { BINARY, type Project } from './project.mjs';

/** How a call whose terminal was closed ended. */
export interface Closed {
  exit: number | null;
  by: NodeJS.Signals | null;
}

/**
 * Acts like a shell, except that it forwards SIGHUP only if told to. A call that gets no SIGHUP runs in a session of
 * its own, so it notices the closed terminal only when it reads or writes.
 */
const SHELL = `const [, , told, heard, ...words] = process.argv;
const hears = heard === 'true';
const child = require('node:child_process').spawn(process.execPath, words, { stdio: 'inherit', detached: !hears });
process.on('SIGHUP', () => hears && child.kill('SIGHUP'));
child.on('exit', (exit, by) => require('node:fs').writeFileSync(told, JSON.stringify({ exit, by })));
`;

/**
 * Calls the binary in a terminal of 100 columns, and closes the terminal during the call.
 * @param options.when given all output so far, returns whether to close the terminal now
 * @param options.hears false to send no SIGHUP
 */
export async function closeTerminal(
  { home, root, env }: Project,
  words: string[],
  options: { when: (shown: string) => boolean; hears?: boolean; env?: NodeJS.ProcessEnv },
): Promise<Closed> {
  const [shell, told] = [join(home, 'shell.cjs'), join(home, 'told.json')];
  rmSync(told, { force: true });
  writeFileSync(shell, SHELL);
  const hears = String(options.hears ?? true);
  const line = [process.execPath, shell, told, hears, BINARY, ...words].map((word) => `'${word}'`).join(' ');
  const screen = spawn('script', ['-qec', `stty cols 100 rows 40; exec ${line}`, '/dev/null'], {
    cwd: root,
    env: { ...env, ...options.env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let shown = '';
  screen.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  await eventually(`dev-cli ${words.join(' ')} is there: ${shown}`, () => options.when(shown));
  screen.kill('SIGKILL');
  await eventually(`dev-cli ${words.join(' ')} has ended`, () => existsSync(told) && readFileSync(told, 'utf8') !== '');
  return JSON.parse(readFileSync(told, 'utf8')) as Closed;
}
