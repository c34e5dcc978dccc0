import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emulate } from './emulator.js';
import type { Project } from './project.mjs';

/** A simulated person at a terminal with a screen. */
export interface Typist {
  /** Everything that was sent to the terminal so far. */
  output(): string;
  /** What the screen shows now. */
  screen(): Promise<string>;
  /** Waits until the screen matches `wanted`. */
  sees(wanted: RegExp): Promise<void>;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  /** Waits until the shell has ended. @returns the exit code */
  ended(): Promise<number | null>;
  kill(): void;
}

/** Seats a person at a terminal of this size, in which a shell runs a command line. */
export function sitDown(
  { root, home, env }: Project,
  line: string,
  { columns = 80, rows = 24, env: more = {} as NodeJS.ProcessEnv } = {},
): Typist {
  const tty = join(home, 'tty');
  let size = { columns, rows };
  const child = spawn('script', ['-qec', `tty > '${tty}'; stty cols ${columns} rows ${rows}; ${line}`, '/dev/null'], {
    cwd: root,
    env: { ...env, TERM: 'xterm', SHELL: '/bin/sh', PAGER: 'cat', ...more },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const screen = async () => (await emulate(output, size.columns, size.rows)).lines.join('\n');
  return {
    output: () => output,
    screen,
    async sees(wanted) {
      let shown = '';
      for (let tries = 0; tries < 200; tries += 1) {
        shown = await screen();
        if (wanted.test(shown)) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`nobody sees ${wanted}:\n${shown}`);
    },
    type: (keys) => void child.stdin.write(keys),
    resize(to, high) {
      if (!existsSync(tty)) throw new Error('there is no terminal yet');
      size = { columns: to, rows: high };
      execFileSync('stty', ['-F', readFileSync(tty, 'utf8').trim(), 'cols', String(to), 'rows', String(high)]);
    },
    ended: () => exit,
    kill: () => void child.kill('SIGKILL'),
  };
}
