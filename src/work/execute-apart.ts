import type { ExecFileException } from 'node:child_process';
import { childProcess, type Execution, type ExecutionOptions } from './processes.js';

/**
 * Runs a program to its end in its own process group. Ctrl-C on the terminal reaches only this process's group, so it
 * does not kill the program midway. The program's output is not limited, and `options.signal` is ignored.
 */
export function executeFileApart(
  program: string,
  args: readonly string[],
  { cwd, env, timeoutSeconds, input }: ExecutionOptions,
): Promise<Execution> {
  const options = { cwd, env, timeout: Math.ceil(timeoutSeconds * 1000), detached: true, stdio: 'pipe' } as const;
  return new Promise((resolve) => {
    const child = childProcess().spawn(program, args, options);
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    const end = (error: ExecFileException | null): void =>
      resolve({ error, stdout: Buffer.concat(out), stderr: Buffer.concat(err) });
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', end);
    child.on('close', (code, signal) => {
      if (code === 0) return end(null);
      const how = { killed: child.killed, ...(signal !== null && { signal }), ...(code !== null && { code }) };
      end(Object.assign(new Error(`${program} failed`), how));
    });
    // A program that does not read its input must not make the call fail.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
