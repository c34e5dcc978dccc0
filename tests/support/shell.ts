import { spawn, spawnSync } from 'node:child_process';
import { findRealTerminal } from './terminal.mjs';

/** Whether a shell is installed on this machine. */
export const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** Whether keys can be typed into an interactive shell, which needs the Linux version of script(1) and GNU stty. */
export const canType =
  process.platform === 'linux' && findRealTerminal() !== null && spawnSync('stty', ['--version']).status === 0;

/** The keys to type, and the output that must appear before the next keys are typed. */
type Step = readonly [keys: string, seen: RegExp];

/**
 * Types into an interactive shell at a terminal of 100 columns, and returns its output. Fails if the expected output of
 * a step does not appear.
 */
export function typeInto(
  shell: string,
  steps: readonly Step[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<string> {
  const command = `stty cols 100 rows 40; exec ${shell} -i`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  const left = [...steps];
  let [all, fresh] = ['', ''];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${left[0]?.[1]} was not seen:\n${JSON.stringify(all)}`));
    }, 60_000);
    let awaited: RegExp | null = /ready> /;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      all += text;
      fresh += text.replace(/\u001b(?:\[[0-9;?]*[A-Za-z]|\(B|[=>])/g, '');
      if (awaited === null || !awaited.test(fresh)) return;
      if (awaited.source !== 'ready> ') left.shift();
      fresh = '';
      awaited = left[0]?.[1] ?? null;
      child.stdin.write(left[0]?.[0] ?? '\u0015exit\r');
    });
    child.on('close', () => {
      clearTimeout(timer);
      if (left.length === 0) resolve(all);
      else reject(new Error(`${left[0]?.[1]} was not seen:\n${JSON.stringify(all)}`));
    });
  });
}
